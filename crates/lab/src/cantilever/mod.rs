//! A strip clamped level at one end and bent by its own weight, against the heavy elastica: every
//! bending law on every mesh it can have.

mod cylinder;
mod grid;
mod meshes;
mod overhang;

pub use overhang::Overhang;

use crate::check::{Check, number};
use crate::experiment::{Error, Findings};
use crate::strip::Mesh;
use crate::table::Table;
use crate::theory::cantilever as theory;
use toile_view::plot::Panel;

const WEIGHTS: [f64; 5] = [1.0, 5.0, 10.0, 50.0, 100.0];
const SPACING_M: f64 = 0.005;
/// Force left, as a share of the weight, up to which a strip's shape says something.
const AT_REST: f64 = 0.01;
/// Mass per area of the strips, kg/m².
pub const AREA_DENSITY: f64 = 0.15;

/// One strip at rest.
struct Bent {
    laws: String,
    mesh: Mesh,
    gamma: f64,
    /// Drop over reach.
    ratio: f64,
    /// The largest force left on a free particle over the weight.
    residual: f64,
}

impl Bent {
    /// Drop over reach by theory.
    fn exact(&self) -> f64 {
        let (tip, _) = theory::bend(self.gamma);
        tip.drop / tip.reach
    }

    fn error_percent(&self) -> f64 {
        100.0 * (self.ratio / self.exact() - 1.0)
    }

    /// Rigidity of a strip without faults that hangs as this one does, over the one asked for.
    fn rigidity_share(&self) -> f64 {
        self.gamma / theory::weight_number(self.ratio.atan())
    }

    fn name(&self) -> String {
        let Self { laws, gamma, .. } = self;
        format!("{laws} on {} at Γ = {gamma}", self.mesh.name())
    }
}

/// What is gathered on the way.
struct Ledger {
    table: Table,
    checks: Vec<Check>,
}

impl Ledger {
    /// A row of a strip, and what is known of its laws on a cylinder. Where the search ended far
    /// from rest there is nothing to compare with theory.
    fn row(&mut self, bent: &Bent, imposed: Option<&cylinder::Imposed>) {
        let [found, expected] = ranges(imposed);
        let at_rest = bent.residual <= AT_REST;
        let error = format!("{:+.2}", bent.error_percent());
        let share = format!("{:.4}", bent.rigidity_share());
        self.table.row([
            bent.laws.clone(),
            bent.mesh.name().to_owned(),
            number(bent.gamma),
            format!("{:.5}", bent.exact()),
            format!("{:.5}", bent.ratio),
            if at_rest { error } else { "not at rest".into() },
            if at_rest { share } else { "-".into() },
            found,
            expected,
            format!("{:.1e}", bent.residual),
        ]);
    }
}

/// Rigidities on a cylinder in words: as found, and as expected.
fn ranges(imposed: Option<&cylinder::Imposed>) -> [String; 2] {
    let range = |[low, high]: [f64; 2]| format!("{low:.2} to {high:.2}");
    imposed.map_or_else(Default::default, |imposed| {
        [imposed.found, imposed.expected].map(range)
    })
}

/// Bends strips of every law, mesh and weight.
pub fn run() -> Result<Findings, Error> {
    let mut ledger = Ledger {
        table: Table::new([
            "laws",
            "mesh",
            "Γ",
            "theory H/W",
            "H/W",
            "error (%)",
            "B_eff/B",
            "on a cylinder",
            "expected there",
            "force left",
        ]),
        checks: Vec::new(),
    };
    let [shapes, ratios] = grid::measure(&mut ledger)?;
    let shares = meshes::measure(&mut ledger)?;
    Ok(Findings {
        table: ledger.table,
        checks: ledger.checks,
        figure: Box::new(Panel::new(3).with(shapes).with(ratios).with(shares)),
        notes: format!(
            "B_eff is the rigidity of the ideal strip that hangs as this one does. Equilibrium is found by \
             minimising the energy with the exact Jacobian, not by time stepping; 'force left' is the largest on a \
             free particle over the strip's weight.\n{}\n{}",
            grid::notes(),
            meshes::notes()
        ),
    })
}
