//! Shortest and longest lengths that a strain limit allows links and edges.

use super::StrainLimit;
use crate::forces::LinkFamily;
use crate::model::Materials;
use crate::model::shell::quad;
use crate::model::shell::quad::Thread;
use crate::model::shell::triangles::Edge;
use glam::DVec3;
use toile_numerics::par;

/// A link outside its bounds by less than this share of the largest extension is left alone.
const NOTICED: f64 = 1e-3;
/// Links whose length one task compares.
const LINK_GRAIN: usize = 2048;

/// What has a length that can be limited: the links of a grid, or the edges of triangles.
#[derive(Clone, Copy)]
pub enum Lengths<'a> {
    /// Stretch and shear links.
    Links(&'a dyn LinkFamily),
    /// Edges.
    Edges(&'a [Edge]),
}

impl<'a> Lengths<'a> {
    /// All of a model.
    pub fn of(materials: &'a Materials) -> impl Iterator<Item = Self> {
        let edges = (!materials.edges.is_empty()).then_some(Self::Edges(&materials.edges));
        let links = materials
            .stretch
            .iter()
            .map(|family| Self::Links(&**family));
        links.chain(edges)
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        match self {
            Self::Links(family) => family.ends().len(),
            Self::Edges(edges) => edges.len(),
        }
    }

    /// The two particles of one.
    pub fn ends(&self, link: usize) -> [u32; 2] {
        match self {
            Self::Links(family) => family.ends()[link],
            Self::Edges(edges) => edges[link].ends,
        }
    }

    /// Classes with bounds of their own: those of the links, or the directions of the weave.
    fn class_of(&self, link: usize) -> usize {
        match self {
            Self::Links(family) => usize::from(family.class_of_links()[link]),
            Self::Edges(edges) => edges[link].thread as usize,
        }
    }

    /// Direction of each class, and its length at rest in m; edges have their own.
    fn classes(&self) -> Vec<(Thread, f64)> {
        match self {
            Self::Links(family) => (0..family.classes())
                .map(|class| {
                    (
                        quad::thread_of_class(class),
                        family.class_rest_length_m(class),
                    )
                })
                .collect(),
            Self::Edges(_) => Thread::ALL.map(|thread| (thread, 1.0)).to_vec(),
        }
    }

    /// What the bounds of its class are to be multiplied by.
    fn scale(&self, link: usize) -> f64 {
        match self {
            Self::Links(_) => 1.0,
            Self::Edges(edges) => edges[link].rest_length_m,
        }
    }
}

/// The bounds of some links or edges during one step.
pub struct Bounds<'a> {
    /// The links or edges.
    pub lengths: Lengths<'a>,
    classes: Vec<ClassBounds>,
    /// Where the step starts, and the largest change of a length as a share of the rest length;
    /// `None` without a limit on the rate.
    rate: Option<(&'a [DVec3], f64)>,
}

/// Bounds of one class, m, or as shares of the length at rest.
#[derive(Clone, Copy)]
struct ClassBounds {
    rest: f64,
    shortest: f64,
    longest: f64,
    /// How far outside a link must be to be noticed.
    noticed: f64,
}

impl<'a> Bounds<'a> {
    /// Those of a step of `step_s` from `x`.
    pub fn new(limit: &StrainLimit, lengths: Lengths<'a>, (x, step_s): (&'a [DVec3], f64)) -> Self {
        let class_bounds = |(thread, rest): (Thread, f64)| {
            let (extension, compression) = match thread {
                Thread::Warp => (limit.max_extension.warp, limit.max_compression.warp),
                Thread::Weft => (limit.max_extension.weft, limit.max_compression.weft),
                Thread::Diagonal => (limit.max_extension.shear, 1.0),
            };
            ClassBounds {
                rest,
                shortest: (1.0 - compression).max(0.0) * rest,
                longest: (1.0 + extension) * rest,
                noticed: NOTICED * extension * rest,
            }
        };
        let rate = limit.max_rate_per_s;
        Self {
            lengths,
            classes: lengths.classes().into_iter().map(class_bounds).collect(),
            rate: rate.is_finite().then_some((x, rate * step_s)),
        }
    }

    fn class_of(&self, link: usize) -> ClassBounds {
        let class = self.classes[self.lengths.class_of(link)];
        let scale = self.lengths.scale(link);
        ClassBounds {
            rest: scale * class.rest,
            shortest: scale * class.shortest,
            longest: scale * class.longest,
            noticed: scale * class.noticed,
        }
    }

    /// Shortest and longest length of a link, m.
    pub fn of(&self, link: usize) -> (f64, f64) {
        let class = self.class_of(link);
        let Some((x, change)) = self.rate else {
            return (class.shortest, class.longest);
        };
        let [i, j] = self.lengths.ends(link).map(|end| x[end as usize]);
        let (now, change) = (i.distance(j), change * class.rest);
        let reach = |length: f64| length.clamp(now - change, now + change);
        (reach(class.shortest), reach(class.longest))
    }

    /// Appends the links that `predicted` ends take noticeably outside their bounds, in the order
    /// of `among`, or of all links.
    pub fn select_outside(&self, among: Option<&[u32]>, predicted: &[DVec3], out: &mut Vec<u32>) {
        let square = |bound: f64| bound.max(0.0).powi(2);
        let squares: Vec<(f64, f64)> = self
            .classes
            .iter()
            .map(|c| {
                (
                    square(c.shortest - c.noticed),
                    square(c.longest + c.noticed),
                )
            })
            .collect();
        let scaled_squares = |link: usize, class: usize| {
            if self.rate.is_some() {
                let noticed = self.class_of(link).noticed;
                let (shortest, longest) = self.of(link);
                (square(shortest - noticed), square(longest + noticed))
            } else {
                let (least, most) = squares[class];
                let square = self.lengths.scale(link).powi(2);
                (square * least, square * most)
            }
        };
        let is_outside = |link: usize, ends: [u32; 2], class: usize| {
            let [i, j] = ends.map(|end| predicted[end as usize]);
            let length = i.distance_squared(j);
            let (least, most) = scaled_squares(link, class);
            length > most || length < least
        };
        // Families are known by their trait alone, so they are asked once and not link by link.
        match self.lengths {
            Lengths::Links(family) => {
                let (ends, classes) = (family.ends(), family.class_of_links());
                let is_outside =
                    |link: usize| is_outside(link, ends[link], usize::from(classes[link]));
                select(ends.len(), among, &is_outside, out);
            }
            Lengths::Edges(edges) => {
                let is_outside = |k: usize| is_outside(k, edges[k].ends, edges[k].thread as usize);
                select(edges.len(), among, &is_outside, out);
            }
        }
    }
}

/// Appends those of `among`, or of all `len`, that are wanted.
fn select(
    len: usize,
    among: Option<&[u32]>,
    wanted: &(impl Fn(usize) -> bool + Sync),
    out: &mut Vec<u32>,
) {
    let Some(links) = among else {
        return par::select(len, LINK_GRAIN, wanted, out);
    };
    let wanted = |k: usize| wanted(links[k] as usize);
    par::select(links.len(), LINK_GRAIN, &wanted, out);
    for k in out.iter_mut() {
        *k = links[*k as usize];
    }
}
