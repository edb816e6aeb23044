//! `toile fabrics`: the library, one fabric of it, or a new one from measurements.

mod args;
mod fit;
mod show;

pub use args::FabricsArgs;

use crate::exit::{Failure, Outcome};
use args::Action;
use serde_json::{Value, json};
use std::process::ExitCode;
use toile::io::fabric::{self, Fabric};

/// Lists, shows or fits.
pub fn fabrics(args: &FabricsArgs) -> Outcome {
    if let Some(Action::Fit(readings)) = &args.action {
        return fit::fit(readings);
    }
    let read = match &args.from {
        Some(path) => Some(fabric::read(path).map_err(Failure::input)?),
        None => None,
    };
    let library = read.as_deref().unwrap_or_else(|| fabric::all());
    match &args.name {
        Some(name) => {
            let fabric = find(library, name)?;
            if args.json {
                println!("{:#}", as_json(fabric));
            } else {
                show::one(fabric);
            }
        }
        None if args.json => {
            println!("{:#}", library.iter().map(as_json).collect::<Value>());
        }
        None => show::list(library),
    }
    Ok(ExitCode::SUCCESS)
}

fn find<'a>(library: &'a [Fabric], name: &str) -> Result<&'a Fabric, Failure> {
    library.iter().find(|f| f.name == name).ok_or_else(|| {
        let names: Vec<_> = library.iter().map(|f| f.name.as_str()).collect();
        let help = match fabric::nearest(name, &names) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("there are {}", names.join(", ")),
        };
        Failure::input(format!("there is no fabric \"{name}\": {help}"))
    })
}

/// The fabric as in its file, and what was repaired in its table.
fn as_json(fabric: &Fabric) -> Value {
    let mut value = json!(fabric);
    if let Some((_, repairs)) = fabric.measured() {
        value["repaired_rows"] = repairs
            .iter()
            .map(|repair| {
                json!({
                    "row": repair.row,
                    "measured_n_per_m": repair.measured_n_per_m,
                    "used_n_per_m": repair.used_n_per_m,
                })
            })
            .collect();
    }
    value
}
