//! What was found, in words and as JSON.

use serde_json::{Value, json};
use toile::geometry::intersections::place::meeting_place;
use toile::geometry::{FacePair, Findings, TriMesh};

/// What was found in one frame.
pub struct Checked {
    /// Its number.
    pub number: i64,
    /// Number of vertices.
    pub vertices: usize,
    /// Number of faces.
    pub faces: usize,
    /// The pairs.
    pub findings: Findings,
    /// Where the first pairs meet.
    pub places: Vec<[f64; 3]>,
}

impl Checked {
    /// A frame of `mesh` that was checked against `other`, or itself.
    pub fn new(number: i64, mesh: &TriMesh, other: Option<&TriMesh>, findings: Findings) -> Self {
        let corners = |mesh: &TriMesh, face: u32| {
            mesh.faces[face as usize].map(|v| mesh.positions[v as usize])
        };
        let place = |pair: &FacePair| {
            let (a, b) = (
                corners(mesh, pair.a),
                corners(other.unwrap_or(mesh), pair.b),
            );
            meeting_place(&a, &b).to_array()
        };
        Self {
            number,
            vertices: mesh.positions.len(),
            faces: mesh.faces.len(),
            places: findings.pairs.iter().map(place).collect(),
            findings,
        }
    }

    fn first_pairs(&self) -> Vec<Value> {
        let pairs = self.findings.pairs.iter().zip(&self.places);
        pairs
            .map(|(pair, at)| json!({ "a": pair.a, "b": pair.b, "kind": kind(pair), "at": at }))
            .collect()
    }

    fn print_pairs(&self) {
        for (pair, [x, y, z]) in self.findings.pairs.iter().zip(&self.places) {
            let (FacePair { a, b, .. }, kind) = (pair, kind(pair));
            println!("  faces {a} and {b}: {kind} at ({x:.6}, {y:.6}, {z:.6})");
        }
        let more = self.findings.count - self.findings.pairs.len();
        if more > 0 {
            println!("  and {more} more");
        }
    }
}

/// All frames of one input against itself or another.
pub struct Verdict {
    /// The input.
    pub mesh: String,
    /// What it was checked against.
    pub against: String,
    /// Its frames, at least one.
    pub frames: Vec<Checked>,
}

impl Verdict {
    /// Whether nothing meets in any frame.
    pub fn is_clean(&self) -> bool {
        self.dirty().next().is_none()
    }

    /// The frames that are not clean.
    pub fn dirty(&self) -> impl Iterator<Item = &Checked> {
        self.frames.iter().filter(|f| !f.findings.is_clean())
    }

    /// Which frame has the most pairs; the first of several.
    pub fn worst(&self) -> usize {
        let counts = self.frames.iter().map(|f| f.findings.count).enumerate();
        counts.fold(0, |worst, (k, count)| {
            if count > self.frames[worst].findings.count {
                k
            } else {
                worst
            }
        })
    }

    fn sum(&self, of: fn(&Findings) -> usize) -> usize {
        self.frames.iter().map(|f| of(&f.findings)).sum()
    }

    /// Says it on stdout.
    pub fn print(&self) {
        let (mesh, against, frames) = (&self.mesh, &self.against, self.frames.len());
        let worst = &self.frames[self.worst()];
        let pairs = match worst.findings.count {
            1 => "1 pair of faces meets".to_owned(),
            count => format!("{count} pairs of faces meet"),
        };
        match (frames, self.dirty().count()) {
            (1, 0) => println!("{mesh}: clean against {against}"),
            (1, _) => println!("{mesh}: {pairs} ({against})"),
            (_, 0) => println!("{mesh}: {frames} frames, all clean against {against}"),
            (_, dirty) => println!(
                "{mesh}: {frames} frames, {dirty} not clean ({against}); the worst is frame {}: {pairs}",
                worst.number
            ),
        }
        worst.print_pairs();
        let degenerate = worst.findings.degenerate_faces;
        if degenerate > 0 && against == "itself" {
            println!("{mesh}: {degenerate} faces have no area");
        }
    }

    /// The same for programs.
    pub fn json(&self) -> Value {
        let worst = &self.frames[self.worst()];
        let dirty: Vec<Value> = self
            .dirty()
            .map(|frame| {
                let found = &frame.findings;
                json!({
                    "frame": frame.number,
                    "intersections": found.count,
                    "kinds": kinds(found),
                    "first_pairs": frame.first_pairs(),
                    "degenerate_faces": found.degenerate_faces,
                })
            })
            .collect();
        json!({
            "mesh": self.mesh,
            "against": self.against,
            "vertices": worst.vertices,
            "faces": worst.faces,
            "clean": dirty.is_empty(),
            "frames": self.frames.len(),
            "frames_not_clean": dirty.len(),
            "worst_frame": (!dirty.is_empty()).then_some(worst.number),
            "intersections": worst.findings.count,
            "kinds": kinds(&worst.findings),
            "first_pairs": worst.first_pairs(),
            "degenerate_faces": worst.findings.degenerate_faces,
            "pairs_tested": self.sum(|f| f.tested),
            "dirty_frames": dirty,
        })
    }
}

fn kind(pair: &FacePair) -> String {
    format!("{:?}", pair.kind).to_lowercase()
}

fn kinds(found: &Findings) -> Value {
    let kinds = found.kinds;
    json!({
        "crossing": kinds.crossing,
        "touching": kinds.touching,
        "coplanar": kinds.coplanar,
        "duplicate": kinds.duplicate,
    })
}
