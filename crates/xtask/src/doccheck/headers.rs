//! Every force says what it is in the same words, and what verifies it exists.

use super::Source;
use std::path::Path;

const FORCES: &str = "crates/sim/src/forces/";

/// What the header of a force must say.
const FORCE_SECTIONS: [&str; 7] = [
    "Energy",
    "Force",
    "Jacobian",
    "Units",
    "Degenerate cases",
    "Source",
    "Verified by",
];

/// Files of scalar curves that forces are built from: no particles, so no Jacobian of their own.
const CURVES: [&str; 1] = ["arc.rs"];

/// What the header of a curve must say.
const CURVE_SECTIONS: [&str; 5] = ["Energy", "Force", "Units", "Source", "Verified by"];

pub fn problems(root: &Path, sources: &[Source]) -> Vec<String> {
    let exists = |path: &str| root.join(path).exists();
    sources
        .iter()
        .flat_map(|source| source_problems(source, &exists))
        .collect()
}

fn source_problems(source: &Source, exists: &dyn Fn(&str) -> bool) -> Vec<String> {
    let Source { path, text } = source;
    let header = header(text);
    let mut problems = Vec::new();
    if let Some(file) = path.strip_prefix(FORCES).filter(|file| *file != "mod.rs") {
        let required = if CURVES.contains(&file) {
            &CURVE_SECTIONS[..]
        } else {
            &FORCE_SECTIONS[..]
        };
        for section in required {
            if section_text(&header, section).is_none() {
                problems.push(format!("{path}: its header does not say `{section}:`"));
            }
        }
    }
    // Whoever names a test must have it, in whatever folder.
    if let (Some(named), Some((folder, _))) = (
        section_text(&header, "Verified by"),
        path.split_once("/src/"),
    ) {
        let tests: Vec<&str> = named.split('`').skip(1).step_by(2).collect();
        if tests.is_empty() {
            problems.push(format!("{path}: `Verified by:` names no test"));
        }
        for test in tests {
            if !exists(&format!("{folder}/{test}")) {
                problems.push(format!(
                    "{path}: is verified by {test}, which does not exist"
                ));
            }
        }
    }
    problems
}

/// The `//!` lines a file opens with, without the slashes.
fn header(text: &str) -> Vec<&str> {
    text.lines()
        .map_while(|line| line.strip_prefix("//!"))
        .map(str::trim)
        .collect()
}

/// What follows `name … :` up to the next item or paragraph; `None` if that is nothing.
fn section_text(header: &[&str], name: &str) -> Option<String> {
    let first = header.iter().position(|line| {
        let item = line.strip_prefix("- ").unwrap_or(line);
        item.strip_prefix(name)
            .is_some_and(|rest| rest.starts_with([':', ' ']) && rest.contains(':'))
    })?;
    let start = header[first].split_once(':').map(|(_, rest)| rest)?;
    let more = header[first + 1..]
        .iter()
        .take_while(|line| !line.is_empty() && !line.starts_with("- "));
    let text: Vec<&str> = std::iter::once(start).chain(more.copied()).collect();
    let text = text.join(" ").trim().to_owned();
    (!text.is_empty()).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = "\
//! A spring.
//!
//! - Energy: `½ k e²`.
//! - Force along the link: `k e`.
//! - Jacobian: `k nnᵀ`.
//! - Units: N.
//! - Degenerate cases: none.
//! - Source: ours.
//! - Verified by: `tests/a.rs`,
//!   `tests/b.rs`.

use glam::DVec3;
";

    fn check(file: &str, text: &str) -> Vec<String> {
        let source = Source {
            path: format!("{FORCES}{file}"),
            text: text.to_owned(),
        };
        let exists =
            |path: &str| ["crates/sim/tests/a.rs", "crates/sim/tests/b.rs"].contains(&path);
        source_problems(&source, &exists)
    }

    #[test]
    fn a_whole_header_passes() {
        assert_eq!(check("spring.rs", GOOD), [""; 0]);
    }

    #[test]
    fn every_missing_section_is_named() {
        for section in FORCE_SECTIONS {
            let without = GOOD.replace(&format!("- {section}"), "- Something");
            let found = check("spring.rs", &without);
            assert_eq!(found.len(), 1, "{section}: {found:?}");
            assert!(found[0].contains(&format!("`{section}:`")), "{found:?}");
        }
    }

    #[test]
    fn an_empty_section_is_missing() {
        let found = check("spring.rs", &GOOD.replace("Units: N.", "Units:"));
        assert_eq!(found.len(), 1);
        assert!(found[0].contains("`Units:`"));
    }

    #[test]
    fn what_is_said_below_the_header_does_not_count() {
        let later = format!("use std::fmt;\n{GOOD}");
        assert_eq!(check("spring.rs", &later).len(), FORCE_SECTIONS.len());
        assert_eq!(check("mod.rs", ""), [""; 0]);
    }

    #[test]
    fn curves_need_no_jacobian_but_all_else() {
        let curve = GOOD
            .replace("- Jacobian", "- Slope")
            .replace("- Degenerate cases", "- Ends");
        assert_eq!(check("arc.rs", &curve), [""; 0]);
        assert_eq!(check("arc.rs", &curve.replace("- Units", "-")).len(), 1);
    }

    #[test]
    fn absent_tests_are_named_anywhere() {
        let found = check("spring.rs", &GOOD.replace("tests/b.rs", "tests/c.rs"));
        assert_eq!(found.len(), 1);
        assert!(found[0].contains("tests/c.rs"), "{found:?}");
        let found = check("spring.rs", &GOOD.replace('`', ""));
        assert!(found[0].contains("names no test"), "{found:?}");

        let elsewhere = Source {
            path: "crates/io/src/obj.rs".to_owned(),
            text: "//! OBJ. Verified by: nothing.\n//! Verified by: `tests/obj.rs`.\n".to_owned(),
        };
        assert_eq!(source_problems(&elsewhere, &|_| false).len(), 1);
        assert_eq!(
            source_problems(&elsewhere, &|path| path == "crates/io/tests/obj.rs"),
            [""; 0]
        );
    }
}
