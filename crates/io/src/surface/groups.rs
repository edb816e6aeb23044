//! Named sets of triangles.

use std::collections::HashMap;
use std::ops::Range;

/// A named set of triangles.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// What the file uses the name for.
    pub kind: GroupKind,
    /// The name.
    pub name: String,
    /// Its triangles, as ranges in ascending order.
    pub triangles: Vec<Range<u32>>,
}

/// What a file uses a name for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum GroupKind {
    /// An object (`o` in OBJ), a node of glTF, a solid of STL.
    Object,
    /// A group (`g` in OBJ).
    Group,
    /// A material (`usemtl` in OBJ).
    Material,
}

impl Group {
    /// All its triangles.
    pub fn iter(&self) -> impl Iterator<Item = u32> {
        self.triangles.iter().cloned().flatten()
    }

    /// The same set when only `kept` triangles remain, in ascending order; `None` if it is empty.
    pub(crate) fn after(self, kept: &[u32]) -> Option<Self> {
        let place = |triangle: u32| kept.partition_point(|t| *t < triangle) as u32;
        let moved = { self.triangles.iter() }.map(|range| place(range.start)..place(range.end));
        let triangles: Vec<_> = moved.filter(|range| !range.is_empty()).collect();
        (!triangles.is_empty()).then_some(Self { triangles, ..self })
    }
}

/// Names of groups that a message lists.
const LISTED: usize = 8;

/// The names of `groups` in words: all of a few, the first of many.
pub(super) fn listed(groups: &[Group]) -> String {
    let names = groups.iter().take(LISTED).map(|group| &*group.name);
    let names = names.collect::<Vec<_>>().join(", ");
    match groups.len() {
        0 => "none, the file has no names".to_owned(),
        1..=LISTED => names,
        more => format!("{names} and {} more", more - LISTED),
    }
}

/// Groups while a file is read: of each kind, triangles belong to the last name seen.
#[derive(Default)]
pub(super) struct Groups {
    groups: Vec<Group>,
    known: HashMap<(GroupKind, String), usize>,
    /// Of each kind, the group that is open, and the triangles before it.
    open: HashMap<GroupKind, (usize, u32)>,
}

impl Groups {
    /// From triangle `next` on, triangles belong to this name.
    pub(super) fn begin(&mut self, kind: GroupKind, name: String, next: usize) {
        self.end(kind, next);
        let groups = &mut self.groups;
        let key = (kind, name.clone());
        let index = *self.known.entry(key).or_insert_with(|| {
            groups.push(Group {
                kind,
                name,
                triangles: Vec::new(),
            });
            groups.len() - 1
        });
        self.open.insert(kind, (index, next as u32));
    }

    /// From triangle `next` on, triangles belong to no name of this kind.
    pub(super) fn end(&mut self, kind: GroupKind, next: usize) {
        if let Some((index, from)) = self.open.remove(&kind)
            && from < next as u32
        {
            self.groups[index].triangles.push(from..next as u32);
        }
    }

    /// All groups that have triangles.
    pub(super) fn finish(mut self, next: usize) -> Vec<Group> {
        for kind in [GroupKind::Object, GroupKind::Group, GroupKind::Material] {
            self.end(kind, next);
        }
        self.groups.retain(|group| !group.triangles.is_empty());
        self.groups
    }
}
