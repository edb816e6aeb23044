//! Where pictures are made: sources, camera and colours, put together.

use super::args::RenderArgs;
use super::layout::Layout;
use super::spread;
use super::viewpoint::{Viewpoint, turned};
use crate::exit::Failure;
use crate::progress::Progress;
use std::ops::RangeInclusive;
use toile::run::Stop;
use toile::run::coloring::{self, Extent, Quantity};
use toile::run::recorder::Recorder;
use toile::run::saved::Source;
use toile::run::set::{self, Look, Moment};
use toile::view::plot::{ColorScale, Overlay};
use toile::view::{Camera, Image, RenderOptions, Renderer};

/// Frames that are looked at to place the camera and to choose the colours.
const SURVEYED: u64 = 48;

/// One picture: a frame, and how far the camera has turned.
pub struct Shot {
    /// The frame.
    pub frame: u64,
    /// About the vertical, from where the camera stands at first.
    pub turn_rad: f64,
}

/// Everything that pictures are made of.
pub struct Studio {
    sources: Vec<Source>,
    renderers: Vec<Renderer>,
    quantity: Option<Quantity>,
    /// The colours, once frames have been looked at.
    pub scale: Option<ColorScale>,
    viewpoint: Viewpoint,
    layout: Layout,
    /// Frames a second of the motion, whatever the film has.
    motion_fps: f64,
    wireframe: bool,
}

impl Studio {
    /// As the options ask.
    pub fn new(
        args: &RenderArgs,
        sources: Vec<Source>,
        quantity: Option<Quantity>,
        layout: Layout,
        fps: f64,
    ) -> Result<Self, Failure> {
        let [width, height] = layout.view;
        let options = RenderOptions {
            width,
            height,
            ..RenderOptions::default()
        };
        Ok(Self {
            motion_fps: sources[0].fps.unwrap_or(fps),
            renderers: sources.iter().map(|_| Renderer::new(options)).collect(),
            sources,
            quantity,
            scale: None,
            viewpoint: Viewpoint::new(args, width as f64 / height as f64)?,
            layout,
            wireframe: args.wireframe,
        })
    }

    /// Looks at some of the frames, to place the camera and the floor and to choose the colours.
    pub fn survey(
        &mut self,
        args: &RenderArgs,
        frames: RangeInclusive<u64>,
    ) -> Result<(), Failure> {
        let frames = match args.turntable {
            Some(_) => *frames.end()..=*frames.end(),
            None => frames,
        };
        let mut extent = Extent::default();
        for source in &mut self.sources {
            let mut lowest_m = f64::INFINITY;
            for frame in spread(&frames, SURVEYED) {
                let frame = frame.min(source.frames() - 1);
                let positions = source.positions(frame)?;
                let moment = Moment {
                    positions: &positions,
                    time_s: source.time_s(frame, self.motion_fps),
                };
                let viewpoint = &mut self.viewpoint;
                source.set.show(moment, |points| viewpoint.include(points));
                lowest_m = positions.iter().map(|p| p.y).fold(lowest_m, f64::min);
                if let Some(quantity) = &self.quantity {
                    extent.include(&quantity.values(source, frame, self.motion_fps)?);
                }
            }
            if !source.knows_floor && lowest_m.is_finite() {
                source.set.put_floor(lowest_m);
            }
        }
        let asked = args.range.map(|range| range.0);
        self.scale = self.quantity.map(|q| q.scale(asked, extent));
        Ok(())
    }

    /// Draws all pictures, or those until told to stop; returns how many.
    pub fn draw(
        &mut self,
        shots: &[Shot],
        recorder: &Recorder,
        progress: &mut Progress,
        stop: &Stop,
    ) -> Result<usize, Failure> {
        let camera = self.viewpoint.camera()?;
        let mut sheet = self.layout.sheet();
        let mut key = Overlay::new(self.layout.size[0], self.layout.size[1]);
        if let Some(scale) = &self.scale {
            key = key.key(scale);
        }
        let mut drawn = 0;
        for (index, shot) in shots.iter().enumerate() {
            let image = self.picture(shot, &camera)?;
            drawn = index + 1;
            progress.frame(drawn as u64, "drawn");
            if let Some(sheet) = &mut sheet {
                let [left, top] = self.layout.cell_corner(index);
                sheet.paste(&image, left, top);
            } else {
                let mut image = image;
                key.draw(&mut image);
                if !recorder.push(image) {
                    return Ok(drawn);
                }
            }
            if stop.is_asked() {
                break;
            }
        }
        if let Some(mut sheet) = sheet {
            key.draw(&mut sheet);
            recorder.push(sheet);
        }
        Ok(drawn)
    }

    /// One picture of all sources, side by side.
    fn picture(&mut self, shot: &Shot, camera: &Camera) -> Result<Image, Failure> {
        let camera = turned(camera, shot.turn_rad);
        let [width, height] = self.layout.cell;
        let mut picture = Image::filled(width, height, [255; 3]);
        let mut words = Overlay::new(width, height);
        for (index, source) in self.sources.iter_mut().enumerate() {
            let frame = shot.frame.min(source.frames() - 1);
            let positions = source.positions(frame)?;
            let colors = match (&self.quantity, &self.scale) {
                (Some(quantity), Some(scale)) => {
                    let values = quantity.values(source, frame, self.motion_fps)?;
                    Some(coloring::colors(scale, &values))
                }
                _ => None,
            };
            let look = Look {
                colors: colors.as_deref(),
                wireframe: self.wireframe,
            };
            let moment = Moment {
                positions: &positions,
                time_s: source.time_s(frame, self.motion_fps),
            };
            let renderer = &mut self.renderers[index];
            let view = set::draw(renderer, &camera, &source.set, &source.cloths, moment, look);
            let left = self.layout.view_left(index);
            picture.paste(&view, left, 0);
            let time_s = frame as f64 / self.motion_fps;
            if let Some(caption) = self.layout.caption(&source.name, index, frame, time_s) {
                let [width, height] = self.layout.view;
                words = words.caption(&caption, [left, 0, width, height]);
            }
        }
        words.draw(&mut picture);
        Ok(picture)
    }
}
