//! What the numbers of a vertex mean.

use super::body::Body;
use super::header::{Element, Scalar};
use crate::formats::Error;
use std::ops::Range;

/// Where positions stand in a row.
pub(crate) const POSITION: Range<usize> = 0..3;
/// Where normals stand in a row.
pub(crate) const NORMAL: Range<usize> = 3..6;
/// Where velocities stand in a row.
pub(crate) const VELOCITY: Range<usize> = 6..9;
/// Where texture coordinates stand in a row.
pub(crate) const TEXTURE: Range<usize> = 9..11;
/// Where colours stand in a row.
pub(crate) const COLOUR: Range<usize> = 11..14;
/// Where the opacity stands in a row.
pub(crate) const ALPHA: usize = 14;

/// Names of the vertex's numbers that are known, in the order of a row.
const KNOWN: [&[&str]; 15] = [
    &["x"],
    &["y"],
    &["z"],
    &["nx"],
    &["ny"],
    &["nz"],
    &["vx"],
    &["vy"],
    &["vz"],
    &["s", "u", "texture_u"],
    &["t", "v", "texture_v"],
    &["red", "r"],
    &["green", "g"],
    &["blue", "b"],
    &["alpha", "a"],
];

/// Where the known numbers of an element stand.
pub(crate) struct Columns {
    /// Place in a row of every property; `None` for what is passed over.
    places: Vec<Option<usize>>,
    known: [bool; KNOWN.len()],
    scale: [f64; KNOWN.len()],
}

impl Columns {
    pub(crate) fn of(element: &Element) -> Self {
        let mut columns = Self {
            places: Vec::with_capacity(element.properties.len()),
            known: [false; KNOWN.len()],
            scale: [1.0; KNOWN.len()],
        };
        for property in &element.properties {
            let names = |names: &&[&str]| names.contains(&property.name.as_str());
            let place = { KNOWN.iter().position(names) }.filter(|_| property.count.is_none());
            if let Some(place) = place {
                columns.known[place] = true;
                // Colours are bytes or fractions.
                if place >= COLOUR.start && property.scalar == Scalar::U8 {
                    columns.scale[place] = 1.0 / 255.0;
                }
            }
            columns.places.push(place);
        }
        columns
    }

    /// Whether an element has all of these.
    pub(crate) fn has(&self, mut columns: Range<usize>) -> bool {
        columns.all(|column| self.known[column])
    }

    /// The next row; zero where an element has nothing.
    pub(crate) fn row(
        &self,
        body: &mut Body<'_>,
        element: &Element,
    ) -> Result<[f64; KNOWN.len()], Error> {
        let mut row = [0.0; KNOWN.len()];
        for (property, place) in element.properties.iter().zip(&self.places) {
            match *place {
                Some(place) => row[place] = body.number(property.scalar)? * self.scale[place],
                None => body.skip_property(property)?,
            }
        }
        Ok(row)
    }
}
