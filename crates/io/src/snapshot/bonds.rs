//! Bonds of a state as lists of numbers, and back.

use glam::DVec3;
use toile_sim::Model;
use toile_sim::constraints::stick::{self, Bond, Place};

/// Names of the lists.
pub(super) const PLACES: &str = "bonds";
pub(super) const SHARES: &str = "bond_shares";
/// Whole numbers a bond takes: particle, stick, whether it lets go, kind of place, three indices.
pub(super) const WHOLE: usize = 7;
/// Real numbers it takes: its share, and four of the place.
pub(super) const REAL: usize = 5;

const COLLIDER: i64 = 0;
const TRIANGLE: i64 = 1;
const VERTEX: i64 = 2;

/// The whole and the real numbers of all `bonds`.
pub(super) fn lists(bonds: &[Bond]) -> (Vec<i64>, Vec<f64>) {
    let (mut whole, mut real) = (Vec::new(), Vec::new());
    for bond in bonds {
        let (kind, indices, numbers) = match bond.place {
            Place::Collider { collider, start } => {
                let [x, y, z] = start.to_array();
                (COLLIDER, [collider, 0, 0], [x, y, z, 0.0])
            }
            Place::Triangle {
                vertices,
                weights: [a, b, c],
                height_m,
            } => (TRIANGLE, vertices, [a, b, c, height_m]),
            Place::Vertex { vertex, gap_m } => (VERTEX, [vertex, 0, 0], [gap_m, 0.0, 0.0, 0.0]),
        };
        whole.extend([
            i64::from(bond.particle),
            i64::from(bond.stick),
            i64::from(bond.letting_go),
            kind,
        ]);
        whole.extend(indices.map(i64::from));
        real.push(bond.share);
        real.extend(numbers);
    }
    (whole, real)
}

/// The bonds of these lists, checked against `model`; or what is wrong with them.
pub(super) fn read(model: &Model, whole: &[i64], real: &[f64]) -> Result<Vec<Bond>, &'static str> {
    if !whole.len().is_multiple_of(WHOLE) {
        return Err("has the wrong length");
    }
    let vertices = stick::vertices(model);
    let index = |value: i64, count: usize| {
        let index = u32::try_from(value).ok();
        let index = index.filter(|index| (*index as usize) < count);
        index.ok_or("names something that does not exist")
    };
    let bond = |(whole, real): (&[i64], &[f64])| {
        Ok(Bond {
            particle: index(whole[0], model.particles())?,
            stick: index(whole[1], model.sticks.len())?,
            letting_go: whole[2] != 0,
            share: real[0],
            place: match whole[3] {
                COLLIDER => Place::Collider {
                    collider: index(whole[4], model.colliders.len())?,
                    start: DVec3::from_slice(&real[1..]),
                },
                TRIANGLE => Place::Triangle {
                    vertices: [
                        index(whole[4], vertices)?,
                        index(whole[5], vertices)?,
                        index(whole[6], vertices)?,
                    ],
                    weights: [real[1], real[2], real[3]],
                    height_m: real[4],
                },
                VERTEX => Place::Vertex {
                    vertex: index(whole[4], vertices)?,
                    gap_m: real[1],
                },
                _ => return Err("names a place of no known kind"),
            },
        })
    };
    let numbers = whole.chunks_exact(WHOLE).zip(real.chunks_exact(REAL));
    numbers.map(bond).collect()
}
