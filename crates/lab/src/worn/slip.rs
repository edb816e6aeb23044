//! How far cloth slips over a body where it touches it.

use crate::experiment::Error;
use glam::DVec3;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use toile_geometry::distance::between;
use toile_io::scene::Scene;
use toile_sim::bodies::place_all;
use toile_sim::contact::Pair;
use toile_sim::{Model, Simulation};

/// Particles that move over the body more slowly than this follow it, m/s.
pub const FOLLOWS_M_PER_S: f64 = 0.01;

/// What was seen of one run while its body moved. Particles that are fastened are left out: they follow
/// the body whatever the friction.
#[derive(Clone, Debug, Default)]
pub struct Slip {
    /// Particles that touch the body at a time, the mean.
    pub touching: f64,
    /// Normal force of all of them, N, the mean.
    pub force_n: f64,
    /// Share of them that follows the body.
    pub following: f64,
    /// Share of the normal force that is on those.
    pub force_following: f64,
    /// Their speed over the body, m/s, the mean.
    pub speed_m_per_s: f64,
    /// Way over the body of a particle while it touches it, m: the mean of all that ever do.
    pub way_m: f64,
    /// Time, s, and the way so far of one that moves with the mean speed, m.
    pub course: Vec<[f64; 2]>,
}

/// A particle in contact during a step.
#[derive(Clone, Copy, Debug, Default)]
struct Contact {
    /// Normal force on it, N.
    force_n: f64,
    /// That times the way over the body, N m.
    force_way_n_m: f64,
}

impl Slip {
    /// Plays `scene` until a time and looks from another on.
    pub fn of(scene: &Scene, [from_s, until_s]: [f64; 2]) -> Result<Self, Error> {
        let model = Arc::new(Model::build(&scene.model)?);
        let fastened = model.fastened.iter().map(|bond| bond.particle).collect();
        let mut simulation = Simulation::new(model, scene.config);
        let step_s = scene.step_s();
        let mut slip = Self::default();
        let mut ways_m: BTreeMap<u32, f64> = BTreeMap::new();
        let (mut steps, mut mean_way_m) = (0.0, 0.0);
        let mut start = vertices(&simulation);
        while simulation.state().time_s < until_s - 0.5 * step_s {
            simulation.advance(step_s, step_s)?;
            let end = vertices(&simulation);
            if simulation.state().time_s > from_s {
                let contacts = contacts(&simulation, &fastened, &start, &end);
                let mut all_m = 0.0;
                for (particle, contact) in &contacts {
                    let way_m = contact.force_way_n_m / contact.force_n;
                    let follows = f64::from(way_m < FOLLOWS_M_PER_S * step_s);
                    *ways_m.entry(*particle).or_default() += way_m;
                    all_m += way_m;
                    slip.following += follows;
                    slip.force_n += contact.force_n;
                    slip.force_following += follows * contact.force_n;
                }
                slip.touching += contacts.len() as f64;
                slip.speed_m_per_s += all_m / step_s;
                mean_way_m += all_m / contacts.len().max(1) as f64;
                slip.course.push([simulation.state().time_s, mean_way_m]);
                steps += 1.0;
            }
            start = end;
        }
        slip.following /= slip.touching;
        slip.speed_m_per_s /= slip.touching;
        slip.force_following /= slip.force_n;
        slip.touching /= steps;
        slip.force_n /= steps;
        slip.way_m = ways_m.values().sum::<f64>() / ways_m.len() as f64;
        Ok(slip)
    }
}

/// Where all particles, then all vertices of bodies are.
fn vertices(simulation: &Simulation) -> Vec<DVec3> {
    let state = simulation.state();
    let mut all = state.positions.clone();
    place_all(&simulation.model().bodies, state.time_s, &mut all);
    all
}

/// The particles that touch a body at the end of a step, and how far they moved over it.
fn contacts(
    simulation: &Simulation,
    fastened: &BTreeSet<u32>,
    start: &[DVec3],
    end: &[DVec3],
) -> BTreeMap<u32, Contact> {
    let particles = simulation.model().particles();
    let mut contacts: BTreeMap<u32, Contact> = BTreeMap::new();
    for touch in &simulation.state().touches {
        let pair = &touch.pair;
        let is_on_body = pair.vertices.iter().any(|v| *v as usize >= particles);
        let weights = pair.kind.closest(&pair.of(start));
        let Some(way_m) = is_on_body.then(|| way_m(pair, &weights, start, end)) else {
            continue;
        };
        for (vertex, weight) in pair.vertices.iter().zip(weights) {
            let is_free = (*vertex as usize) < particles && !fastened.contains(vertex);
            let force_n = weight.abs() * touch.normal_force_n;
            if is_free && force_n > 0.0 {
                let contact = contacts.entry(*vertex).or_default();
                contact.force_n += force_n;
                contact.force_way_n_m += force_n * way_m;
            }
        }
    }
    contacts
}

/// How far the points of a contact move along each other, m.
fn way_m(pair: &Pair, weights: &[f64; 4], start: &[DVec3], end: &[DVec3]) -> f64 {
    let [from, to] = [start, end].map(|x| between(weights, &pair.of(x)));
    (to - from)
        .reject_from(from.normalize_or(DVec3::Y))
        .length()
}
