//! What was repaired, with every vertex and triangle by its number in the input.

use std::fmt;

/// What was done to a soup.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Repairs {
    /// What each vertex has become; `None` where no triangle was left that uses it.
    pub vertices: Vec<Option<u32>>,
    /// The triangle each remaining one was.
    pub triangles: Vec<u32>,
    /// Vertices that were welded to an earlier one.
    pub welded: Vec<u32>,
    /// Vertices left out since no triangle uses them.
    pub isolated: Vec<u32>,
    /// Triangles left out since they have no area.
    pub degenerate: Triangles,
    /// Triangles left out since an earlier one has the same corners.
    pub repeated: Triangles,
    /// Triangles turned over.
    pub turned: Triangles,
    /// Vertices in which pieces touch that share no edge there. They stay joined.
    pub touching: Vec<u32>,
}

/// Triangles by their numbers in the input, counted from 0. Messages show the first few.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Triangles(pub Vec<u32>);

impl FromIterator<u32> for Triangles {
    fn from_iter<I: IntoIterator<Item = u32>>(triangles: I) -> Self {
        Self(triangles.into_iter().collect())
    }
}

impl fmt::Display for Triangles {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ", noun(&self.0, "triangle", "triangles"))?;
        list(f, &self.0)
    }
}

/// How many of a list a message shows.
const SHOWN: usize = 8;

/// The first few of a list, and how many follow.
fn list(f: &mut fmt::Formatter<'_>, list: &[u32]) -> fmt::Result {
    let shown: Vec<String> = list.iter().take(SHOWN).map(u32::to_string).collect();
    write!(f, "{}", shown.join(", "))?;
    match list.len().saturating_sub(SHOWN) {
        0 => Ok(()),
        more => write!(f, " and {more} more"),
    }
}

fn noun<'a>(list: &[u32], one: &'a str, many: &'a str) -> &'a str {
    if list.len() == 1 { one } else { many }
}

impl Repairs {
    /// Whether the soup was a mesh already.
    pub fn is_clean(&self) -> bool {
        let vertices = [&self.welded, &self.isolated];
        let triangles = [&self.degenerate, &self.repeated, &self.turned];
        vertices.iter().all(|list| list.is_empty()) && triangles.iter().all(|t| t.0.is_empty())
    }

    /// What was done or found, a line each; none for a clean mesh.
    pub fn lines(&self) -> Vec<String> {
        let vertices = |list| (list, "vertex", "vertices");
        let triangles = |list| (list, "triangle", "triangles");
        let all = [
            (vertices(&self.welded), "welded to others"),
            (vertices(&self.isolated), "left out, used by no triangle"),
            (triangles(&self.degenerate.0), "left out, without area"),
            (triangles(&self.repeated.0), "left out, there already"),
            (triangles(&self.turned.0), "turned over"),
            (vertices(&self.touching), "kept where pieces only touch"),
        ];
        { all.iter() }
            .filter(|((names, ..), _)| !names.is_empty())
            .map(|((names, one, many), done)| {
                let (count, noun) = (names.len(), noun(names, one, many));
                format!("{count} {noun} {done}: {}", Named(names))
            })
            .collect()
    }
}

struct Named<'a>(&'a [u32]);

impl fmt::Display for Named<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        list(f, self.0)
    }
}
