//! `toile check`: the exact intersection test.

use crate::args::CheckArgs;
use crate::exit::{self, Failure, Outcome};
use serde_json::{Value, json};
use std::path::Path;
use std::process::ExitCode;
use toile::geometry::TriMesh;
use toile::geometry::intersections::{
    FacePair, Findings, intersections_between, self_intersections,
};
use toile::io::obj;

/// Pairs that are named; all are counted.
const NAMED_PAIRS: usize = 10;

/// Checks every mesh; the answer is yes only if all are clean.
pub fn check(args: &CheckArgs) -> Outcome {
    let against = args.against.as_deref().map(read).transpose()?;
    let mut clean = true;
    let mut results = Vec::new();
    for path in &args.meshes {
        let mesh = read(path)?;
        let mut tests = vec![(
            "itself".to_owned(),
            self_intersections(&mesh, NAMED_PAIRS)
                .map_err(|e| Failure::input(format!("{}: {e}", path.display())))?,
        )];
        if let (Some(other), Some(name)) = (&against, &args.against) {
            let findings = intersections_between(&mesh, other, NAMED_PAIRS).map_err(|e| {
                Failure::input(format!(
                    "{} against {}: {e}",
                    path.display(),
                    name.display()
                ))
            })?;
            tests.push((name.display().to_string(), findings));
        }
        for (other, findings) in &tests {
            clean &= findings.is_clean();
            if args.json {
                results.push(as_json(path, other, &mesh, findings));
            } else {
                print(path, other, findings);
            }
        }
    }
    if args.json {
        println!("{:#}", json!({ "clean": clean, "meshes": results }));
    }
    Ok(if clean {
        ExitCode::SUCCESS
    } else {
        ExitCode::from(exit::NO)
    })
}

/// Reads a mesh. One without faces is refused: a proof about nothing would mislead.
fn read(path: &Path) -> Result<TriMesh, Failure> {
    let mesh = obj::read(path).map_err(Failure::input)?;
    if mesh.faces.is_empty() {
        return Err(Failure::input(format!(
            "{}: there are no faces to check, expected an OBJ mesh",
            path.display()
        )));
    }
    Ok(mesh)
}

fn print(path: &Path, other: &str, findings: &Findings) {
    let path = path.display();
    if findings.is_clean() {
        println!("{path}: clean against {other}");
    } else {
        let pairs = if findings.count == 1 {
            "pair of faces meets"
        } else {
            "pairs of faces meet"
        };
        println!("{path}: {} {pairs} ({other})", findings.count);
        for pair in &findings.pairs {
            println!("  faces {} and {}: {}", pair.a, pair.b, kind(pair));
        }
        if findings.count > findings.pairs.len() {
            println!("  and {} more", findings.count - findings.pairs.len());
        }
    }
    if findings.degenerate_faces > 0 {
        println!("{path}: {} faces have no area", findings.degenerate_faces);
    }
}

fn kind(pair: &FacePair) -> String {
    format!("{:?}", pair.kind).to_lowercase()
}

fn as_json(path: &Path, other: &str, mesh: &TriMesh, findings: &Findings) -> Value {
    let pairs: Vec<Value> = findings
        .pairs
        .iter()
        .map(|pair| json!({ "a": pair.a, "b": pair.b, "kind": kind(pair) }))
        .collect();
    json!({
        "mesh": path.display().to_string(),
        "against": other,
        "vertices": mesh.positions.len(),
        "faces": mesh.faces.len(),
        "clean": findings.is_clean(),
        "intersections": findings.count,
        "first_pairs": pairs,
        "degenerate_faces": findings.degenerate_faces,
        "pairs_tested": findings.tested,
    })
}
