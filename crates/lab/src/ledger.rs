//! A table with a column for each time integrator, and what must hold of it.

use crate::check::{Band, Check};
use crate::schemes;
use crate::table::Table;
use toile_sim::Integrator;

/// What is gathered on the way.
pub struct Ledger {
    /// A row for each quantity.
    pub table: Table,
    /// What must hold.
    pub checks: Vec<Check>,
}

impl Ledger {
    /// An empty one.
    pub fn new() -> Self {
        let names = schemes::all().map(|integrator| integrator.name());
        Self {
            table: Table::new([&["quantity"], &names[..]].concat()),
            checks: Vec::new(),
        }
    }

    /// A row of what was measured of each scheme; nothing where there is nothing to measure.
    pub fn row(&mut self, quantity: &str, cells: impl IntoIterator<Item = Option<String>>) {
        let cells = cells.into_iter();
        let cells = cells.map(|cell| cell.unwrap_or_else(|| "-".into()));
        self.table
            .row(std::iter::once(quantity.to_owned()).chain(cells));
    }

    /// What must hold of one scheme.
    pub fn check(&mut self, integrator: Integrator, what: &str, value: f64, band: Band) {
        let what = format!("{}: {what}", integrator.name());
        self.checks.push(Check::new(what, value, band));
    }
}
