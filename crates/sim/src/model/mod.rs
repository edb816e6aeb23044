//! The model: everything that does not move, and never changes during a run. What it is made of at a time is
//! beside it ([`Materials`]).

pub mod keyed;
pub mod material;
pub mod materials;
pub mod shell;
pub mod spec;

pub use materials::Materials;

use crate::bodies::BodySpec;
use crate::constraints::pin;
use crate::constraints::stick::{self, Bond, Stick};
use crate::error::BuildError;
use crate::forces::LinkFamily;
use crate::forces::air::Air;
use crate::forces::wind::Wind;
use crate::model::shell::keyed::KeyedShell;
use crate::model::shell::outline::Outline;
use crate::model::shell::triangles;
use crate::model::shell::{quad, weight};
use crate::model::spec::{
    Bending, ClothModel, ClothSpec, ColliderSpec, Cut, Membrane, ModelSpec, PairFriction, Sheet,
    Thing,
};
use glam::{DVec2, DVec3};
use std::ops::Range;
use std::sync::Arc;
use toile_geometry::{QuadGrid, Surface};
use toile_numerics::Pattern;

/// More particles than this are refused before anything is allocated.
pub const MAX_PARTICLES: usize = 4_000_000;

/// Particles from which on a step is worth the whole attention of all threads.
const ATTENTIVE_PARTICLES: usize = 2000;

/// One cloth's place in the model's arrays.
#[derive(Clone, Debug, PartialEq)]
pub struct Cloth {
    /// Name from the scene.
    pub name: String,
    /// Its particles.
    pub particles: Range<usize>,
    /// What holds its particles together.
    pub structure: Structure,
    /// Its faces; they index particles of the whole model.
    pub faces: Range<usize>,
    /// Distance it keeps from colliders, m.
    pub thickness_m: f64,
    /// Longest stretch link at rest, m.
    pub longest_link_m: f64,
}

/// What holds the particles of a cloth together.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Structure {
    /// Links on a grid.
    Links(GridOfLinks),
    /// Triangles.
    Triangles {
        /// The family of its membrane, as an index into [`Model::elements`].
        membrane: usize,
    },
}

/// Where the links of a cloth on a grid are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GridOfLinks {
    /// Its particles.
    pub grid: QuadGrid,
    /// Its stretch links, as an index into [`Model::stretch`].
    pub stretch: usize,
    /// Its bending links, as an index into [`Model::bending`].
    pub bending: Option<usize>,
}

/// Everything that never changes during a run.
#[derive(Clone)]
pub struct Model {
    /// Gravity, m/s².
    pub gravity_m_per_s2: DVec3,
    /// Where particles start, m.
    pub start_positions: Vec<DVec3>,
    /// How particles start, m/s.
    pub start_velocities: Vec<DVec3>,
    /// Pattern coordinates, m; of a particle on a seam, those on one of its panels.
    pub pattern_positions: Vec<DVec2>,
    /// Triangles.
    pub faces: Vec<[u32; 3]>,
    /// Pattern coordinates of every triangle's corners, m.
    pub rest: Vec<[DVec2; 3]>,
    /// Mass of every particle, kg.
    pub masses: Vec<f64>,
    /// Mass of every coordinate, kg: each particle's three times.
    pub coordinate_masses: Vec<f64>,
    /// What they move through.
    pub air: Air,
    /// Euclidean norm of all particles' weights, N.
    pub weight_norm_n: f64,
    /// Pinned particles, ascending.
    pub pins: Vec<u32>,
    /// The pin each of them belongs to, as an index into [`Model::pin_groups`].
    pub pin_group_of: Vec<u32>,
    /// The pins of all cloths.
    pub pin_groups: Vec<pin::Group>,
    /// How particles stick to things, and what they are fastened with.
    pub sticks: Vec<Stick>,
    /// Particles that are fastened from the start, ascending.
    pub fastened: Vec<Bond>,
    /// The cloths.
    pub cloths: Vec<Cloth>,
    /// What they meet.
    pub colliders: Vec<ColliderSpec>,
    /// Solids made of triangles that they meet.
    pub bodies: Vec<BodySpec>,
    /// Friction of pairs that have their own.
    pub friction: Vec<PairFriction>,
    /// What it is made of where it starts.
    pub materials: Arc<Materials>,
    /// Shells whose material changes over time.
    pub(crate) keyed: Vec<KeyedShell>,
    /// How many numbers the elements remember from step to step.
    pub memory: usize,
    /// Which particles are coupled.
    pub matrix_pattern: Arc<Pattern>,
    /// Shortest stretch link at rest, m: the scale of a large or small motion.
    pub shortest_link_m: f64,
}

impl Model {
    /// Builds and validates a model.
    pub fn build(spec: &ModelSpec) -> Result<Self, BuildError> {
        validate(spec)?;
        let total: usize = spec.cloths.iter().map(ClothSpec::particles).sum();
        let mut model = Self {
            gravity_m_per_s2: spec.gravity_m_per_s2,
            start_positions: Vec::with_capacity(total),
            start_velocities: Vec::with_capacity(total),
            pattern_positions: Vec::with_capacity(total),
            faces: Vec::new(),
            rest: Vec::new(),
            masses: Vec::with_capacity(total),
            coordinate_masses: Vec::new(),
            weight_norm_n: 0.0,
            air: Air::default(),
            pins: Vec::new(),
            pin_group_of: Vec::new(),
            pin_groups: Vec::new(),
            sticks: Vec::new(),
            fastened: Vec::new(),
            cloths: Vec::new(),
            colliders: spec.colliders.clone(),
            bodies: spec.bodies.clone(),
            friction: spec.friction.clone(),
            materials: Arc::default(),
            keyed: Vec::new(),
            memory: 0,
            matrix_pattern: Arc::new(Pattern::symmetric(0, [])),
            shortest_link_m: f64::INFINITY,
        };
        let mut materials = Materials::default();
        for (k, cloth) in spec.cloths.iter().enumerate() {
            model
                .add_cloth(cloth, total, &mut materials)
                .map_err(|e| e.under(&format!("cloth[{k}]")))?;
        }
        model.air = Air {
            damping_per_s: spec.air.damping_per_s,
            wind: spec
                .air
                .wind
                .map(|wind| Wind::new(&wind, total, &model.faces, &model.rest)),
        };
        let squares: f64 = model.masses.iter().map(|m| m * m).sum();
        model.weight_norm_n = model.gravity_m_per_s2.length() * squares.sqrt();
        model.coordinate_masses = model.masses.iter().flat_map(|m| [*m; 3]).collect();
        let mut pairs = Vec::new();
        for family in materials.families() {
            family.for_each_coupling(&mut |pair| pairs.push(pair));
        }
        let pattern = Arc::new(Pattern::symmetric(total, pairs));
        for family in materials.stretch.iter_mut().chain(&mut materials.bending) {
            unshared(family).bind(&pattern);
        }
        for (k, family) in materials.elements.iter_mut().enumerate() {
            let family = unshared(family);
            family.bind(&pattern);
            for shell in &mut model.keyed {
                shell.learn_memory(k, model.memory);
            }
            model.memory += family.claim_memory(model.memory);
        }
        model.matrix_pattern = pattern;
        materials.friction = model.friction_at(0.0);
        model.materials = Arc::new(materials);
        model.try_times()?;
        stick::add_all(&mut model, &spec.cloths)?;
        Ok(model)
    }

    /// What elements remember at the start.
    pub fn start_memory(&self) -> Vec<f64> {
        let mut memory = vec![0.0; self.memory];
        for family in self.materials.families() {
            family.forget(&mut memory);
        }
        self.materials.remember(&self.start_positions, &mut memory);
        memory
    }

    /// Number of particles.
    pub fn particles(&self) -> usize {
        self.masses.len()
    }

    /// Whether steps are worth the attention of all threads, which costs to get.
    pub(crate) fn deserves_attention(&self) -> bool {
        self.particles() >= ATTENTIVE_PARTICLES
    }

    /// The cloth that a particle belongs to.
    pub fn cloth_of(&self, particle: u32) -> usize {
        let ends_before = |cloth: &Cloth| cloth.particles.end <= particle as usize;
        self.cloths.partition_point(ends_before)
    }

    /// Number of vertices of all bodies; in contact they are numbered after the particles.
    pub fn body_vertices(&self) -> usize {
        self.bodies.iter().map(BodySpec::vertices).sum()
    }

    /// What it is made of at a time; where that cannot be simulated, what it starts as.
    pub fn materials_at(&self, time_s: f64) -> Arc<Materials> {
        self.materials
            .at(self, time_s)
            .unwrap_or_else(|_| self.materials.clone())
    }

    /// Friction of pairs that have their own, at a time.
    pub(crate) fn friction_at(&self, time_s: f64) -> Vec<([Thing; 2], f64)> {
        let pairs = self.friction.iter();
        pairs
            .map(|pair| (pair.between, pair.friction.at(time_s)))
            .collect()
    }

    fn add_cloth(
        &mut self,
        cloth: &ClothSpec,
        total: usize,
        materials: &mut Materials,
    ) -> Result<(), BuildError> {
        let first = self.start_positions.len();
        let built = match (&cloth.cut, cloth.model) {
            (Cut::Sheet(sheet), ClothModel::Triangles(membrane, bending)) => self.add_triangles(
                cloth,
                &sheet.surface(),
                (membrane, bending),
                total,
                materials,
            )?,
            (Cut::Mesh(surface), ClothModel::Triangles(membrane, bending)) => {
                self.add_triangles(cloth, surface, (membrane, bending), total, materials)?
            }
            (Cut::Sheet(sheet), _) => self.add_links(cloth, sheet, total, materials)?,
            (Cut::Mesh(_), _) => {
                return Err(BuildError {
                    key: "model".into(),
                    message: "links need a grid: expected a model of triangles, such as \
                              \"triangle-buckling\", for a mesh"
                        .into(),
                });
            }
        };
        let positions = cloth.positions();
        self.add_pins(cloth, &built.pattern, &positions)?;
        let mut masses = built.masses;
        let outline = Outline::of(&built.faces, &built.rest, &built.pattern);
        for (k, weight) in cloth.weights.iter().enumerate() {
            weight::add(weight, &outline, &mut masses)
                .map_err(|e| e.under(&format!("weight[{k}]")))?;
        }
        let first_face = self.faces.len();
        let faces = built.faces.iter().map(|f| f.map(|v| v + first as u32));
        self.faces.extend(faces);
        self.cloths.push(Cloth {
            name: cloth.name.clone(),
            structure: built.structure,
            particles: first..first + positions.len(),
            faces: first_face..self.faces.len(),
            thickness_m: cloth.material.thickness_m,
            longest_link_m: built.longest_link_m,
        });
        self.rest.extend(built.rest);
        self.pattern_positions.extend(built.pattern);
        self.masses.extend(masses);
        self.start_velocities
            .extend(std::iter::repeat_n(cloth.velocity_m_per_s, positions.len()));
        self.start_positions.extend(positions);
        Ok(())
    }

    fn add_links(
        &mut self,
        cloth: &ClothSpec,
        sheet: &Sheet,
        total: usize,
        materials: &mut Materials,
    ) -> Result<Built, BuildError> {
        let grid = &sheet.grid;
        let place = quad::Placement {
            grid,
            u_axis: sheet.u_axis,
            v_axis: sheet.v_axis,
            first_particle: self.start_positions.len() as u32,
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
        let links = GridOfLinks {
            grid: *grid,
            stretch: materials.stretch.len(),
            bending: bending.is_some().then_some(materials.bending.len()),
        };
        materials.stretch.push(stretch);
        materials.bending.extend(bending);
        let spacing = grid.spacing_m();
        self.shortest_link_m = self.shortest_link_m.min(spacing.min_element());
        let Surface { mesh, rest } = sheet.surface();
        Ok(Built {
            faces: mesh.faces,
            rest,
            pattern: (0..grid.len())
                .map(|i| {
                    let (column, row) = grid.cell_of(i);
                    grid.pattern(column, row)
                })
                .collect(),
            masses: quad::masses(grid, material.area_density_kg_per_m2),
            structure: Structure::Links(links),
            longest_link_m: spacing.length(),
        })
    }

    fn add_triangles(
        &mut self,
        cloth: &ClothSpec,
        surface: &Surface,
        (membrane, bending): (Membrane, Bending),
        total: usize,
        materials: &mut Materials,
    ) -> Result<Built, BuildError> {
        surface.validate().map_err(triangles::refused)?;
        let first_particle = self.start_positions.len() as u32;
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
        let first = (materials.elements.len(), materials.edges.len());
        let families = place.families(membrane, bending)?;
        materials.elements.extend(families);
        let edges = place.edges();
        let lengths = edges.iter().map(|edge| edge.rest_length_m);
        self.shortest_link_m = lengths.clone().fold(self.shortest_link_m, f64::min);
        let longest_link_m = lengths.fold(0.0, f64::max);
        materials.edges.extend(edges);
        if cloth.changes() {
            materials
                .keyed
                .push(cloth.courses().map(|scalar| scalar.start).collect());
            self.keyed.push(KeyedShell {
                cloth: Arc::new(cloth.clone()),
                number: self.cloths.len(),
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
            rest: surface.rest.clone(),
            pattern,
            masses,
            structure: Structure::Triangles { membrane: first.0 },
            longest_link_m,
        })
    }

    fn add_pins(
        &mut self,
        cloth: &ClothSpec,
        pattern: &[DVec2],
        positions: &[DVec3],
    ) -> Result<(), BuildError> {
        let first = self.start_positions.len() as u32;
        let mut pins = Vec::new();
        for (k, pin) in cloth.pins.iter().enumerate() {
            let located = |e: BuildError| e.under(&format!("pin[{k}]"));
            let chosen = pin::select(&pin.region, pattern, positions).map_err(located)?;
            let group = self.pin_groups.len() as u32;
            pins.extend(chosen.iter().map(|i| (i + first, group)));
            self.pin_groups
                .push(pin::Group::new(pin, &chosen, positions).map_err(located)?);
        }
        pins.sort_unstable();
        pins.dedup_by_key(|(particle, _)| *particle);
        self.pins.extend(pins.iter().map(|(particle, _)| *particle));
        self.pin_group_of
            .extend(pins.iter().map(|(_, group)| *group));
        Ok(())
    }
}

/// A family while the model is built.
pub(crate) fn unshared<T: ?Sized>(family: &mut Arc<T>) -> &mut T {
    Arc::get_mut(family).expect("nothing else has a family that was just made")
}

/// A cloth's share of the model's arrays, numbered from its own first particle.
struct Built {
    faces: Vec<[u32; 3]>,
    rest: Vec<[DVec2; 3]>,
    pattern: Vec<DVec2>,
    masses: Vec<f64>,
    structure: Structure,
    longest_link_m: f64,
}

/// Refuses what cannot be simulated, before anything is allocated.
fn validate(spec: &ModelSpec) -> Result<(), BuildError> {
    let error = |key: String, message: String| Err(BuildError { key, message });
    if spec.cloths.is_empty() {
        return error("cloth".into(), "expected at least one cloth".into());
    }
    if !spec.gravity_m_per_s2.is_finite() {
        return error("gravity_m_per_s2".into(), "expected finite numbers".into());
    }
    let damping = spec.air.damping_per_s;
    if !(damping.is_finite() && damping >= 0.0) {
        return error(
            "air_damping_per_s".into(),
            "expected a number of at least 0".into(),
        );
    }
    if let Some(wind) = &spec.air.wind {
        wind.validate()?;
    }
    for (k, collider) in spec.colliders.iter().enumerate() {
        collider
            .validate()
            .map_err(|e| e.under(&format!("collider[{k}]")))?;
    }
    for (k, body) in spec.bodies.iter().enumerate() {
        body.validate()
            .map_err(|e| e.under(&format!("body[{k}]")))?;
    }
    for (k, pair) in spec.friction.iter().enumerate() {
        pair.validate(spec)
            .map_err(|e| e.under(&format!("contact.pair[{k}]")))?;
    }
    let mut total = 0_usize;
    for (k, cloth) in spec.cloths.iter().enumerate() {
        if let Cut::Sheet(sheet) = &cloth.cut {
            validate_sheet(sheet).map_err(|e| e.under(&format!("cloth[{k}]")))?;
        }
        total = total.saturating_add(cloth.particles());
        if total > MAX_PARTICLES {
            return error(
                format!("cloth[{k}].{}.particles", cut_key(&cloth.cut)),
                format!("{total} particles are too many: expected at most {MAX_PARTICLES} in all"),
            );
        }
        if !cloth.velocity_m_per_s.is_finite() {
            return error(
                format!("cloth[{k}].velocity_m_per_s"),
                "expected finite numbers".into(),
            );
        }
        let valid = cloth.material.validate().and(cloth.validate_courses());
        valid.map_err(|e| e.under(&format!("cloth[{k}]")))?;
    }
    Ok(())
}

fn cut_key(cut: &Cut) -> &'static str {
    match cut {
        Cut::Sheet(_) => "grid",
        Cut::Mesh(_) => "mesh",
    }
}

fn validate_sheet(sheet: &Sheet) -> Result<(), BuildError> {
    let error = |key: &str, message: &str| {
        Err(BuildError {
            key: format!("grid.{key}"),
            message: message.into(),
        })
    };
    let grid = &sheet.grid;
    if grid.columns < 2 || grid.rows < 2 {
        return error("particles", "expected at least 2 × 2 particles");
    }
    if !(grid.size_m.is_finite() && grid.size_m.min_element() > 0.0) {
        return error("size_m", "expected two positive numbers");
    }
    if !sheet.center.is_finite() {
        return error("center", "expected finite numbers");
    }
    Ok(())
}
