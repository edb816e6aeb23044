//! The fabrics a scene knows.

use super::{Fabric, all};

/// The fabrics of a scene: its own, those of its files, and the built-in ones.
#[derive(Clone, Copy, Debug)]
pub struct Library<'a> {
    /// Written in the scene itself.
    pub own: &'a [Fabric],
    /// Of the files it lists, in their order.
    pub files: &'a [Fabric],
}

impl Library<'_> {
    /// The first fabric of this name, the nearest first.
    pub fn find(&self, name: &str) -> Option<&Fabric> {
        self.fabrics().find(|fabric| fabric.name == name)
    }

    /// Names of all of them.
    pub fn names(&self) -> Vec<&str> {
        self.fabrics().map(|fabric| fabric.name.as_str()).collect()
    }

    fn fabrics(&self) -> impl Iterator<Item = &Fabric> {
        self.own.iter().chain(self.files).chain(all())
    }
}
