//! The panels of a pattern: faces that share edges in it.

use super::chart::{Corners, Neighbour, Panel, key};
use crate::model::Model;
use glam::{DVec2, DVec3};
use std::collections::{BTreeMap, HashMap, HashSet};

/// A cloth in more pieces than one for so many faces has no pattern worth the name.
const FACES_PER_PANEL: usize = 8;

/// The panels of all cloths: faces that share edges in the pattern. Where every face has a place of
/// its own instead, the whole cloth lies over one lattice, seen along the axis it is flattest in.
pub fn panels(model: &Model) -> Vec<Panel> {
    let mut panels = Vec::new();
    for (index, (cloth, shell)) in model.shells().enumerate() {
        let (faces, rest) = (&model.mesh.faces[cloth.faces.clone()], &shell.rest);
        let panel_of = panel_of_faces(faces, rest);
        let count = panel_of.iter().max().map_or(0, |last| last + 1);
        if count > (faces.len() / FACES_PER_PANEL).max(1) {
            panels.push(Panel {
                cloth: index,
                triangles: seen_flat(model, cloth.faces.start, faces),
                ..Panel::default()
            });
            continue;
        }
        let first = panels.len();
        let panel = Panel {
            cloth: index,
            ..Panel::default()
        };
        panels.resize(first + count, panel);
        for (k, panel) in panel_of.iter().enumerate() {
            panels[first + panel].triangles.push(Corners {
                face: (cloth.faces.start + k) as u32,
                particles: faces[k],
                places: rest[k],
            });
        }
    }
    for panel in &mut panels {
        let mut seen = HashSet::new();
        for triangle in &panel.triangles {
            for (&particle, &place) in triangle.particles.iter().zip(&triangle.places) {
                if seen.insert(key(particle, place)) {
                    panel.places.push((particle, place));
                }
            }
        }
    }
    find_neighbours(model.particles(), &mut panels);
    panels
}

/// Tells every panel of the triangles that its seams move.
fn find_neighbours(particles: usize, panels: &mut [Panel]) {
    let mut places_of: Vec<Vec<(usize, DVec2)>> = vec![Vec::new(); particles];
    for (k, panel) in panels.iter().enumerate() {
        for &(particle, place) in &panel.places {
            places_of[particle as usize].push((k, place));
        }
    }
    let mut found: Vec<Vec<Neighbour>> = vec![Vec::new(); panels.len()];
    for (own, panel) in panels.iter().enumerate() {
        for triangle in &panel.triangles {
            // Other places of its corners, panel by panel.
            let mut elsewhere: BTreeMap<usize, [Option<DVec2>; 3]> = BTreeMap::new();
            for corner in 0..3 {
                let here = (own, triangle.places[corner]);
                for place in &places_of[triangle.particles[corner] as usize] {
                    if *place != here {
                        elsewhere.entry(place.0).or_default()[corner] = Some(place.1);
                    }
                }
            }
            for (panel, places) in elsewhere {
                found[panel].push(Neighbour {
                    face: triangle.face,
                    particles: triangle.particles,
                    places,
                });
            }
        }
    }
    for (panel, neighbours) in panels.iter_mut().zip(found) {
        panel.neighbours = neighbours;
    }
}

/// Numbers the panels of a cloth's faces from 0, in order of their first face.
fn panel_of_faces(faces: &[[u32; 3]], rest: &[[DVec2; 3]]) -> Vec<usize> {
    // Faces are joined through corners at the same place of the same particle.
    let mut parent: Vec<usize> = (0..faces.len()).collect();
    fn root(parent: &mut [usize], mut k: usize) -> usize {
        while parent[k] != k {
            parent[k] = parent[parent[k]];
            k = parent[k];
        }
        k
    }
    let mut first = HashMap::new();
    for (k, (particles, places)) in faces.iter().zip(rest).enumerate() {
        for (particle, place) in particles.iter().zip(places) {
            let other = *first.entry(key(*particle, *place)).or_insert(k);
            let (a, b) = (root(&mut parent, k), root(&mut parent, other));
            parent[a.max(b)] = a.min(b);
        }
    }
    let mut number = HashMap::new();
    (0..faces.len())
        .map(|k| {
            let next = number.len();
            *number.entry(root(&mut parent, k)).or_insert(next)
        })
        .collect()
}

fn seen_flat(model: &Model, first_face: usize, faces: &[[u32; 3]]) -> Vec<Corners> {
    let start = |particle: u32| model.start_positions[particle as usize];
    let all = || faces.iter().flatten().map(|particle| start(*particle));
    let low = all().reduce(DVec3::min).unwrap_or_default();
    let high = all().reduce(DVec3::max).unwrap_or_default();
    let size = (high - low).to_array();
    let flattest = (0..3)
        .min_by(|a, b| size[*a].total_cmp(&size[*b]))
        .unwrap_or(1);
    let place = |particle: u32| {
        let p = start(particle).to_array();
        DVec2::new(p[(flattest + 1) % 3], p[(flattest + 2) % 3])
    };
    let corners = |(k, particles): (usize, &[u32; 3])| Corners {
        face: (first_face + k) as u32,
        particles: *particles,
        places: particles.map(place),
    };
    faces.iter().enumerate().map(corners).collect()
}
