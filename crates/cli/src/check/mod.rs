//! `toile check`: the exact intersection test of meshes as they are written.

mod input;
mod verdict;
mod weld;

use crate::exit::{self, Failure, Outcome};
use clap::Args;
use glam::DVec3;
use input::Input;
use rayon::prelude::*;
use serde_json::json;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use toile::geometry::TriMesh;
use toile::geometry::intersections::{Findings, intersections_between, self_intersections};
use toile::io::formats::UpAxis;
use toile::run::evidence::{self, Evidence};
use toile::run::{RunError, threads};
use verdict::{Checked, Verdict};

/// Pairs that are named; all are counted.
const NAMED_PAIRS: usize = 10;

/// `toile check`.
#[derive(Args, Debug)]
#[command(
    after_help = "Coordinates are those in the files: OBJ, PLY and NPZ in double precision \
    where they have it, the others in single precision. Faces are counted from 0; those of more \
    than three corners are fans of triangles, each counted. Touching counts as meeting, also where \
    two vertices lie in one place, unless --weld makes one of them."
)]
pub struct CheckArgs {
    /// Meshes (OBJ, PLY), caches (GLB, PC2, MDD, NPZ, USDA), numbered files as NAME.obj or
    /// NAME_####.obj, or folders of them; every frame is checked
    #[arg(required = true, value_name = "MESH")]
    meshes: Vec<PathBuf>,
    /// Also check against this: one mesh for all frames, or a sequence of as many
    #[arg(long, value_name = "MESH")]
    against: Option<PathBuf>,
    /// The mesh that point caches move, if it does not lie beside them
    #[arg(long, value_name = "MESH")]
    topology: Option<PathBuf>,
    /// Take vertices for one that lie in one place in the first frame and stay together: for files
    /// split along seams
    #[arg(long)]
    weld: bool,
    /// Draw the worst place, if there is one
    #[arg(long, value_name = "FILE.png", value_parser = png)]
    picture: Option<PathBuf>,
    /// Threads to use; results do not depend on it [default: all]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// Print the findings as JSON
    #[arg(long)]
    json: bool,
}

fn png(name: &str) -> Result<PathBuf, &'static str> {
    let path = PathBuf::from(name);
    let ending = path.extension().unwrap_or_default();
    if ending.eq_ignore_ascii_case("png") {
        Ok(path)
    } else {
        Err("expected a name that ends in .png")
    }
}

/// Checks every mesh; the answer is yes only if all are clean.
pub fn check(args: &CheckArgs) -> Outcome {
    threads::with(args.threads, |threads| check_on(args, threads))?
}

fn check_on(args: &CheckArgs, threads: usize) -> Outcome {
    let mut inputs = Input::find(&args.meshes, args.topology.as_deref())?;
    // Better now than after the whole check.
    let folder = args.picture.as_deref().and_then(Path::parent);
    if let Some(folder) = folder.filter(|f| !f.as_os_str().is_empty() && !f.is_dir()) {
        let folder = folder.display();
        return Err(Failure::input(format!(
            "--picture: there is no folder {folder}"
        )));
    }
    let mut against = args.against.as_deref().map(Against::open).transpose()?;
    let mut verdicts: Vec<(usize, Verdict)> = Vec::new();
    for (k, input) in inputs.iter_mut().enumerate() {
        if args.weld {
            input.weld()?;
        }
        let found = check_input(input, against.as_mut(), threads)?;
        verdicts.extend(found.into_iter().map(|verdict| (k, verdict)));
    }
    let clean = verdicts.iter().all(|(_, verdict)| verdict.is_clean());
    let worst = worst(&verdicts);
    if args.json {
        print_json(&verdicts, worst, clean);
    } else {
        verdicts.iter().for_each(|(_, verdict)| verdict.print());
        if let Some((_, verdict)) = worst.filter(|_| inputs.len() > 1) {
            let dirty = verdicts.iter().filter(|(_, v)| !v.is_clean());
            let mut dirty: Vec<usize> = dirty.map(|(k, _)| *k).collect();
            dirty.dedup();
            println!(
                "{} of {} are not clean; the worst is {}",
                dirty.len(),
                inputs.len(),
                verdict.mesh
            );
        }
    }
    if let (Some(path), Some((k, verdict))) = (&args.picture, worst) {
        let against = against.filter(|_| verdict.against != ITSELF);
        draw(path, &mut inputs[*k], against, verdict)?;
        if !args.json {
            println!("wrote {}", path.display());
        }
    }
    Ok(if clean {
        ExitCode::SUCCESS
    } else {
        ExitCode::from(exit::NO)
    })
}

/// What meshes are checked against unless something else is asked for.
const ITSELF: &str = "itself";

/// The other mesh or sequence.
struct Against {
    input: Input,
    /// The only mesh there is.
    still: Option<Arc<TriMesh>>,
}

impl Against {
    fn open(path: &Path) -> Result<Self, Failure> {
        let mut inputs = Input::find(&[path.to_owned()], None)?;
        let input = match inputs.len() {
            1 => inputs.swap_remove(0),
            count => {
                return Err(Failure::input(format!(
                    "--against {}: expected one mesh or sequence, found {count}",
                    path.display()
                )));
            }
        };
        let mut against = Self { input, still: None };
        if against.input.frames() == 1 {
            against.still = Some(Arc::new(against.input.mesh(0)?));
        }
        Ok(against)
    }

    /// Whether its frames go with those of `input`.
    fn fit(&self, input: &Input) -> Result<(), Failure> {
        let (own, its) = (self.input.frames(), input.frames());
        if own == 1 || own == its {
            return Ok(());
        }
        let frames = match its {
            1 => "1 frame".to_owned(),
            count => format!("{count} frames"),
        };
        Err(Failure::input(format!(
            "{} has {frames}, but {} has {own}: expected one, or as many",
            input.name, self.input.name
        )))
    }

    /// The mesh that goes with frame `k`.
    fn mesh(&mut self, k: u64) -> Result<Arc<TriMesh>, Failure> {
        match &self.still {
            Some(mesh) => Ok(mesh.clone()),
            None => self.input.mesh(k).map(Arc::new),
        }
    }
}

/// Checks all frames of an input against itself, and against the other.
fn check_input(
    input: &mut Input,
    mut against: Option<&mut Against>,
    threads: usize,
) -> Result<Vec<Verdict>, Failure> {
    if let Some(against) = &against {
        against.fit(input)?;
    }
    let mut alone = Vec::new();
    let mut together = Vec::new();
    let frames = input.frames();
    // Files are read in turn, and as many frames checked at a time as there are threads.
    let batch = 2 * threads as u64;
    for start in (0..frames).step_by(batch as usize) {
        let mut meshes = Vec::new();
        for k in start..frames.min(start + batch) {
            let other = against
                .as_mut()
                .map(|against| against.mesh(k))
                .transpose()?;
            meshes.push((k, input.mesh(k)?, other));
        }
        let found: Vec<_> = meshes
            .par_iter()
            .map(|(_, mesh, other)| check_mesh(mesh, other.as_deref(), NAMED_PAIRS))
            .collect();
        for ((k, mesh, other), found) in meshes.iter().zip(found) {
            let found = found.map_err(|e| Failure::input(format!("{}: {e}", input.place(*k))));
            let (own, between) = found?;
            let number = input.number(*k);
            alone.push(Checked::new(number, mesh, None, own));
            if let Some(between) = between {
                together.push(Checked::new(number, mesh, other.as_deref(), between));
            }
        }
    }
    let verdict = |against: String, frames| Verdict {
        mesh: input.name.clone(),
        against,
        frames,
    };
    let mut verdicts = vec![verdict(ITSELF.to_owned(), alone)];
    if let Some(against) = against {
        verdicts.push(verdict(against.input.name.clone(), together));
    }
    Ok(verdicts)
}

/// Finds what meets in a mesh, and between it and another.
fn check_mesh(
    mesh: &TriMesh,
    other: Option<&TriMesh>,
    keep: usize,
) -> Result<(Findings, Option<Findings>), String> {
    let own = self_intersections(mesh, keep).map_err(|e| e.to_string())?;
    let between = other.map(|other| intersections_between(mesh, other, keep));
    let between = between.transpose().map_err(|e| e.to_string())?;
    Ok((own, between))
}

/// The verdict with the frame of the most pairs, if there is any pair.
fn worst(verdicts: &[(usize, Verdict)]) -> Option<&(usize, Verdict)> {
    let count = |verdict: &Verdict| verdict.frames[verdict.worst()].findings.count;
    let dirty = verdicts.iter().filter(|(_, verdict)| !verdict.is_clean());
    dirty.reduce(|worst, next| {
        if count(&next.1) > count(&worst.1) {
            next
        } else {
            worst
        }
    })
}

fn print_json(verdicts: &[(usize, Verdict)], worst: Option<&(usize, Verdict)>, clean: bool) {
    // A frame that is checked against itself and against another is one frame.
    let alone = verdicts.iter().filter(|(_, v)| v.against == ITSELF);
    let frames: usize = alone.map(|(_, v)| v.frames.len()).sum();
    let dirty = verdicts
        .iter()
        .flat_map(|(k, v)| v.dirty().map(move |frame| (*k, frame.number)));
    let dirty: BTreeSet<(usize, i64)> = dirty.collect();
    let worst = worst.map(|(_, verdict)| {
        let frame = &verdict.frames[verdict.worst()];
        json!({
            "mesh": verdict.mesh,
            "against": verdict.against,
            "frame": frame.number,
            "intersections": frame.findings.count,
        })
    });
    let meshes: Vec<_> = verdicts.iter().map(|(_, verdict)| verdict.json()).collect();
    println!(
        "{:#}",
        json!({
            "clean": clean,
            "frames": frames,
            "frames_not_clean": dirty.len(),
            "worst": worst,
            "meshes": meshes,
        })
    );
}

/// Draws the worst place of a verdict.
fn draw(
    path: &Path,
    input: &mut Input,
    against: Option<Against>,
    verdict: &Verdict,
) -> Result<(), Failure> {
    let k = verdict.worst() as u64;
    let upright = |mesh: TriMesh, up: UpAxis| match up {
        UpAxis::Y => mesh,
        UpAxis::Z => TriMesh {
            positions: { mesh.positions.iter() }
                .map(|p| DVec3::new(p.x, p.z, -p.y))
                .collect(),
            faces: mesh.faces,
        },
    };
    let up = input.up();
    let mesh = upright(input.mesh(k)?, up);
    let other = against.map(|mut against| against.mesh(k)).transpose()?;
    let other = other.map(|mesh| upright((*mesh).clone(), up));
    let place = input.place(k);
    let found = match &other {
        None => self_intersections(&mesh, evidence::MOST_PAIRS).map_err(|e| e.to_string()),
        Some(other) => {
            intersections_between(&mesh, other, evidence::MOST_PAIRS).map_err(|e| e.to_string())
        }
    };
    let found = found.map_err(|e| Failure::input(format!("{place}: {e}")))?;
    let caption = match found.count {
        1 => format!("{place}: 1 pair of faces meets"),
        count => format!("{place}: {count} pairs of faces meet"),
    };
    let picture = Evidence::of_pairs(&mesh, other.as_ref(), &found.pairs, caption).draw();
    Ok(picture.write_png(path).map_err(RunError::picture)?)
}
