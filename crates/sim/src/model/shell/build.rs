//! How a cloth becomes a part of a model.

use crate::error::BuildError;
use crate::forces::LinkFamily;
use crate::model::build::{Builder, Part};
use crate::model::deformable::{GridOfLinks, Kind, Shell, Structure};
use crate::model::shell::keyed::KeyedShell;
use crate::model::shell::outline::Outline;
use crate::model::shell::{quad, triangles, weight};
use crate::model::spec::{Bending, ClothModel, ClothSpec, Cut, Membrane, Sheet};
use std::sync::Arc;
use toile_geometry::Surface;

/// A cloth's faces, masses and structure, numbered from its own first particle.
struct Built {
    faces: Vec<[u32; 3]>,
    shell: Shell,
    masses: Vec<f64>,
    /// The shortest and the longest link at rest, m.
    lengths_m: [f64; 2],
}

impl Builder {
    /// Adds a cloth, its pins and its weights.
    pub fn add_cloth(&mut self, cloth: &ClothSpec) -> Result<(), BuildError> {
        let built = match (&cloth.cut, cloth.model) {
            (Cut::Sheet(sheet), ClothModel::Triangles(membrane, bending)) => {
                self.add_triangles(cloth, &sheet.surface(), (membrane, bending))?
            }
            (Cut::Mesh(surface), ClothModel::Triangles(membrane, bending)) => {
                self.add_triangles(cloth, surface, (membrane, bending))?
            }
            (Cut::Sheet(sheet), _) => self.add_links(cloth, sheet)?,
            (Cut::Mesh(_), _) => {
                return Err(BuildError {
                    key: "model".into(),
                    message: "links need a grid: expected a model of triangles, such as \
                              \"triangle-buckling\", for a mesh"
                        .into(),
                });
            }
        };
        let Built {
            faces,
            shell,
            mut masses,
            lengths_m,
        } = built;
        let positions = cloth.positions();
        self.add_pins(&cloth.pins, &shell.pattern, &positions)?;
        let outline = Outline::of(&faces, &shell.rest, &shell.pattern);
        for (k, weight) in cloth.weights.iter().enumerate() {
            weight::add(weight, &outline, &mut masses)
                .map_err(|e| e.under(&format!("weight[{k}]")))?;
        }
        self.add(Part {
            name: cloth.name.clone(),
            kind: Kind::Shell(shell),
            positions,
            velocity_m_per_s: cloth.velocity_m_per_s,
            masses,
            faces,
            lone_edges: Vec::new(),
            thickness_m: cloth.material.thickness_m,
            lengths_m,
        });
        Ok(())
    }

    fn add_links(&mut self, cloth: &ClothSpec, sheet: &Sheet) -> Result<Built, BuildError> {
        let grid = &sheet.grid;
        let total = self.total;
        let place = quad::Placement {
            grid,
            u_axis: sheet.u_axis,
            v_axis: sheet.v_axis,
            first_particle: self.first_particle(),
        };
        let material = &cloth.material;
        let (stretch, bending): (Arc<dyn LinkFamily>, Option<Arc<dyn LinkFamily>>) =
            if cloth.model == ClothModel::QuadHookean {
                (
                    Arc::new(quad::stretch_springs(&place, material, total)),
                    quad::bending_springs(&place, material, total)?.map(|f| Arc::new(f) as _),
                )
            } else {
                (
                    Arc::new(quad::stretch_links(&place, material, total)),
                    quad::bending_links(&place, material, total)?.map(|f| Arc::new(f) as _),
                )
            };
        let materials = &mut self.materials;
        let links = GridOfLinks {
            grid: *grid,
            stretch: materials.stretch.len(),
            bending: bending.is_some().then_some(materials.bending.len()),
        };
        materials.stretch.push(stretch);
        materials.bending.extend(bending);
        let spacing = grid.spacing_m();
        let Surface { mesh, rest } = sheet.surface();
        let cells = (0..grid.len()).map(|i| grid.cell_of(i));
        Ok(Built {
            faces: mesh.faces,
            shell: Shell {
                structure: Structure::Links(links),
                pattern: cells
                    .map(|(column, row)| grid.pattern(column, row))
                    .collect(),
                rest,
            },
            masses: quad::masses(grid, material.area_density_kg_per_m2),
            lengths_m: [spacing.min_element(), spacing.length()],
        })
    }

    fn add_triangles(
        &mut self,
        cloth: &ClothSpec,
        surface: &Surface,
        (membrane, bending): (Membrane, Bending),
    ) -> Result<Built, BuildError> {
        surface.validate().map_err(triangles::refused)?;
        let first_particle = self.first_particle();
        let total = self.total;
        let place = triangles::Placement {
            surface,
            cloth,
            time_s: 0.0,
            first_particle,
            total,
        };
        let masses = place.masses();
        if let Some(particle) = masses.iter().position(|m| !(m.is_finite() && *m > 0.0)) {
            return Err(BuildError {
                key: "mesh".into(),
                message: format!(
                    "particle {particle} has no mass: expected every vertex to have a face, and \
                     every face a mass"
                ),
            });
        }
        let pattern = place.pattern();
        let at_rest = cloth.at_rest(surface, 0.0);
        let place = triangles::Placement {
            surface: &at_rest,
            ..place
        };
        let families = place.families(membrane, bending)?;
        let materials = &mut self.materials;
        let first = (materials.elements.len(), materials.edges.len());
        materials.elements.extend(families);
        let edges = place.edges();
        let lengths = edges.iter().map(|edge| edge.rest_length_m);
        let lengths_m = [
            lengths.clone().fold(f64::INFINITY, f64::min),
            lengths.fold(0.0, f64::max),
        ];
        materials.edges.extend(edges);
        if cloth.changes() {
            materials
                .keyed
                .push(cloth.courses().map(|scalar| scalar.start).collect());
            self.model.keyed.push(KeyedShell {
                cloth: Arc::new(cloth.clone()),
                number: self.model.deformables.len(),
                surface: Arc::new(surface.clone()),
                energies: (membrane, bending),
                first_particle,
                elements: first.0..materials.elements.len(),
                edges: first.1..materials.edges.len(),
                memory: Vec::new(),
            });
        }
        Ok(Built {
            faces: surface.mesh.faces.clone(),
            shell: Shell {
                structure: Structure::Triangles { membrane: first.0 },
                pattern,
                rest: surface.rest.clone(),
            },
            masses,
            lengths_m,
        })
    }
}
