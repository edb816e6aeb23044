//! A simulation's state as a checkpoint's lists of numbers, and back.

mod bonds;

use crate::checkpoint::Snapshot;
use glam::DVec3;
use thiserror::Error;
use toile_geometry::distance::Kind;
use toile_numerics::integrate::Rates;
use toile_numerics::integrate::bdf2::History;
use toile_sim::constraints::stick::Bond;
use toile_sim::contact::collider::{ColliderContact, Slip};
use toile_sim::contact::{Pair, Remembered};
use toile_sim::{Model, State};

/// A checkpoint that does not fit the model.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("the checkpoint does not fit the scene: `{list}` {problem}")]
pub struct Misfit {
    /// The list.
    pub list: &'static str,
    /// What is wrong with it.
    pub problem: &'static str,
}

/// Numbers a contact takes: four whole and four real.
const SLIDING: i64 = 1;

impl Snapshot {
    /// The state after `frame` frames.
    pub fn of(state: &State, frame: u64) -> Self {
        let flat = |vectors: &[DVec3]| -> Vec<f64> { bytemuck::cast_slice(vectors).to_vec() };
        let mut arrays = vec![
            ("positions".to_owned(), flat(&state.positions)),
            ("velocities".to_owned(), flat(&state.velocities)),
        ];
        if let Some(history) = &state.history {
            arrays.extend([
                ("past_positions".to_owned(), history.positions.clone()),
                ("past_velocities".to_owned(), history.velocities.clone()),
                ("past_step_s".to_owned(), vec![history.step_s]),
            ]);
        }
        if let Some(acceleration) = &state.acceleration {
            arrays.push(("accelerations".to_owned(), flat(acceleration)));
        }
        if let Some(Rates {
            frequency_per_s,
            damping_per_s,
        }) = state.rates
        {
            arrays.push(("rates".to_owned(), vec![frequency_per_s, damping_per_s]));
        }
        if let Some(next_step_s) = state.next_step_s {
            arrays.push(("next_step_s".to_owned(), vec![next_step_s]));
        }
        if !state.memory.is_empty() {
            arrays.push(("memory".to_owned(), state.memory.clone()));
        }
        let mut whole = Vec::new();
        let mut real = Vec::new();
        for contact in &state.contacts {
            let (sliding, direction) = match contact.slip {
                Slip::Stick => (0, DVec3::ZERO),
                Slip::Slide(direction) => (SLIDING, direction),
            };
            whole.extend([
                i64::from(contact.particle),
                i64::from(contact.collider),
                sliding,
            ]);
            real.push(contact.normal_force_n);
            real.extend(direction.to_array());
        }
        arrays.push(("contact_forces".to_owned(), real));
        let mut integers = vec![("contacts".to_owned(), whole)];
        if !state.touches.is_empty() {
            let (mut pairs, mut slips) = (Vec::new(), Vec::new());
            for touch in &state.touches {
                pairs.push(i64::from(touch.pair.kind == Kind::EdgeEdge));
                pairs.extend(touch.pair.vertices.map(i64::from));
                slips.push(touch.normal_force_n);
                slips.extend(touch.slip.to_array());
                slips.extend([touch.depth_m, touch.distance_m]);
            }
            integers.push(("touches".to_owned(), pairs));
            arrays.push(("touch_slips".to_owned(), slips));
        }
        if !state.bonds.is_empty() {
            let (places, shares) = bonds::lists(&state.bonds);
            integers.push((bonds::PLACES.to_owned(), places));
            arrays.push((bonds::SHARES.to_owned(), shares));
        }
        Self {
            frame,
            step: state.steps,
            time_s: state.time_s,
            arrays,
            integers,
        }
    }

    /// The state it was made of, checked against `model`.
    pub fn state(&self, model: &Model) -> Result<State, Misfit> {
        let coordinates = 3 * model.particles();
        let vectors = |list: &'static str| -> Result<Vec<DVec3>, Misfit> {
            let numbers = self.array(list, coordinates)?;
            Ok(numbers.chunks_exact(3).map(DVec3::from_slice).collect())
        };
        let has = |list: &str| self.arrays.iter().any(|(name, _)| name == list);
        let rates = if has("rates") {
            let rates = self.array("rates", 2)?;
            Some(Rates {
                frequency_per_s: rates[0],
                damping_per_s: rates[1],
            })
        } else {
            None
        };
        let history = if has("past_positions") {
            Some(History {
                positions: self.array("past_positions", coordinates)?.to_vec(),
                velocities: self.array("past_velocities", coordinates)?.to_vec(),
                step_s: self.array("past_step_s", 1)?[0],
            })
        } else {
            None
        };
        Ok(State {
            time_s: self.time_s,
            steps: self.step,
            positions: vectors("positions")?,
            velocities: vectors("velocities")?,
            history,
            acceleration: match has("accelerations") {
                true => Some(vectors("accelerations")?),
                false => None,
            },
            rates,
            next_step_s: match has("next_step_s") {
                true => Some(self.array("next_step_s", 1)?[0]),
                false => None,
            },
            memory: match model.memory {
                0 => Vec::new(),
                numbers => self.array("memory", numbers)?.to_vec(),
            },
            contacts: self.contacts(model)?,
            touches: self.touches(model)?,
            bonds: self.bonds(model)?,
        })
    }

    fn bonds(&self, model: &Model) -> Result<Vec<Bond>, Misfit> {
        let places = self.integers.iter().find(|(name, _)| name == bonds::PLACES);
        let Some((_, places)) = places else {
            return Ok(Vec::new());
        };
        let count = places.len() / bonds::WHOLE;
        let shares = self.array(bonds::SHARES, count * bonds::REAL)?;
        bonds::read(model, places, shares).map_err(|problem| Misfit {
            list: bonds::PLACES,
            problem,
        })
    }

    fn array(&self, list: &'static str, len: usize) -> Result<&[f64], Misfit> {
        let misfit = |problem| Misfit { list, problem };
        let (_, numbers) = self
            .arrays
            .iter()
            .find(|(name, _)| name == list)
            .ok_or_else(|| misfit("is missing"))?;
        if numbers.len() != len {
            return Err(misfit("has the wrong length"));
        }
        if numbers.iter().any(|number| !number.is_finite()) {
            return Err(misfit("holds a number that is not finite"));
        }
        Ok(numbers)
    }

    fn touches(&self, model: &Model) -> Result<Vec<Remembered>, Misfit> {
        let misfit = |problem| Misfit {
            list: "touches",
            problem,
        };
        let Some((_, pairs)) = self.integers.iter().find(|(name, _)| name == "touches") else {
            return Ok(Vec::new());
        };
        if !pairs.len().is_multiple_of(5) {
            return Err(misfit("has the wrong length"));
        }
        let known = model.particles() + model.body_vertices();
        let slips = self.array("touch_slips", pairs.len() / 5 * 6)?;
        let touch = |(whole, real): (&[i64], &[f64])| {
            let mut vertices = [0; 4];
            for (vertex, value) in vertices.iter_mut().zip(&whole[1..]) {
                *vertex = u32::try_from(*value)
                    .ok()
                    .filter(|index| (*index as usize) < known)
                    .ok_or_else(|| misfit("names something that does not exist"))?;
            }
            Ok(Remembered {
                pair: Pair {
                    kind: match whole[0] {
                        0 => Kind::PointTriangle,
                        _ => Kind::EdgeEdge,
                    },
                    vertices,
                },
                slip: DVec3::from_slice(&real[1..]),
                normal_force_n: real[0],
                depth_m: real[4],
                distance_m: real[5],
            })
        };
        let numbers = pairs.chunks_exact(5).zip(slips.chunks_exact(6));
        numbers.map(touch).collect()
    }

    fn contacts(&self, model: &Model) -> Result<Vec<ColliderContact>, Misfit> {
        let misfit = |problem| Misfit {
            list: "contacts",
            problem,
        };
        let (_, whole) = self
            .integers
            .iter()
            .find(|(name, _)| name == "contacts")
            .ok_or_else(|| misfit("is missing"))?;
        if !whole.len().is_multiple_of(3) {
            return Err(misfit("has the wrong length"));
        }
        let real = self.array("contact_forces", whole.len() / 3 * 4)?;
        whole
            .chunks_exact(3)
            .zip(real.chunks_exact(4))
            .map(|(whole, real)| {
                let index = |value: i64, count: usize| {
                    u32::try_from(value)
                        .ok()
                        .filter(|&index| (index as usize) < count)
                        .ok_or_else(|| misfit("names something that does not exist"))
                };
                Ok(ColliderContact {
                    particle: index(whole[0], model.particles())?,
                    collider: index(whole[1], model.colliders.len())?,
                    slip: if whole[2] == SLIDING {
                        Slip::Slide(DVec3::from_slice(&real[1..]))
                    } else {
                        Slip::Stick
                    },
                    normal_force_n: real[0],
                })
            })
            .collect()
    }
}
