//! Links in colours: those of one colour share no particle.

/// Links by colour, each list ascending.
#[derive(Default)]
pub struct Colours(Vec<Vec<u32>>);

impl Colours {
    /// Gives every link in turn the first colour that neither of its ends has met: at most twice
    /// as many as a particle has links.
    pub fn new(particles: usize, ends: &[[u32; 2]]) -> Self {
        let mut met: Vec<Vec<usize>> = vec![Vec::new(); particles];
        let mut colours: Vec<Vec<u32>> = Vec::new();
        for (link, &[i, j]) in ends.iter().enumerate() {
            let (i, j) = (i as usize, j as usize);
            let is_free = |colour: &usize| !met[i].contains(colour) && !met[j].contains(colour);
            let colour = (0..).find(is_free).unwrap_or(colours.len());
            met[i].push(colour);
            met[j].push(colour);
            if colour == colours.len() {
                colours.push(Vec::new());
            }
            colours[colour].push(link as u32);
        }
        Self(colours)
    }

    /// One colour after the other, or the other way round.
    pub fn in_turn(&self, backwards: bool) -> impl Iterator<Item = &[u32]> {
        let count = self.0.len();
        (0..count).map(move |k| &*self.0[if backwards { count - 1 - k } else { k }])
    }
}

#[cfg(test)]
mod tests {
    use super::Colours;

    #[test]
    fn links_of_a_colour_share_no_particle_and_every_link_has_one() {
        // A triangulated strip, met in an awkward order.
        let ends: Vec<[u32; 2]> = (0..40)
            .flat_map(|i| [[i, i + 2], [i, i + 1]])
            .rev()
            .collect();
        let colours = Colours::new(42, &ends);
        let mut links = Vec::new();
        for colour in colours.in_turn(false) {
            let mut seen = std::collections::HashSet::new();
            for &link in colour {
                assert!(ends[link as usize].iter().all(|end| seen.insert(*end)));
                links.push(link);
            }
        }
        links.sort_unstable();
        assert!(links.iter().copied().eq(0..80));
        assert!(colours.0.len() <= 7, "{} colours", colours.0.len());
        let backwards: Vec<_> = colours.in_turn(true).collect();
        assert_eq!(backwards[0], colours.0.last().unwrap().as_slice());
    }
}
