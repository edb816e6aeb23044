//! Toile.
