//! Who wears the clothes: a mannequin made from measurements, and measuring any body.
//!
//! Lengths are metres; bodies stand on y = 0, face +z and have their left at +x.

pub mod mannequin;
pub mod measure;
