//! Crates use only what ARCHITECTURE.md says they may: its table of crates is the law.

use std::collections::{BTreeMap, BTreeSet};

type Uses = BTreeSet<String>;

/// Checks `manifests`, each a crate's folder and its Cargo.toml, against the table
/// `| crate | may use | … |` in `architecture`.
pub fn problems(architecture: &str, manifests: &[(String, String)]) -> Vec<String> {
    let Some(allowed) = table(architecture) else {
        return vec!["ARCHITECTURE.md: no table `| crate | may use | … |`".to_owned()];
    };
    let mut problems = Vec::new();
    for (name, manifest) in manifests {
        let Some(may_use) = allowed.get(name) else {
            problems.push(format!(
                "ARCHITECTURE.md: crate `{name}` is not in the table"
            ));
            continue;
        };
        for used in uses(manifest).difference(may_use) {
            problems.push(format!(
                "crates/{name}/Cargo.toml: uses `{used}`, which ARCHITECTURE.md does not allow"
            ));
        }
    }
    for name in allowed.keys() {
        if !manifests.iter().any(|(folder, _)| folder == name) {
            problems.push(format!(
                "ARCHITECTURE.md: crate `{name}` is in the table but not in crates/"
            ));
        }
    }
    problems
}

/// What each crate may use.
fn table(architecture: &str) -> Option<BTreeMap<String, Uses>> {
    let in_backticks = |cell: &str| -> Vec<String> {
        let spans = cell.split('`').skip(1).step_by(2);
        spans.map(str::to_owned).collect()
    };
    let mut rows = architecture
        .lines()
        .skip_while(|line| !line.starts_with("| crate | may use |"));
    rows.next()?;
    let mut table = BTreeMap::new();
    for row in rows.take_while(|line| line.starts_with('|')) {
        let mut cells = row.split('|').skip(1);
        let (Some(name), Some(may_use)) = (cells.next(), cells.next()) else {
            continue;
        };
        if let Some(name) = in_backticks(name).into_iter().next() {
            table.insert(name, in_backticks(may_use).into_iter().collect());
        }
    }
    Some(table)
}

/// The crates of this workspace that a manifest names in any of its dependency tables, as
/// folder names: `toile-sim` lives in `sim`.
fn uses(manifest: &str) -> Uses {
    let mut uses = Uses::new();
    let mut in_dependencies = false;
    for line in manifest.lines().map(str::trim) {
        if let Some(section) = line.strip_prefix('[') {
            let section = section.trim_end_matches(']');
            in_dependencies = section.ends_with("dependencies");
            if let Some((_, name)) = section.split_once("dependencies.") {
                uses.extend(own_crate(name));
            }
        } else if in_dependencies {
            let name = line.split(['.', '=', ' ']).next().unwrap_or_default();
            uses.extend(own_crate(name));
        }
    }
    uses
}

fn own_crate(package: &str) -> Option<String> {
    match package {
        "toile" | "xtask" => Some(package.to_owned()),
        _ => package.strip_prefix("toile-").map(str::to_owned),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DOCUMENT: &str = "\
| word | means |
|---|---|
| `step` | `sim` |

| crate | may use | is |
|---|---|---|
| `geometry` | nothing | meshes |
| `sim` | `geometry` | cloth |

| `late` | `sim` | |
";

    fn crates(sim: &str, geometry: &str) -> Vec<(String, String)> {
        [("geometry", geometry), ("sim", sim)]
            .map(|(name, text)| (name.to_owned(), text.to_owned()))
            .to_vec()
    }

    #[test]
    fn arrows_as_drawn_pass() {
        let sim = "[package]\nname = \"toile-sim\"\n[dependencies]\ntoile-geometry.workspace = true\nglam = \"1\"\n";
        assert_eq!(problems(DOCUMENT, &crates(sim, "")), [""; 0]);
    }

    #[test]
    fn an_arrow_that_is_not_drawn_is_found_however_it_is_written() {
        for dependency in [
            "[dependencies]\ntoile-sim.workspace = true",
            "[dependencies]\ntoile-sim = { path = \"../sim\" }",
            "[dev-dependencies]\ntoile-sim={ workspace = true }",
            "[dependencies.toile-sim]\nworkspace = true",
            "[target.'cfg(unix)'.build-dependencies]\ntoile-sim.workspace = true",
        ] {
            let found = problems(DOCUMENT, &crates("", dependency));
            assert_eq!(found.len(), 1, "{dependency}: {found:?}");
            assert!(found[0].contains("crates/geometry/Cargo.toml: uses `sim`"));
        }
    }

    #[test]
    fn the_table_and_the_folders_must_agree() {
        let mut all = crates("", "");
        all.push(("late".to_owned(), String::new()));
        let found = problems(DOCUMENT, &all);
        assert_eq!(found.len(), 1);
        assert!(found[0].contains("`late` is not in the table"), "{found:?}");
        let found = problems(DOCUMENT, &all[..1]);
        assert_eq!(found.len(), 1);
        assert!(found[0].contains("`sim` is in the table"), "{found:?}");
    }

    #[test]
    fn a_document_without_the_table_is_a_problem() {
        assert_eq!(problems("# Nothing", &crates("", "")).len(), 1);
    }
}
