//! The immutable model: everything that never changes during a run.

use crate::cloth::{quad, weight};
use crate::constraints::pin;
use crate::error::BuildError;
use crate::forces::Family;
use crate::forces::air::Air;
use crate::forces::wind::Wind;
use crate::spec::{ClothModel, ClothSpec, ColliderSpec, ModelSpec};
use glam::{DVec2, DVec3};
use std::ops::Range;
use std::sync::Arc;
use toile_geometry::QuadGrid;
use toile_numerics::Pattern;

/// More particles than this are refused before anything is allocated.
pub const MAX_PARTICLES: usize = 4_000_000;

/// One cloth's place in the model's arrays.
#[derive(Clone, Debug, PartialEq)]
pub struct Cloth {
    /// Name from the scene.
    pub name: String,
    /// Its particles.
    pub particles: Range<usize>,
    /// Its grid.
    pub grid: QuadGrid,
    /// Its stretch links, as an index into [`Model::families`].
    pub stretch_family: usize,
    /// Its bending links, as an index into [`Model::families`].
    pub bending_family: Option<usize>,
    /// Its faces; they index particles of the whole model.
    pub faces: Range<usize>,
    /// Distance it keeps from colliders, m.
    pub thickness_m: f64,
    /// Longest stretch link at rest, m.
    pub longest_link_m: f64,
}

/// Everything that never changes during a run.
pub struct Model {
    /// Gravity, m/s².
    pub gravity_m_per_s2: DVec3,
    /// Where particles start, m.
    pub start_positions: Vec<DVec3>,
    /// How particles start, m/s.
    pub start_velocities: Vec<DVec3>,
    /// Pattern coordinates, m.
    pub pattern_positions: Vec<DVec2>,
    /// Triangles, for output and checks.
    pub faces: Vec<[u32; 3]>,
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
    /// The cloths.
    pub cloths: Vec<Cloth>,
    /// What they meet.
    pub colliders: Vec<ColliderSpec>,
    /// Stretch and shear links, one family a cloth.
    pub stretch: Vec<Box<dyn Family>>,
    /// Bending links, at most one family a cloth.
    pub bending: Vec<Box<dyn Family>>,
    /// Which particles are coupled.
    pub matrix_pattern: Arc<Pattern>,
    /// Shortest stretch link at rest, m: the scale of a large or small motion.
    pub shortest_link_m: f64,
}

impl Model {
    /// Builds and validates a model.
    pub fn build(spec: &ModelSpec) -> Result<Self, BuildError> {
        validate(spec)?;
        let total: usize = spec.cloths.iter().map(|cloth| cloth.grid.len()).sum();
        let mut model = Self {
            gravity_m_per_s2: spec.gravity_m_per_s2,
            start_positions: Vec::with_capacity(total),
            start_velocities: Vec::with_capacity(total),
            pattern_positions: Vec::with_capacity(total),
            faces: Vec::new(),
            masses: Vec::with_capacity(total),
            coordinate_masses: Vec::new(),
            weight_norm_n: 0.0,
            air: Air::default(),
            pins: Vec::new(),
            pin_group_of: Vec::new(),
            pin_groups: Vec::new(),
            cloths: Vec::new(),
            colliders: spec.colliders.clone(),
            stretch: Vec::new(),
            bending: Vec::new(),
            matrix_pattern: Arc::new(Pattern::symmetric(0, [])),
            shortest_link_m: f64::INFINITY,
        };
        for (k, cloth) in spec.cloths.iter().enumerate() {
            model
                .add_cloth(cloth, total, spec.cloths.len())
                .map_err(|e| e.under(&format!("cloth[{k}]")))?;
        }
        model.air = Air {
            damping_per_s: spec.air.damping_per_s,
            wind: spec
                .air
                .wind
                .map(|wind| Wind::new(&wind, &model.faces, &model.pattern_positions)),
        };
        let squares: f64 = model.masses.iter().map(|m| m * m).sum();
        model.weight_norm_n = model.gravity_m_per_s2.length() * squares.sqrt();
        model.coordinate_masses = model.masses.iter().flat_map(|m| [*m; 3]).collect();
        let pairs = model
            .families()
            .flat_map(|family| family.ends().iter().copied());
        model.matrix_pattern = Arc::new(Pattern::symmetric(total, pairs));
        for family in model.stretch.iter_mut().chain(&mut model.bending) {
            family.bind(&model.matrix_pattern);
        }
        Ok(model)
    }

    /// All element families in their fixed order.
    pub fn families(&self) -> impl Iterator<Item = &dyn Family> {
        self.stretch.iter().chain(&self.bending).map(|f| &**f)
    }

    /// A family by its index in [`Model::families`].
    pub fn family(&self, index: usize) -> &dyn Family {
        let stretch = self.stretch.len();
        match index.checked_sub(stretch) {
            None => &*self.stretch[index],
            Some(bending) => &*self.bending[bending],
        }
    }

    /// Number of particles.
    pub fn particles(&self) -> usize {
        self.masses.len()
    }

    fn add_cloth(
        &mut self,
        cloth: &ClothSpec,
        total: usize,
        cloths: usize,
    ) -> Result<(), BuildError> {
        let first = self.start_positions.len();
        let grid = &cloth.grid;
        let positions = grid.positions(cloth.center, cloth.u_axis, cloth.v_axis);
        self.add_pins(cloth, &positions)?;
        let place = quad::Placement {
            grid,
            u_axis: cloth.u_axis,
            v_axis: cloth.v_axis,
            first_particle: first as u32,
        };
        let material = &cloth.material;
        let (stretch, bending): (Box<dyn Family>, Option<Box<dyn Family>>) = match cloth.model {
            ClothModel::QuadBuckling => (
                Box::new(quad::stretch_links(&place, material, total)),
                quad::bending_links(&place, material, total)?.map(|f| Box::new(f) as _),
            ),
            ClothModel::QuadHookean => (
                Box::new(quad::stretch_springs(&place, material, total)),
                quad::bending_springs(&place, material, total)?.map(|f| Box::new(f) as _),
            ),
        };
        let bending_family = bending.is_some().then(|| cloths + self.bending.len());
        self.stretch.push(stretch);
        self.bending.extend(bending);
        let spacing = grid.spacing_m();
        self.shortest_link_m = self.shortest_link_m.min(spacing.min_element());
        let faces = grid.faces();
        let first_face = self.faces.len();
        self.faces
            .extend(faces.iter().map(|f| f.map(|v| v + first as u32)));
        self.cloths.push(Cloth {
            name: cloth.name.clone(),
            grid: *grid,
            stretch_family: self.cloths.len(),
            bending_family,
            particles: first..first + grid.len(),
            faces: first_face..self.faces.len(),
            thickness_m: cloth.material.thickness_m,
            longest_link_m: spacing.length(),
        });
        self.start_velocities
            .extend(std::iter::repeat_n(cloth.velocity_m_per_s, grid.len()));
        self.pattern_positions.extend((0..grid.len()).map(|i| {
            let (column, row) = grid.cell_of(i);
            grid.pattern(column, row)
        }));
        let mut masses = quad::masses(grid, cloth.material.area_density_kg_per_m2);
        for (k, weight) in cloth.weights.iter().enumerate() {
            weight::add(weight, grid, &mut masses).map_err(|e| e.under(&format!("weight[{k}]")))?;
        }
        self.masses.extend(masses);
        self.start_positions.extend(positions);
        Ok(())
    }

    fn add_pins(&mut self, cloth: &ClothSpec, positions: &[DVec3]) -> Result<(), BuildError> {
        let first = self.start_positions.len() as u32;
        let mut pins = Vec::new();
        for (k, pin) in cloth.pins.iter().enumerate() {
            let located = |e: BuildError| e.under(&format!("pin[{k}]"));
            let chosen = pin::select(&pin.region, &cloth.grid, positions).map_err(located)?;
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
    let mut total = 0_usize;
    for (k, cloth) in spec.cloths.iter().enumerate() {
        let grid = &cloth.grid;
        if grid.columns < 2 || grid.rows < 2 {
            return error(
                format!("cloth[{k}].grid.particles"),
                "expected at least 2 × 2 particles".into(),
            );
        }
        total = total.saturating_add(grid.columns.saturating_mul(grid.rows));
        if total > MAX_PARTICLES {
            return error(
                format!("cloth[{k}].grid.particles"),
                format!("{total} particles are too many: expected at most {MAX_PARTICLES} in all"),
            );
        }
        if !(grid.size_m.is_finite() && grid.size_m.min_element() > 0.0) {
            return error(
                format!("cloth[{k}].grid.size_m"),
                "expected two positive numbers".into(),
            );
        }
        if !(cloth.center.is_finite() && cloth.velocity_m_per_s.is_finite()) {
            return error(
                format!("cloth[{k}].grid.center"),
                "expected finite numbers".into(),
            );
        }
        cloth
            .material
            .validate()
            .map_err(|e| e.under(&format!("cloth[{k}]")))?;
    }
    Ok(())
}
