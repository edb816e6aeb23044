//! What an experiment is, and the list of all.

use crate::check::Check;
use crate::table::Table;
use crate::{
    body, buckling, cantilever, catenary, ccd, contact, curve, damping, drape, filtering,
    free_fall, friction, hanging, integrators, jacobian, lateral, levelset, meshes, peirce,
    pendulum, pinched, preconditioners, report_table, responses, speedup, stability, tensile, worn,
    wrinkles,
};
use std::path::{Path, PathBuf};
use thiserror::Error;
use toile_figure::mannequin::MannequinError;
use toile_geometry::generate::ShapeError;
use toile_geometry::levelset::LevelSetError;
use toile_io::SceneError;
use toile_sim::wrinkles::KeepingError;
use toile_sim::{BuildError, StepError};
use toile_view::plot::Figure;

/// An experiment with a known answer.
#[derive(Clone, Copy)]
pub struct Experiment {
    /// Name on the command line.
    pub name: &'static str,
    /// One line about it.
    pub about: &'static str,
    /// Carries it out.
    pub run: fn() -> Result<Findings, Error>,
}

/// What an experiment found.
pub struct Findings {
    /// The numbers.
    pub table: Table,
    /// What must hold of them.
    pub checks: Vec<Check>,
    /// The numbers as a picture.
    pub figure: Box<dyn Figure>,
    /// What they mean, in a few sentences.
    pub notes: String,
}

/// Why an experiment could not be carried out or written down.
#[derive(Debug, Error)]
pub enum Error {
    /// A model could not be built.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// A step failed.
    #[error(transparent)]
    Step(#[from] StepError),
    /// A distance field could not be made.
    #[error(transparent)]
    LevelSet(#[from] LevelSetError),
    /// No map of distances.
    #[error(transparent)]
    Keeping(#[from] KeepingError),
    /// A mannequin could not be made.
    #[error(transparent)]
    Mannequin(#[from] MannequinError),
    /// A mesh could not be made.
    #[error(transparent)]
    Shape(#[from] ShapeError),
    /// A built-in scene could not be read.
    #[error(transparent)]
    Scene(#[from] SceneError),
    /// A file could not be written.
    #[error("{path} cannot be written: {message}")]
    Write {
        /// The file or folder.
        path: PathBuf,
        /// Why.
        message: String,
    },
}

impl Findings {
    /// Whether every number is where it must be.
    pub fn hold(&self) -> bool {
        self.checks.iter().all(Check::holds)
    }

    /// Writes `NAME.csv` and `NAME.png` into `folder`; returns what was written.
    pub fn write(&self, folder: &Path, name: &str) -> Result<Vec<PathBuf>, Error> {
        let write_error = |path: &Path, message: String| Error::Write {
            path: path.to_owned(),
            message,
        };
        std::fs::create_dir_all(folder).map_err(|e| write_error(folder, e.to_string()))?;
        let table = folder.join(format!("{name}.csv"));
        self.table
            .write_csv(&table)
            .map_err(|e| write_error(&table, e.to_string()))?;
        let picture = folder.join(format!("{name}.png"));
        self.figure
            .image()
            .write_png(&picture)
            .map_err(|e| write_error(&picture, e.to_string()))?;
        Ok(vec![table, picture])
    }
}

/// All experiments.
pub fn experiments() -> &'static [Experiment] {
    &[
        Experiment {
            name: "free-fall",
            about: "a free sheet against ½ g t²: what each integrator loses",
            run: free_fall::run,
        },
        Experiment {
            name: "stability",
            about: "a tablecloth at steps of 1/90 s to 100 s: what settles, what does not, and why",
            run: stability::run,
        },
        Experiment {
            name: "curve",
            about: "force of the buckling link against the elastica",
            run: curve::run,
        },
        Experiment {
            name: "cantilever",
            about: "a strip bent by its own weight against the heavy elastica: every bending law on every mesh",
            run: cantilever::run,
        },
        Experiment {
            name: "peirce",
            about: "rigidity from the overhang of a strip at 41.5°",
            run: peirce::run,
        },
        Experiment {
            name: "lateral-buckling",
            about: "a strip with its width upright: when it falls sideways",
            run: lateral::run,
        },
        Experiment {
            name: "tensile",
            about: "strips pulled along warp, weft and bias against their laws",
            run: tensile::run,
        },
        Experiment {
            name: "pinched",
            about: "a strip under an end force and an end moment against published tables of shells",
            run: pinched::run,
        },
        Experiment {
            name: "filtering",
            about: "what an implicit step damps, and what it leaves alone",
            run: filtering::run,
        },
        Experiment {
            name: "jacobian",
            about: "every force's matrix against finite differences",
            run: jacobian::run,
        },
        Experiment {
            name: "buckling",
            about: "the same compression with springs that push and links that buckle",
            run: buckling::run,
        },
        Experiment {
            name: "preconditioners",
            about: "iterations and time of every preconditioner beside the published ones",
            run: preconditioners::run,
        },
        Experiment {
            name: "integrators",
            about: "every time integrator side by side: order, limit, energy, cost",
            run: integrators::run,
        },
        Experiment {
            name: "damping",
            about: "what every time integrator takes from vibration, flight and rotation",
            run: damping::run,
        },
        Experiment {
            name: "report-table",
            about: "a published table of RK4 and backward Euler again: why it failed at 0.1 s",
            run: report_table::run,
        },
        Experiment {
            name: "speedup",
            about: "a curtain of springs, with damping and adaptive steps, and one that just buckles",
            run: speedup::run,
        },
        Experiment {
            name: "drape",
            about: "Cusick's drape test on every fabric beside what laboratories measure",
            run: drape::run,
        },
        Experiment {
            name: "meshes",
            about: "the same drape on coarser and finer meshes",
            run: meshes::run,
        },
        Experiment {
            name: "hanging",
            about: "a sheet stretched by its own weight against ρ g L²/(2Y)",
            run: hanging::run,
        },
        Experiment {
            name: "catenary",
            about: "a limp strip between two points against the catenary",
            run: catenary::run,
        },
        Experiment {
            name: "pendulum",
            about: "periods of a weight on a strip, a rigid strip and a limp sheet",
            run: pendulum::run,
        },
        Experiment {
            name: "ccd",
            about: "times of contact against exact arithmetic, and the speed of finding them",
            run: ccd::run,
        },
        Experiment {
            name: "contact",
            about: "cloth that meets cloth: crossings, energy, the guard's share, and how the cost grows",
            run: contact::run,
        },
        Experiment {
            name: "responses",
            about: "the three answers to contact side by side: creep, crossings, energy, momentum, cost",
            run: responses::run,
        },
        Experiment {
            name: "friction",
            about: "slopes of solid and of cloth, a drum and a slipping foot against Coulomb's law",
            run: friction::run,
        },
        Experiment {
            name: "levelset",
            about: "distance fields of meshes against exact shapes, and the octree against the full grid",
            run: levelset::run,
        },
        Experiment {
            name: "body",
            about: "the mannequin from XS to XXL: the tape against what was asked, its surface, its motions",
            run: body::run,
        },
        Experiment {
            name: "worn",
            about: "a cape and a skirt on a moving mannequin: how far they slip over it, with friction and without",
            run: worn::run,
        },
        Experiment {
            name: "wrinkles",
            about: "wrinkles of cloth inside a solid, brought out by projection and by the map that keeps them",
            run: wrinkles::run,
        },
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_experiment_has_a_name_of_its_own_and_says_what_it_is() {
        let names: BTreeSet<&str> = experiments().iter().map(|e| e.name).collect();
        assert_eq!(names.len(), experiments().len());
        for asked in [
            "stability",
            "curve",
            "cantilever",
            "filtering",
            "jacobian",
            "integrators",
            "damping",
            "report-table",
            "speedup",
            "drape",
            "meshes",
            "contact",
            "responses",
            "friction",
            "levelset",
            "body",
            "worn",
            "wrinkles",
        ] {
            assert!(names.contains(asked), "{asked}");
        }
        assert!(experiments().iter().all(|e| !e.about.is_empty()));
    }

    #[test]
    fn findings_leave_a_table_and_a_picture() {
        let folder = tempfile::tempdir().unwrap();
        let fall = experiments()
            .iter()
            .find(|e| e.name == "free-fall")
            .unwrap();
        let findings = (fall.run)().unwrap();
        assert!(findings.hold());
        let written = findings.write(folder.path(), fall.name).unwrap();
        let names: Vec<_> = written.iter().filter_map(|p| p.file_name()).collect();
        assert_eq!(names, ["free-fall.csv", "free-fall.png"]);
        let table = std::fs::read_to_string(&written[0]).unwrap();
        assert!(table.starts_with("integrator,step (s)") && table.lines().count() == 7);
        assert!(std::fs::read(&written[1]).unwrap().starts_with(b"\x89PNG"));
    }
}
