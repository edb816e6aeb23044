//! Pictures and films of cloth, drawn by a software rasteriser, and charts: no window, no GPU,
//! no system library.
//!
//! A [`Stage`] holds what there is to see, a [`Camera`] where it is seen from, and a
//! [`Renderer`] turns both into an [`Image`]. A [`film::Film`] takes images and leaves an MP4.
//! Charts are in [`plot`].
//!
//! A frame is drawn in four steps, each parallel over rows and free of any dependence on the
//! number of threads:
//!
//! 1. *visibility*: which facet each of the four samples of a pixel sees, and the same from the
//!    key light for the shadow map;
//! 2. *illumination*, at half resolution: how much of the key light and of the surroundings
//!    reaches each place (soft shadows and ambient occlusion);
//! 3. *blur*, across pixels of the same surface only;
//! 4. *shading*: once for each surface a pixel sees, then tone mapping.
//!
//! Pixels of open floor and background, which nothing covers or darkens, are kept from frame to
//! frame while the camera stands still.

mod camera;
mod clip;
mod color;
mod facets;
pub mod field;
pub mod film;
mod illumination;
mod image;
mod layer;
mod occlusion;
pub mod plot;
mod raster;
mod renderer;
mod resolve;
mod shade;
mod shadow;
pub mod shapes;
mod span;
mod stage;
mod taps;
mod view;

pub use camera::{Camera, Framing};
pub use color::Color;
pub use image::{Image, ImageError};
pub use renderer::{RenderOptions, Renderer, Samples};
pub use stage::{Ground, Rim, Stage, Surface, Weave};
