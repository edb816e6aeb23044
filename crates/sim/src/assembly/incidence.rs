//! Which links each particle has, and where they go in its row of the matrix.

use toile_numerics::{Csr, Pattern};

/// One end of a link, as its particle sees it.
#[derive(Clone, Copy, Debug)]
pub struct End {
    /// The link.
    pub link: u32,
    /// Its other end.
    pub other: u32,
    /// Place of the off-diagonal block within the particle's row: few enough to keep ends small.
    pub place: u16,
    /// Whether the particle is its first end.
    pub is_first: bool,
}

/// The links of every particle.
pub struct Incidence {
    of_particle: Csr<End>,
}

impl Incidence {
    /// Of links in a matrix of this pattern, if there is one yet.
    pub fn new(particles: usize, ends: &[[u32; 2]], pattern: Option<&Pattern>) -> Self {
        let both = ends.iter().enumerate().flat_map(|(link, &[i, j])| {
            [(i, j, true), (j, i, false)].map(|(here, other, is_first)| {
                let end = End {
                    link: link as u32,
                    other,
                    place: u16::MAX,
                    is_first,
                };
                (here as usize, end)
            })
        });
        let mut of_particle = Csr::from_pairs(particles, both);
        for particle in 0..particles {
            let own = of_particle.row_mut(particle);
            own.sort_unstable_by_key(|end| (end.other, end.link));
        }
        let mut incidence = Self { of_particle };
        if let Some(pattern) = pattern {
            incidence.bind(pattern);
        }
        incidence
    }

    fn bind(&mut self, pattern: &Pattern) {
        for row in 0..pattern.rows() {
            let first = pattern.row(row).start;
            for end in self.of_particle.row_mut(row) {
                let place = pattern
                    .place(row, end.other)
                    .expect("the pattern holds every link of the model");
                end.place = u16::try_from(place - first)
                    .expect("a particle has fewer than 65,536 neighbours");
            }
        }
    }

    /// The links of one particle, by their other ends.
    pub fn of(&self, particle: usize) -> &[End] {
        self.of_particle.row(particle)
    }
}
