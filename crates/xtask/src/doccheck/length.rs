//! Files stay short enough to read.

use super::Source;

const MAX_LINES: usize = 800;

pub fn problems(sources: &[Source]) -> Vec<String> {
    sources
        .iter()
        .map(|source| (&source.path, source.text.lines().count()))
        .filter(|&(_, lines)| lines > MAX_LINES)
        .map(|(path, lines)| format!("{path}: {lines} lines, expected at most {MAX_LINES}"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_files_over_the_limit_are_named() {
        let source = |path: &str, lines| Source {
            path: path.to_owned(),
            text: "\n".repeat(lines),
        };
        let sources = [
            source("short.rs", MAX_LINES),
            source("long.rs", MAX_LINES + 1),
        ];
        let found = problems(&sources);
        assert_eq!(found.len(), 1);
        assert!(found[0].starts_with("long.rs: 801 lines"));
    }
}
