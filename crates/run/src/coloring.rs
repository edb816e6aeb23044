//! Colours that show a quantity.

use crate::error::RunError;
use crate::saved::Source;
use glam::DVec3;
use toile_view::Color;
use toile_view::field::{Pattern, curvatures_per_m, speeds_m_per_s};
use toile_view::plot::ColorScale;

/// Share of the vertices of a frame whose values the colours cover: the few beyond would make all
/// others look alike.
const COVERED: f64 = 0.99;

/// Texture coordinates whose area differs from the mesh's by more than this factor are not those
/// of a pattern in metres.
const AREA_FACTOR: f64 = 4.0;

/// A quantity that colours show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantity {
    /// Strain along warp, %.
    StrainWarp,
    /// Strain along weft, %.
    StrainWeft,
    /// Shear angle between warp and weft, degrees.
    Shear,
    /// The larger principal curvature, 1/m.
    Curvature,
    /// Speed from frame to frame, m/s.
    Speed,
    /// Elastic energy without bending, J/m².
    EnergyDensity,
}

impl Quantity {
    /// In words.
    pub fn name(self) -> &'static str {
        match self {
            Self::StrainWarp => "strain along warp",
            Self::StrainWeft => "strain along weft",
            Self::Shear => "shear angle",
            Self::Curvature => "curvature",
            Self::Speed => "speed",
            Self::EnergyDensity => "elastic energy",
        }
    }

    /// What its values are in.
    pub fn unit(self) -> &'static str {
        match self {
            Self::StrainWarp | Self::StrainWeft => "%",
            Self::Shear => "°",
            Self::Curvature => "1/m",
            Self::Speed => "m/s",
            Self::EnergyDensity => "J/m²",
        }
    }

    /// Whether values may be below 0.
    fn is_signed(self) -> bool {
        !matches!(self, Self::Speed | Self::EnergyDensity)
    }

    /// Whether `source` says enough to find it.
    pub fn check(self, source: &mut Source) -> Result<(), RunError> {
        let refuse = |source: &Source, why: String| {
            let name = self.name();
            Err(RunError::input(format!(
                "{}: the {name} cannot be shown: {why}",
                source.name
            )))
        };
        if self == Self::Speed && source.frames() < 2 {
            return refuse(source, "there is only one frame".to_owned());
        }
        if self == Self::EnergyDensity && source.stiffness.is_empty() {
            return refuse(
                source,
                "the material is not known; give the folder of a run that has a scene.toml"
                    .to_owned(),
            );
        }
        if matches!(self, Self::Speed | Self::Curvature) {
            return Ok(());
        }
        if source.cloths.uv().is_empty() {
            return refuse(source, "the mesh has no texture coordinates".to_owned());
        }
        let positions = source.positions(0)?;
        let flat: Vec<DVec3> = source.cloths.uv().iter().map(|uv| uv.extend(0.0)).collect();
        let areas = [positions.as_slice(), &flat].map(|at| area_m2(source.cloths.faces(), at));
        let ratio = areas[1] / areas[0];
        if (1.0 / AREA_FACTOR..=AREA_FACTOR).contains(&ratio) {
            return Ok(());
        }
        refuse(
            source,
            format!(
                "its texture coordinates are not a pattern in metres (their area is {:.3} m², the \
                 mesh's {:.3} m²)",
                areas[1], areas[0]
            ),
        )
    }

    /// Its values at the vertices in frame `k`, in its unit.
    pub fn values(self, source: &mut Source, k: u64, fps: f64) -> Result<Vec<f64>, RunError> {
        let positions = source.positions(k)?;
        if self == Self::Speed {
            // The first frame has none before it and takes the speed that it leaves with.
            let (from, to) = (k.saturating_sub(1), k.max(1));
            let [from, to] = [source.positions(from)?, source.positions(to)?];
            return Ok(speeds_m_per_s(&from, &to, 1.0 / fps));
        }
        let mut values = vec![f64::NAN; positions.len()];
        for (index, faces) in source.cloths.faces().iter().enumerate() {
            let uv = source.cloths.uv();
            let pattern = Pattern { faces, uv };
            let found = match self {
                Self::StrainWarp => pattern.at_vertices(&positions, |g| 100.0 * g.strain_warp()),
                Self::StrainWeft => pattern.at_vertices(&positions, |g| 100.0 * g.strain_weft()),
                Self::Shear => pattern.at_vertices(&positions, |g| g.shear_rad().to_degrees()),
                Self::EnergyDensity => {
                    let stiffness = source.stiffness[index];
                    pattern.at_vertices(&positions, |g| stiffness.density_j_per_m2(g))
                }
                _ => curvatures_per_m(&positions, faces),
            };
            // Each cloth has values at its own vertices only.
            for (value, found) in values.iter_mut().zip(found) {
                if found.is_finite() {
                    *value = found;
                }
            }
        }
        Ok(values)
    }

    /// Colours for these values at the ends, or for nearly all of `extent`.
    pub fn scale(self, asked: Option<[f64; 2]>, extent: Extent) -> ColorScale {
        let high = rounded_up(extent.0);
        let range = asked.unwrap_or(if self.is_signed() {
            [-high, high]
        } else {
            [0.0, high]
        });
        let scale = ColorScale::new(self.name(), self.unit(), range);
        if self.is_signed() {
            scale.signed()
        } else {
            scale
        }
    }

    /// In words, with the values at the ends of the colours.
    pub fn describe(self, scale: &ColorScale) -> String {
        let [low, high] = scale.range();
        format!("{} from {low} to {high} {}", self.name(), self.unit())
    }
}

/// How large values get, leaving out the largest few of each frame.
#[derive(Clone, Copy, Debug, Default)]
pub struct Extent(f64);

impl Extent {
    /// Takes the values of a frame into account.
    pub fn include(&mut self, values: &[f64]) {
        let mut sizes: Vec<f64> = values
            .iter()
            .filter(|v| v.is_finite())
            .map(|v| v.abs())
            .collect();
        sizes.sort_by(f64::total_cmp);
        let at = (COVERED * sizes.len() as f64) as usize;
        if let Some(size) = sizes.get(at).or(sizes.last()) {
            self.0 = self.0.max(*size);
        }
    }
}

/// The next of 1, 2 and 5 times a power of ten; 1 for nothing.
fn rounded_up(value: f64) -> f64 {
    // What is smaller is rounding, whatever the quantity.
    if !(value > 1e-6 && value.is_finite()) {
        return 1.0;
    }
    let power = value.log10().floor() as i32;
    let leads = [1.0, 2.0, 5.0, 10.0];
    let scaled = |lead: f64| {
        // Powers of ten below one are exact only as quotients.
        if power < 0 {
            lead / 10f64.powi(-power)
        } else {
            lead * 10f64.powi(power)
        }
    };
    let fits = |high: &f64| *high >= value * (1.0 - 1e-9);
    leads.map(scaled).into_iter().find(fits).unwrap_or(value)
}

fn area_m2(cloths: &[Vec<[u32; 3]>], positions: &[DVec3]) -> f64 {
    let areas = cloths.iter().flatten().map(|face| {
        let [a, b, c] = face.map(|v| positions[v as usize]);
        0.5 * (b - a).cross(c - a).length()
    });
    areas.sum()
}

/// The colours of values.
pub fn colors(scale: &ColorScale, values: &[f64]) -> Vec<Color> {
    values.iter().map(|v| scale.color(*v)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_are_round_numbers_that_cover_the_values() {
        for (value, expected) in [
            (0.9, 1.0),
            (1.0, 1.0),
            (1.1, 2.0),
            (0.0031, 0.005),
            (73.0, 100.0),
            (0.0, 1.0),
            (f64::NAN, 1.0),
        ] {
            assert_eq!(rounded_up(value), expected, "{value}");
        }
    }

    #[test]
    fn a_few_large_values_do_not_count() {
        let mut values = vec![-1.0; 1000];
        values[..5].fill(50.0);
        values[5] = f64::NAN;
        let mut extent = Extent::default();
        extent.include(&values);
        assert_eq!(extent.0, 1.0);
    }
}
