//! The links of a square grid, written down a second time straight from their definition: an
//! oracle for the model's own.

use glam::{DMat3, DVec3};
use nalgebra::DMatrix;
use toile_sim::{ClothSpec, Compression, Jacobian};

/// What a link does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    /// Pulls with this stiffness, N/m.
    Stretch(f64),
    /// Pushes: rigidity k_b in N·m² and pre-buckling stiffness c_b in N/m.
    Bending(f64, f64),
}

#[derive(Clone, Copy, Debug)]
pub struct Link {
    pub ends: [usize; 2],
    pub rest_m: f64,
    pub kind: Kind,
}

/// State of one link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Branch {
    Taut,
    Slack,
    Straight,
    Linear,
    Arc,
}

/// All links of a sheet with square cells and equal properties along u and v.
pub fn links(cloth: &ClothSpec) -> Vec<Link> {
    let grid = &cloth.sheet().expect("a rectangular cloth").grid;
    let h = grid.spacing_m().x;
    assert!((grid.spacing_m().y / h - 1.0).abs() < 1e-12);
    let material = &cloth.material;
    let Compression::CurvatureThreshold(kappa) = material.compression else {
        panic!("the oracle knows curvature thresholds only");
    };
    let k_axis = material.bending_warp_n_m * h / 2.25;
    let mut links = Vec::new();
    for (du, dv) in [(1, 0), (0, 1), (1, 1), (-1, 1)] {
        let diagonal = du != 0 && dv != 0;
        let half_m = if diagonal { 2.0_f64.sqrt() * h } else { h };
        for reach in [1, 2] {
            for row in 0..grid.rows as i64 {
                for column in 0..grid.columns as i64 {
                    let (c, r) = (column + reach * du, row + reach * dv);
                    if !(0..grid.columns as i64).contains(&c) || r >= grid.rows as i64 {
                        continue;
                    }
                    let border = match (du, dv) {
                        (1, 0) => row == 0 || row == grid.rows as i64 - 1,
                        (0, 1) => column == 0 || column == grid.columns as i64 - 1,
                        _ => false,
                    };
                    let share = if border { 0.5 } else { 1.0 };
                    let index = |c: i64, r: i64| (r * grid.columns as i64 + c) as usize;
                    let kind = if reach == 1 {
                        let k = if diagonal {
                            material.shear_n_per_m
                        } else {
                            material.stretch_warp_n_per_m
                        };
                        Kind::Stretch(share * k)
                    } else {
                        let k_b = share
                            * if diagonal {
                                k_axis / 2.0_f64.sqrt()
                            } else {
                                k_axis
                            };
                        Kind::Bending(k_b, 12.0 * k_b / (kappa.powi(2) * half_m.powi(5)))
                    };
                    links.push(Link {
                        ends: [index(column, row), index(c, r)],
                        rest_m: reach as f64 * half_m,
                        kind,
                    });
                }
            }
        }
    }
    links
}

/// `a` with `sin a / a = ratio`, by bisection.
pub fn inverse_sinc(ratio: f64) -> f64 {
    let (mut low, mut high) = (0.0, std::f64::consts::PI);
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if middle.sin() > ratio * middle {
            low = middle;
        } else {
            high = middle;
        }
    }
    0.5 * (low + high)
}

impl Link {
    pub fn vector(&self, x: &[DVec3]) -> DVec3 {
        x[self.ends[1]] - x[self.ends[0]]
    }

    pub fn compression(&self, x: &[DVec3]) -> f64 {
        (self.rest_m - self.vector(x).length()) / self.rest_m
    }

    /// Tension, its slope, and the branch they come from.
    pub fn respond(&self, x: &[DVec3]) -> (f64, f64, Branch) {
        let r = self.vector(x).length();
        let l = self.rest_m;
        match self.kind {
            Kind::Stretch(k) if r >= l => (k * (r - l), k, Branch::Taut),
            Kind::Stretch(_) => (0.0, 0.0, Branch::Slack),
            Kind::Bending(..) if r >= l => (0.0, 0.0, Branch::Straight),
            Kind::Bending(k_b, c_b) => {
                let a = inverse_sinc(r / l);
                let d = a.cos() - r / l;
                let arc = k_b * (2.0 * a / l).powi(2) / d;
                let slope = 4.0 * k_b / l.powi(3) * a * a * (3.0 * d + a * a.sin()) / d.powi(3);
                let line = c_b * (r - l);
                if arc > line {
                    (arc, slope, Branch::Arc)
                } else {
                    (line, c_b, Branch::Linear)
                }
            }
        }
    }

    /// The block `∂f_i/∂x_j` that the matrix shall have.
    fn block(&self, x: &[DVec3], jacobian: Jacobian, slack_factor: f64) -> DMat3 {
        let between = self.vector(x);
        let r = between.length();
        let along = outer(between) * (1.0 / (r * r));
        let across = DMat3::IDENTITY - along;
        let (tension, slope, branch) = self.respond(x);
        let exact = along * slope + across * (tension / r);
        let slack = match self.kind {
            Kind::Stretch(k) if branch == Branch::Slack => along * (slack_factor * k),
            _ => DMat3::ZERO,
        };
        match jacobian {
            Jacobian::Exact => exact,
            Jacobian::DropOrthogonal if tension < 0.0 => along * slope,
            Jacobian::DropOrthogonal => exact + slack,
            Jacobian::Projected => along * slope + across * (tension / r).max(0.0) + slack,
        }
    }
}

fn outer(a: DVec3) -> DMat3 {
    DMat3::from_cols(a * a.x, a * a.y, a * a.z)
}

/// `−K` of all links together.
pub fn stiffness(
    links: &[Link],
    x: &[DVec3],
    jacobian: Jacobian,
    slack_factor: f64,
) -> DMatrix<f64> {
    let mut sum = DMatrix::zeros(3 * x.len(), 3 * x.len());
    for link in links {
        let block = link.block(x, jacobian, slack_factor);
        let [i, j] = link.ends;
        for (a, b, sign) in [(i, i, 1.0), (j, j, 1.0), (i, j, -1.0), (j, i, -1.0)] {
            for p in 0..3 {
                for q in 0..3 {
                    sum[(3 * a + p, 3 * b + q)] += sign * block.col(q)[p];
                }
            }
        }
    }
    sum
}

/// Whether no link is within `margin` (a share of its length) of a kink of its law.
pub fn away_from_kinks(links: &[Link], x: &[DVec3], margin: f64) -> bool {
    links.iter().all(|link| {
        let e = link.compression(x);
        let near_crossover = match link.kind {
            Kind::Stretch(_) => false,
            Kind::Bending(..) => {
                // The two branches cross where their tensions agree.
                let branch_at = |e: f64| {
                    let mut moved = x.to_vec();
                    let [i, j] = link.ends;
                    let direction = link.vector(x).normalize();
                    moved[j] = moved[i] + link.rest_m * (1.0 - e) * direction;
                    link.respond(&moved).2
                };
                e > margin && branch_at(e - margin) != branch_at(e + margin)
            }
        };
        e.abs() > margin && e < 0.8 && !near_crossover
    })
}
