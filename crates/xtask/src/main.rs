//! Toile.
fn main() {}
