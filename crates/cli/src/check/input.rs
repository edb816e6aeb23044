//! What is checked: meshes and sequences of them, with the coordinates that their files hold.

use super::weld::Weld;
use crate::exit::Failure;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use toile::geometry::TriMesh;
use toile::io::formats::{self, Format, SequenceReader, UpAxis};

/// A mesh, or several in turn.
pub struct Input {
    /// What to call it.
    pub name: String,
    source: Source,
    weld: Option<Weld>,
}

enum Source {
    /// A file a frame, each with a mesh of its own.
    Files(Vec<(u64, PathBuf)>),
    /// All frames of one mesh in a file.
    Cache {
        reader: Box<dyn SequenceReader>,
        faces: Vec<[u32; 3]>,
    },
}

impl Input {
    /// Finds everything that `paths` name: files, folders, and `NAME.obj` or `NAME_####.obj` for
    /// numbered files. Numbered files of one name are one
    /// sequence. `topology` gives
    /// faces to those that have none.
    pub fn find(paths: &[PathBuf], topology: Option<&Path>) -> Result<Vec<Self>, Failure> {
        let mut files = Vec::new();
        for path in paths {
            if path.is_dir() {
                files.extend(in_folder(path)?);
            } else {
                files.push(path.clone());
            }
        }
        let borrowed = topology.map(read_file).transpose()?;
        let mut lent = false;
        let mut inputs = Vec::new();
        for files in grouped(files) {
            inputs.push(match &files[..] {
                [path] => Self::open(path, borrowed.as_ref(), &mut lent)?,
                files => Self {
                    name: sequence(&files[0]).unwrap_or_else(|| shown(&files[0])),
                    source: Source::Files(in_order(files)),
                    weld: None,
                },
            });
        }
        match topology {
            Some(path) if !lent => Err(Failure::input(format!(
                "--topology {}: nothing that is checked needs it; it is for point caches (PC2, MDD) \
                 and others that hold no faces",
                path.display()
            ))),
            _ => Ok(inputs),
        }
    }

    /// A file, or the numbered files it stands for.
    fn open(path: &Path, topology: Option<&TriMesh>, lent: &mut bool) -> Result<Self, Failure> {
        let name = shown(path);
        if Format::of(path).is_ok_and(Format::is_numbered) {
            let files = formats::numbered_files(path).map_err(Failure::input)?;
            let source = Source::Files(files);
            return Ok(Self {
                name,
                source,
                weld: None,
            });
        }
        let reader = formats::open(path).map_err(Failure::input)?;
        let header = reader.header();
        let mut faces: Vec<_> = header.faces.triangles(0..header.faces.len()).collect();
        if faces.is_empty()
            && let Some(mesh) = topology
        {
            let (own, its) = (header.vertices, mesh.positions.len());
            if own != its {
                return Err(Failure::input(format!(
                    "{name}: the mesh of --topology has {its} vertices, but this has {own}"
                )));
            }
            faces.clone_from(&mesh.faces);
            *lent = true;
        }
        if faces.is_empty() {
            return Err(Failure::input(without_faces(path, reader.format())));
        }
        let source = Source::Cache { reader, faces };
        Ok(Self {
            name,
            source,
            weld: None,
        })
    }

    /// Number of frames.
    pub fn frames(&self) -> u64 {
        match &self.source {
            Source::Files(files) => files.len() as u64,
            Source::Cache { reader, .. } => reader.frames(),
        }
    }

    /// The number of frame `k` in its files.
    pub fn number(&self, k: u64) -> i64 {
        match &self.source {
            Source::Files(files) => files[k as usize].0 as i64,
            Source::Cache { reader, .. } => reader.header().first_frame + k as i64,
        }
    }

    /// Where frame `k` is, for messages.
    pub fn place(&self, k: u64) -> String {
        match &self.source {
            Source::Files(files) => shown(&files[k as usize].1),
            Source::Cache { reader, .. } if reader.frames() > 1 => {
                format!("{}, frame {}", self.name, self.number(k))
            }
            Source::Cache { .. } => self.name.clone(),
        }
    }

    /// The mesh of frame `k`, unrounded.
    pub fn mesh(&mut self, k: u64) -> Result<TriMesh, Failure> {
        let mut mesh = match &mut self.source {
            Source::Files(files) => read_file(&files[k as usize].1)?,
            Source::Cache { reader, faces } => TriMesh {
                positions: reader.read_positions(k).map_err(Failure::input)?,
                faces: faces.clone(),
            },
        };
        if let Some(weld) = &self.weld {
            weld.apply(&mut mesh);
        }
        Ok(mesh)
    }

    /// From now on takes vertices for one that lie in one place in the first frame.
    pub fn weld(&mut self) -> Result<(), Failure> {
        if self.frames() > 0 {
            self.weld = Some(Weld::new(&self.mesh(0)?));
        }
        Ok(())
    }

    /// Which axis points up, as far as is known.
    pub fn up(&self) -> UpAxis {
        let said = match &self.source {
            Source::Files(files) => formats::open(&files[0].1).ok().and_then(|r| r.header().up),
            Source::Cache { reader, .. } => reader.header().up,
        };
        said.unwrap_or_default()
    }
}

fn shown(path: &Path) -> String {
    path.display().to_string()
}

/// A mesh from a file of its own. One without faces is refused: a proof about nothing would mislead.
fn read_file(path: &Path) -> Result<TriMesh, Failure> {
    let mesh = if path.exists() && !Format::of(path).is_ok_and(Format::is_numbered) {
        let whole = Input::open(path, None, &mut false);
        whole.and_then(|mut input| input.mesh(0))?
    } else {
        formats::read_mesh(path).map_err(Failure::input)?
    };
    if mesh.faces.is_empty() {
        return Err(Failure::input(format!(
            "{}: there are no faces to check",
            path.display()
        )));
    }
    Ok(mesh)
}

fn without_faces(path: &Path, format: Format) -> String {
    let (name, kind) = (path.display(), format.name());
    if !matches!(format, Format::Pc2 | Format::Mdd) {
        return format!("{name}: there are no faces to check; --topology MESH can give them");
    }
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let rest = format!("{stem}_{}_rest.obj", format.extension());
    format!(
        "{name}: a {kind} file holds points without faces; expected its mesh beside it as {rest} or \
         {stem}.obj, or with --topology MESH"
    )
}

/// What numbered files have in common: their name with `#` for each digit at the end of its stem.
fn sequence(path: &Path) -> Option<String> {
    let stem = path.file_stem()?.to_str()?;
    let before = stem.trim_end_matches(|c: char| c.is_ascii_digit());
    let is_file_a_frame = Format::of(path).is_ok_and(Format::is_numbered);
    if before.len() == stem.len() || !is_file_a_frame {
        return None;
    }
    let hashes = "#".repeat(stem.len() - before.len());
    let ending = path.extension()?.to_str()?;
    Some(shown(
        &path.with_file_name(format!("{before}{hashes}.{ending}")),
    ))
}

/// Files in turn, those of one sequence together where its first one is.
fn grouped(files: Vec<PathBuf>) -> Vec<Vec<PathBuf>> {
    let mut groups: Vec<Vec<PathBuf>> = Vec::new();
    let mut places: HashMap<String, usize> = HashMap::new();
    for file in files {
        let key = sequence(&file);
        match key.as_ref().and_then(|key| places.get(key)) {
            Some(place) => groups[*place].push(file),
            None => {
                places.extend(key.map(|key| (key, groups.len())));
                groups.push(vec![file]);
            }
        }
    }
    groups
}

/// Numbered files by their numbers.
fn in_order(files: &[PathBuf]) -> Vec<(u64, PathBuf)> {
    let number = |path: &PathBuf| {
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        let start = stem.trim_end_matches(|c: char| c.is_ascii_digit()).len();
        stem[start..].parse().unwrap_or(0)
    };
    let mut files: Vec<_> = files.iter().map(|f| (number(f), f.clone())).collect();
    files.sort();
    files
}

/// All meshes and sequences in a folder, by name.
fn in_folder(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let entries = std::fs::read_dir(folder)
        .map_err(|e| Failure::input(format!("{}: {e}", folder.display())))?;
    let paths = entries.flatten().map(|entry| entry.path());
    let mut files: Vec<PathBuf> = paths
        .filter(|path| path.is_file() && Format::of(path).is_ok())
        .collect();
    if files.is_empty() {
        return Err(Failure::input(format!(
            "{}: there are no meshes in this folder; expected files that end in one of {}",
            folder.display(),
            Format::ALL
                .map(|f| format!(".{}", f.extension()))
                .join(", ")
        )));
    }
    files.sort();
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbered_files_are_known_by_what_they_share() {
        let of = |name: &str| sequence(Path::new(name));
        assert_eq!(of("out/a_0001.obj").as_deref(), Some("out/a_####.obj"));
        assert_eq!(of("out/a_0001.obj"), of("out/a_0240.obj"));
        assert_ne!(of("out/a_0001.obj"), of("out/a_0001.ply"));
        assert_ne!(of("a_0001.obj"), of("b_0001.obj"));
        for single in ["a.obj", "a_0001.glb", "a_0001.toml"] {
            assert_eq!(of(single), None, "{single}");
        }
    }
}
