//! Files of fabrics.

use super::Fabric;
use crate::scene::{Error, Source};
use serde::{Deserialize, Serialize};
use std::path::Path;

/// A file of fabrics.
#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct File {
    /// Its fabrics.
    #[serde(deserialize_with = "crate::scene::strict::tables")]
    pub fabric: Vec<Fabric>,
}

/// Reads and checks `text` as a file of fabrics called `origin`.
pub fn parse(text: &str, origin: &str) -> Result<Vec<Fabric>, Error> {
    Source::parse(text, origin, &[])?.fabrics()
}

/// Fabrics as a file that reads back as the same.
pub fn to_toml(fabrics: &[Fabric]) -> Result<String, toml::ser::Error> {
    toml::to_string(&File {
        fabric: fabrics.to_vec(),
    })
}

/// Reads and checks a file of fabrics.
pub fn read(path: &Path) -> Result<Vec<Fabric>, Error> {
    Source::read_fabrics(path)
}
