//! Smooth curves through numbers given at stations.

/// A natural cubic spline through several channels at once; constant beyond its ends.
#[derive(Clone, Debug)]
pub struct Spline<const N: usize> {
    at: Vec<f64>,
    values: Vec<[f64; N]>,
    /// Second derivatives at the stations.
    bends: Vec<[f64; N]>,
}

impl<const N: usize> Spline<N> {
    /// Through `stations`, each a place and its values, in order of strictly growing places.
    pub fn through(stations: &[(f64, [f64; N])]) -> Self {
        let at: Vec<f64> = stations.iter().map(|s| s.0).collect();
        let values: Vec<[f64; N]> = stations.iter().map(|s| s.1).collect();
        let bends = bends(&at, &values);
        Self { at, values, bends }
    }

    /// First and last place.
    pub fn ends(&self) -> [f64; 2] {
        let last = self.at.len().saturating_sub(1);
        [0, last].map(|k| self.at.get(k).copied().unwrap_or(0.0))
    }

    /// The values at a place.
    pub fn at(&self, place: f64) -> [f64; N] {
        let [first, last] = self.ends();
        let place = place.clamp(first, last);
        let k = self.at.partition_point(|&x| x <= place);
        let k = k.clamp(1, self.at.len().max(2) - 1);
        let (Some(&x0), Some(&x1)) = (self.at.get(k - 1), self.at.get(k)) else {
            return self.values.first().copied().unwrap_or([0.0; N]);
        };
        let h = x1 - x0;
        let (a, b) = ((x1 - place) / h, (place - x0) / h);
        let (ca, cb) = ((a * a * a - a) * h * h / 6.0, (b * b * b - b) * h * h / 6.0);
        std::array::from_fn(|n| {
            a * self.values[k - 1][n]
                + b * self.values[k][n]
                + ca * self.bends[k - 1][n]
                + cb * self.bends[k][n]
        })
    }
}

/// Second derivatives of the natural spline: a tridiagonal system, solved by elimination.
fn bends<const N: usize>(at: &[f64], values: &[[f64; N]]) -> Vec<[f64; N]> {
    let count = at.len();
    let mut bends = vec![[0.0; N]; count];
    let mut above = vec![0.0; count];
    for k in 1..count.saturating_sub(1) {
        let (h0, h1) = (at[k] - at[k - 1], at[k + 1] - at[k]);
        let pivot = 2.0 * (h0 + h1) - h0 * above[k - 1];
        above[k] = h1 / pivot;
        for n in 0..N {
            let slope = |k: usize, h: f64| (values[k + 1][n] - values[k][n]) / h;
            let load = 6.0 * (slope(k, h1) - slope(k - 1, h0));
            bends[k][n] = (load - h0 * bends[k - 1][n]) / pivot;
        }
    }
    for k in (1..count.saturating_sub(1)).rev() {
        let next = bends[k + 1];
        for (bend, next) in bends[k].iter_mut().zip(next) {
            *bend -= above[k] * next;
        }
    }
    bends
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn goes_through_its_stations_and_is_smooth_there() {
        let stations = [(0.0, [1.0]), (1.0, [3.0]), (1.5, [2.0]), (3.0, [2.5])];
        let spline = Spline::through(&stations);
        for (x, [y]) in stations {
            assert!((spline.at(x)[0] - y).abs() < 1e-12);
        }
        let d = 1e-4;
        for x in [1.0, 1.5] {
            let slope = |x: f64| (spline.at(x + d)[0] - spline.at(x - d)[0]) / (2.0 * d);
            assert!((slope(x + d) - slope(x - d)).abs() < 0.01);
            let bend = |x: f64| {
                (spline.at(x + d)[0] - 2.0 * spline.at(x)[0] + spline.at(x - d)[0]) / (d * d)
            };
            assert!((bend(x + 2.0 * d) - bend(x - 2.0 * d)).abs() < 0.05);
        }
        assert_eq!(spline.at(-1.0), [1.0]);
        assert!((spline.at(4.0)[0] - 2.5).abs() < 1e-12);
    }
}
