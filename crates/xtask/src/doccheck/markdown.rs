//! Paths and links in documents lead somewhere.

/// Endings that make a word without a slash a path.
const ENDINGS: [&str; 5] = [".rs", ".toml", ".md", ".bib", ".png"];

/// Paths in backticks that lead nowhere.
pub fn path_problems(name: &str, text: &str, exists: &dyn Fn(&str) -> bool) -> Vec<String> {
    prose(text)
        .flat_map(|(line, text)| text.split('`').skip(1).step_by(2).map(move |s| (line, s)))
        .filter(|(_, span)| is_path(span) && !exists(span))
        .map(|(line, path)| format!("{name}:{line}: `{path}` does not exist"))
        .collect()
}

/// Links to files that lead nowhere.
pub fn link_problems(name: &str, text: &str, exists: &dyn Fn(&str) -> bool) -> Vec<String> {
    prose(text)
        .flat_map(|(line, text)| {
            let targets = text.split("](").skip(1);
            targets.filter_map(move |rest| Some((line, rest.split_once(')')?.0)))
        })
        .map(|(line, target)| (line, target.split('#').next().unwrap_or_default()))
        .filter(|(_, file)| !file.is_empty() && !file.contains("://") && !exists(file))
        .map(|(line, file)| format!("{name}:{line}: the link to {file} leads nowhere"))
        .collect()
}

/// The lines outside fenced code, with their numbers.
fn prose(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut fenced = false;
    text.lines().enumerate().filter_map(move |(index, line)| {
        let fence = line.trim_start().starts_with("```");
        fenced ^= fence;
        (!fenced && !fence).then_some((index + 1, line))
    })
}

/// Whether it is written like a path from the root. `out/` holds what runs leave behind, so
/// nothing is expected there.
fn is_path(span: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || "._-/".contains(c);
    span.chars().all(plain)
        && (span.contains('/') || ENDINGS.iter().any(|ending| span.ends_with(ending)))
        && !span.starts_with("out/")
        && !span.starts_with('/')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn absent_paths_are_found_with_their_line() {
        let text = "See `crates/sim` and `crates/sim/src/gone.rs`.\nAnd `LOST.md`, `here.toml`.\n";
        let exists = |path: &str| ["crates/sim", "here.toml"].contains(&path);
        assert_eq!(
            path_problems("A.md", text, &exists),
            [
                "A.md:1: `crates/sim/src/gone.rs` does not exist",
                "A.md:2: `LOST.md` does not exist"
            ]
        );
    }

    #[test]
    fn what_is_not_written_like_a_path_is_left_alone() {
        let text = "`toile run`, `System`, `a::b`, `N·s/m`, `out/NAME`, `film.mp4`, `x = a/b`\n\
            ```\n`gone/away.rs`\n```\n";
        assert_eq!(path_problems("A.md", text, &|_| false), [""; 0]);
    }

    #[test]
    fn absent_links_are_found() {
        let text = "[a](here.md) [b](gone.md#part) [c](https://x.org/y) [d](#below)\n![p](q.png)";
        assert_eq!(
            link_problems("A.md", text, &|path| path == "here.md"),
            [
                "A.md:1: the link to gone.md leads nowhere",
                "A.md:2: the link to q.png leads nowhere"
            ]
        );
    }
}
