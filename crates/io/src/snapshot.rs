//! A simulation's state as a checkpoint's lists of numbers, and back.

use crate::checkpoint::Snapshot;
use glam::DVec3;
use thiserror::Error;
use toile_numerics::integrate::Rates;
use toile_numerics::integrate::bdf2::History;
use toile_sim::constraints::contact::{Contact, Slip};
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
        Self {
            frame,
            step: state.steps,
            time_s: state.time_s,
            arrays,
            integers: vec![("contacts".to_owned(), whole)],
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

    fn contacts(&self, model: &Model) -> Result<Vec<Contact>, Misfit> {
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
                Ok(Contact {
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
