//! Which links each particle has, and where they go in its row of the matrix.

use std::ops::Range;
use toile_numerics::Pattern;

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
    first_of_particle: Vec<u32>,
    of_particle: Vec<End>,
}

impl Incidence {
    /// Of links in a matrix of this pattern, if there is one yet.
    pub fn new(particles: usize, ends: &[[u32; 2]], pattern: Option<&Pattern>) -> Self {
        let mut first_of_particle = vec![0; particles + 1];
        for end in ends.as_flattened() {
            first_of_particle[*end as usize + 1] += 1;
        }
        for particle in 0..particles {
            first_of_particle[particle + 1] += first_of_particle[particle];
        }
        let mut next = first_of_particle.clone();
        let none = End {
            link: 0,
            other: 0,
            place: u16::MAX,
            is_first: false,
        };
        let mut of_particle = vec![none; 2 * ends.len()];
        for (link, &[i, j]) in ends.iter().enumerate() {
            for (here, other, is_first) in [(i, j, true), (j, i, false)] {
                let place = &mut next[here as usize];
                of_particle[*place as usize] = End {
                    link: link as u32,
                    other,
                    is_first,
                    ..none
                };
                *place += 1;
            }
        }
        for range in first_of_particle.windows(2) {
            let own = &mut of_particle[range[0] as usize..range[1] as usize];
            own.sort_unstable_by_key(|end| (end.other, end.link));
        }
        let mut incidence = Self {
            first_of_particle,
            of_particle,
        };
        if let Some(pattern) = pattern {
            incidence.bind(pattern);
        }
        incidence
    }

    fn bind(&mut self, pattern: &Pattern) {
        for row in 0..pattern.rows() {
            let first = pattern.row(row).start;
            let range = self.range(row);
            for end in &mut self.of_particle[range] {
                let place = pattern
                    .place(row, end.other)
                    .expect("the pattern holds every link of the model");
                end.place = u16::try_from(place - first)
                    .expect("a particle has fewer than 65,536 neighbours");
            }
        }
    }

    fn range(&self, particle: usize) -> Range<usize> {
        let bounds = [particle, particle + 1].map(|k| self.first_of_particle[k] as usize);
        bounds[0]..bounds[1]
    }

    /// The links of one particle, by their other ends.
    pub fn of(&self, particle: usize) -> &[End] {
        &self.of_particle[self.range(particle)]
    }
}
