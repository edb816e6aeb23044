//! From the file as written to a validated scene: defaults filled in, ranges checked.

mod body;
mod canvas;
mod character;
mod cloth;
mod collider;
pub(super) mod control;
mod course;
mod cut;
mod fabric;
mod fold;
mod generated;
pub(super) mod integrator;
mod level_set;
mod map;
mod material;
mod motion;
mod named;
mod output;
mod pin;
mod range;
mod rubbing;
mod stick;
mod timing;
mod weight;
mod wind;

use super::error::Fault;
use super::{Scene, key, raw, steps_per_frame};
use crate::fabric::{Fabric, Library};
pub(super) use fabric::fabrics;
use named::Marks;
use range::{above_zero, file_name, not_negative, within};
use std::path::Path;
use toile_sim::{
    AirSpec, ClothContact, ClothSpec, ModelSpec, Preconditioner, Response, Solve, StepConfig, Thing,
};

/// More particles than this do not fit the memory of an ordinary machine.
const MAX_PARTICLES: u64 = 4_000_000;
const MAX_FRAMES: u32 = 1_000_000;
const MAX_STEPS_PER_FRAME: f64 = 100_000.0;

/// What every check gives.
type Checked<T = ()> = Result<T, Fault>;

/// Validates `file`; `stem` is the name of a scene that does not say its own, `from_files` are the
/// fabrics of the files it lists, `folder` is where relative file names are looked for.
pub(super) fn scene(
    mut file: raw::File,
    stem: &str,
    from_files: &[Fabric],
    folder: &Path,
) -> Checked<Scene> {
    let root = key::Path::default();
    let name = file.name.get_or_insert_with(|| stem.to_owned()).clone();
    file_name(&root.with("name"), &name)?;
    above_zero(&root.with("fps"), file.fps)?;
    within(
        &root.with("frames"),
        f64::from(file.frames),
        1.0..=f64::from(MAX_FRAMES),
    )?;
    let mut config = config(&file.solver, file.fps)?;
    not_negative(&root.with("air_damping_per_s"), file.air_damping_per_s)?;
    let wind = match &file.wind {
        Some(wind) => Some(wind::spec(&root.with("wind"), wind)?),
        None => None,
    };
    refuse_too_many_particles(&file.cloth)?;
    name_cloths(&mut file.cloth)?;
    rubbing::name_colliders(&mut file)?;
    fabrics(&file.fabric)?;
    let library = Library {
        own: &file.fabric,
        files: from_files,
    };
    let context = cloth::Context { library, folder };
    let known = file
        .cloth
        .iter_mut()
        .enumerate()
        .map(|(i, c)| cloth::spec(&root.with("cloth").with(i), c, context))
        .collect::<Checked<Vec<_>>>()?;
    let (mut cloths, mut marks, mut notes) = (Vec::new(), Vec::new(), Vec::new());
    for cloth::Known {
        cloth,
        marks: own,
        notes: said,
    } in known
    {
        cloths.push(cloth);
        marks.push(own);
        notes.extend(said);
    }
    let first = library.find(&file.cloth[0].fabric);
    let friction = first.map_or(0.0, |fabric| fabric.friction);
    let fabric_of = |cloth: &raw::Cloth| library.find(&cloth.fabric);
    let unsaid = rubbing::Unsaid {
        of_cloths: (file.cloth.iter())
            .map(|cloth| fabric_of(cloth).map_or(0.0, |fabric| fabric.friction))
            .collect(),
        on_cloth: file.contact.friction.is_none(),
        on_colliders: (file.collider.iter())
            .map(|collider| collider.friction.is_none())
            .collect(),
    };
    let on_cloth = *file.contact.friction.get_or_insert(friction);
    range::friction(&root.with("contact").with("friction"), on_cloth)?;
    config.contact = file
        .contact
        .cloth
        .then_some(ClothContact { friction: on_cloth });
    config.untangle = file.contact.untangle;
    config.response = response(&root.with("contact"), &file.contact)?;
    let used = fabric::used(library, &file.cloth);
    file.fabric.extend(used);
    file.fabric_files.clear();
    let context = body::Context {
        folder,
        fps: file.fps,
        frames: file.frames,
        friction,
        mannequins: &Default::default(),
    };
    let (mut colliders, mut bodies, mut things) = (Vec::new(), Vec::new(), Vec::new());
    for (i, collider) in file.collider.iter_mut().enumerate() {
        let path = root.with("collider").with(i);
        if collider.shape.is_body() {
            let body::Known {
                body,
                marks: own,
                notes: said,
            } = body::spec(&path, collider, &context)?;
            notes.extend(said);
            marks.push(own);
            if level_set::is_meant(collider) {
                let (solid, said) = level_set::spec(&path, body, collider, &context)?;
                things.push(Thing::Collider(colliders.len()));
                colliders.push(solid);
                notes.extend(said);
            } else {
                level_set::refuse(&path, collider)?;
                things.push(Thing::Body(bodies.len()));
                bodies.push(body);
            }
        } else {
            marks.push(Marks::default());
            things.push(Thing::Collider(colliders.len()));
            colliders.push(collider::spec(&path, collider, friction)?);
        }
    }
    if config.contact.is_some() || !bodies.is_empty() {
        refuse_too_thin(&root.with("cloth"), &cloths)?;
    }
    let known = stick::Known {
        things: &things,
        marks: &marks,
        folder,
    };
    stick::look_up(&mut file, &known, &mut cloths)?;
    let friction = rubbing::pairs(&mut file, &things, &unsaid)?;
    let particles = cloths.iter().map(ClothSpec::particles).sum();
    Ok(Scene {
        name,
        fps: file.fps,
        frames: file.frames,
        max_step_s: file.solver.max_step_s,
        verify: file.solver.verify,
        model: ModelSpec {
            gravity_m_per_s2: file.gravity_m_per_s2.into(),
            air: AirSpec {
                damping_per_s: file.air_damping_per_s,
                wind,
            },
            cloths,
            colliders,
            bodies,
            friction,
            ..ModelSpec::default()
        },
        config,
        output: output::spec(&root.with("output"), &file.output, particles)?,
        notes,
        resolved: file,
    })
}

/// Least thickness of cloth that meets anything, m: contact is not finer than that.
const LEAST_THICKNESS_M: f64 = 1e-6;

fn refuse_too_thin(path: &key::Path, cloths: &[ClothSpec]) -> Checked {
    for (k, cloth) in cloths.iter().enumerate() {
        let found = cloth.material.thickness_m;
        if found < LEAST_THICKNESS_M {
            let path = path.with(k).with("material").with("thickness_m");
            let message = format!(
                "expected at least {LEAST_THICKNESS_M:e} m where cloth meets cloth or bodies, \
                 found {found}"
            );
            return Err(Fault::new(path, message));
        }
    }
    Ok(())
}

fn response(path: &key::Path, contact: &raw::Contact) -> Checked<Response> {
    let (path, restitution) = (path.with("restitution"), contact.restitution);
    within(&path, restitution, 0.0..=1.0)?;
    match contact.response {
        raw::Response::Impulses => Ok(Response::Impulses { restitution }),
        raw::Response::Solver if restitution == 0.0 => Ok(Response::Solver),
        raw::Response::Particles if restitution == 0.0 => Ok(Response::Particles),
        raw::Response::Solver | raw::Response::Particles => {
            let message = format!("{restitution} is only for impulses: the solver gives none back");
            Err(Fault::new(path, message).help("set `contact.response = \"impulses\"`"))
        }
    }
}

fn config(solver: &raw::Solver, fps: f64) -> Checked<StepConfig> {
    let path = key::Path::default().with("solver");
    above_zero(&path.with("max_step_s"), solver.max_step_s)?;
    let steps = steps_per_frame(fps, solver.max_step_s);
    if steps > MAX_STEPS_PER_FRAME {
        let message = format!(
            "{} s needs {steps:e} steps a frame, expected at most {MAX_STEPS_PER_FRAME}",
            solver.max_step_s
        );
        return Err(Fault::new(path.with("max_step_s"), message));
    }
    for (key, tolerance) in [
        ("linear_tolerance", solver.linear_tolerance),
        ("newton_tolerance", solver.newton_tolerance),
    ] {
        if !(tolerance > 0.0 && tolerance < 1.0) {
            let message = format!("expected a number between 0 and 1, found {tolerance}");
            return Err(Fault::new(path.with(key), message));
        }
    }
    for (key, count) in [
        ("linear_max_iterations", solver.linear_max_iterations),
        ("newton_max_iterations", solver.newton_max_iterations),
    ] {
        above_zero(&path.with(key), f64::from(count))?;
    }
    above_zero(&path.with("max_stretch_step"), solver.max_stretch_step)?;
    let strain_limit = solver.strain_limit.as_ref();
    let adaptive = solver.adaptive.as_ref();
    Ok(StepConfig {
        integrator: integrator::chosen(&path, solver)?,
        solve: match solver.solve {
            raw::Solve::Auto => Solve::Auto,
            raw::Solve::Once => Solve::Once,
            raw::Solve::Newton => Solve::Newton,
        },
        preconditioner: match solver.preconditioner {
            raw::Preconditioner::Multilevel => Preconditioner::Multilevel,
            raw::Preconditioner::BlockDiagonal => Preconditioner::BlockDiagonal,
            raw::Preconditioner::Diagonal => Preconditioner::Diagonal,
            raw::Preconditioner::None => Preconditioner::None,
            raw::Preconditioner::IncompleteCholesky => Preconditioner::IncompleteCholesky,
            raw::Preconditioner::IncompleteLu => Preconditioner::IncompleteLu,
            raw::Preconditioner::Direct => Preconditioner::Direct,
        },
        linear_tolerance: solver.linear_tolerance,
        linear_max_iterations: solver.linear_max_iterations,
        newton_tolerance: solver.newton_tolerance,
        newton_max_iterations: solver.newton_max_iterations,
        strain_limit: strain_limit
            .map(|limit| control::strain_limit(&path.with("strain_limit"), limit))
            .transpose()?,
        adaptive: adaptive
            .map(|chosen| control::adaptive(&path.with("adaptive"), chosen, solver.max_step_s))
            .transpose()?,
        max_stretch_step: solver.max_stretch_step,
        contact: None,
        response: Response::default(),
        untangle: true,
    })
}

/// Counts particles before anything is allocated for them.
fn refuse_too_many_particles(cloths: &[raw::Cloth]) -> Checked {
    let path = key::Path::default().with("cloth");
    if cloths.is_empty() {
        return Err(Fault::new(path, "missing key").help(
            "a scene needs at least one `[[cloth]]` with a `grid`, a `mesh` or another shape",
        ));
    }
    let mut total = 0_u64;
    for (i, cloth) in cloths.iter().enumerate() {
        let counted = [
            ("grid", cloth.grid.as_ref().map(|grid| grid.particles)),
            ("tube", cloth.tube.as_ref().map(|tube| tube.particles)),
            (
                "ribbon",
                cloth.ribbon.as_ref().map(|ribbon| ribbon.particles),
            ),
        ];
        let given = counted
            .iter()
            .find_map(|(key, count)| Some((*key, (*count)?)));
        let Some((shape, [columns, rows])) = given else {
            continue;
        };
        let count = u64::from(columns) * u64::from(rows);
        total = total.saturating_add(count);
        if total > MAX_PARTICLES {
            let message = format!(
                "{columns} × {rows} makes {total} particles in all, expected at most \
                 {MAX_PARTICLES}"
            );
            let path = path.with(i).with(shape).with("particles");
            return Err(Fault::new(path, message));
        }
    }
    Ok(())
}

fn name_cloths(cloths: &mut [raw::Cloth]) -> Checked {
    for i in 0..cloths.len() {
        let path = key::Path::default().with("cloth").with(i).with("name");
        let default = || match i {
            0 => "cloth".to_owned(),
            _ => format!("cloth-{}", i + 1),
        };
        let name = cloths[i].name.get_or_insert_with(default).clone();
        file_name(&path, &name)?;
        if cloths[..i].iter().any(|c| c.name.as_ref() == Some(&name)) {
            let message = format!("found \"{name}\" again, expected a name no other cloth has");
            return Err(Fault::new(path, message));
        }
    }
    Ok(())
}
