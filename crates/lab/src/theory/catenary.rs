//! The catenary: a limp rope between two points at the same height.

/// Parameter and sag of a rope of unit length whose ends are `span` apart, 0 < span < 1:
/// `2a sinh(span/2a) = 1`, `sag = a (cosh(span/2a) − 1)`.
pub fn hang(span: f64) -> (f64, f64) {
    // sinh(q)/q rises with q = span/2a.
    let (mut low, mut high) = (1e-9_f64, 50.0_f64);
    for _ in 0..200 {
        let q = 0.5 * (low + high);
        if q.sinh() / q < 1.0 / span {
            low = q;
        } else {
            high = q;
        }
    }
    let q = 0.5 * (low + high);
    let a = span / (2.0 * q);
    (a, a * (q.cosh() - 1.0))
}

/// Its points, `count` of them.
pub fn points(span: f64, count: usize) -> Vec<[f64; 2]> {
    let (a, sag) = hang(span);
    (0..count)
        .map(|k| span * (k as f64 / (count - 1) as f64 - 0.5))
        .map(|x| [x, a * ((x / a).cosh() - 1.0) - sag])
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sags_are_those_of_the_table() {
        for (span, parameter, sag) in [
            (0.9, 0.560094, 0.190709),
            (0.8, 0.338202, 0.265438),
            (0.5, 0.114820, 0.398194),
            (0.2, 0.027947, 0.472834),
        ] {
            let (a, found) = hang(span);
            assert!((a - parameter).abs() < 1e-6 && (found - sag).abs() < 1e-6);
        }
    }
}
