//! Queries with exact answers, the same at every run.

use glam::{DQuat, DVec3, EulerRot};
use toile_geometry::ccd;
use toile_geometry::ccd::exact::{self, Moment};

/// A question of continuous collision detection, and the truth.
pub struct Query {
    edges: bool,
    start: [DVec3; 4],
    end: [DVec3; 4],
    /// When contact begins, if it does.
    pub truth: Option<Truth>,
}

/// The exact time of a contact.
pub enum Truth {
    /// Known beforehand.
    Known(f64),
    /// Computed.
    Computed(Moment),
}

impl Truth {
    /// Whether it is earlier than `time`.
    pub fn is_before(&self, time: f64) -> bool {
        match self {
            Self::Known(truth) => *truth < time,
            Self::Computed(truth) => !truth.is_no_earlier_than(time),
        }
    }

    /// In floating point.
    pub fn rounded(&self) -> f64 {
        match self {
            Self::Known(truth) => *truth,
            Self::Computed(truth) => truth.rounded(),
        }
    }
}

impl Query {
    /// The answer that is being judged.
    pub fn answer(&self) -> Option<f64> {
        if self.edges {
            ccd::edge_edge(&self.start, &self.end, 0.0)
        } else {
            ccd::point_triangle(&self.start, &self.end, 0.0)
        }
    }

    fn computed(edges: bool, start: [DVec3; 4], end: [DVec3; 4]) -> Self {
        let truth = if edges {
            exact::edge_edge(&start, &end)
        } else {
            exact::point_triangle(&start, &end)
        };
        Self {
            edges,
            start,
            end,
            truth: truth.map(Truth::Computed),
        }
    }
}

/// Where queries come from.
#[derive(Clone, Copy)]
pub enum Family {
    /// A straight passage through a point chosen beforehand.
    Constructed,
    /// Coordinates anywhere in a cube.
    Anywhere,
    /// Small whole coordinates: touches, parallel edges, triangles without area.
    Lattice,
    /// The same, turned and moved: special positions within rounding.
    TurnedLattice,
    /// All motion in one plane.
    OnePlane,
}

impl Family {
    /// All of them.
    pub const ALL: [Self; 5] = [
        Self::Constructed,
        Self::Anywhere,
        Self::Lattice,
        Self::TurnedLattice,
        Self::OnePlane,
    ];

    /// In words.
    pub fn name(self) -> &'static str {
        match self {
            Self::Constructed => "by construction",
            Self::Anywhere => "anywhere",
            Self::Lattice => "whole coordinates",
            Self::TurnedLattice => "whole, turned",
            Self::OnePlane => "in one plane",
        }
    }

    /// `count` queries of each kind.
    pub fn queries(self, count: usize) -> Vec<Query> {
        let mut random = Random(0x1234_5678 + self as u64);
        let mut queries = Vec::new();
        for k in 0..2 * count {
            queries.push(self.query(k % 2 == 1, &mut random));
        }
        queries
    }

    fn query(self, edges: bool, random: &mut Random) -> Query {
        let corners = |coordinate: &mut dyn FnMut() -> f64| {
            std::array::from_fn(|_| DVec3::new(coordinate(), coordinate(), coordinate()))
        };
        let ends = |x: [[DVec3; 4]; 2], map: &dyn Fn(DVec3) -> DVec3| x.map(|x| x.map(map));
        let [start, end] = match self {
            Self::Constructed => return constructed(edges, random),
            Self::Anywhere => {
                let mut coordinate = || random.share() - 0.5;
                [corners(&mut coordinate), corners(&mut coordinate)]
            }
            Self::Lattice | Self::TurnedLattice | Self::OnePlane => {
                let mut coordinate = || random.whole(2);
                let x = [corners(&mut coordinate), corners(&mut coordinate)];
                let turn = DQuat::from_euler(EulerRot::XYZ, random.share(), 1.0, random.share());
                match self {
                    Self::TurnedLattice => ends(x, &|p| turn * p + DVec3::new(0.3, 5.0, -2.0)),
                    Self::OnePlane => ends(x, &|p| DVec3::new(p.x, p.y, p.x - p.y)),
                    _ => x,
                }
            }
        };
        Query::computed(edges, start, end)
    }
}

/// A moving primitive that passes straight through a point of one at rest, across its plane: they
/// have a point in common at that moment and at no other.
fn constructed(edges: bool, random: &mut Random) -> Query {
    loop {
        let mut point = || DVec3::new(random.whole(9), random.whole(9), random.whole(9));
        // Multiples of four have whole points at quarters of the way.
        let [a, b, c, way] = [point() * 4.0, point() * 4.0, point() * 4.0, point()];
        let (quarter, other) = (random.below(5) as f64, random.below(5) as f64);
        let eighths = 1 + random.below(7);
        let (contact, moving, rest, normal) = if edges {
            let contact = a + (b - a) * 0.25 * quarter;
            // The moving edge is parallel to c, with `other` quarters of it before the contact.
            let first = contact - c * 0.25 * other;
            (first, vec![DVec3::ZERO, c], vec![a, b], (b - a).cross(c))
        } else {
            let second = (4.0 - quarter).min(other);
            let contact = a + (b - a) * 0.25 * quarter + (c - a) * 0.25 * second;
            (
                contact,
                vec![DVec3::ZERO],
                vec![a, b, c],
                (b - a).cross(c - a),
            )
        };
        if normal.dot(way) == 0.0 {
            continue;
        }
        let at = |steps: f64| -> [DVec3; 4] {
            let moved = moving.iter().map(|x| contact + *x + way * steps);
            let all: Vec<DVec3> = moved.chain(rest.iter().copied()).collect();
            std::array::from_fn(|i| all[i])
        };
        return Query {
            edges,
            start: at(-(eighths as f64)),
            end: at(8.0 - eighths as f64),
            truth: Some(Truth::Known(eighths as f64 / 8.0)),
        };
    }
}

/// Steele and Vigna's splitmix generator.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Between 0 and 1.
    fn share(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn below(&mut self, count: u64) -> u64 {
        self.next() % count
    }

    /// A whole number of at most this magnitude.
    fn whole(&mut self, reach: u64) -> f64 {
        self.below(2 * reach + 1) as f64 - reach as f64
    }
}
