//! The library of fabrics: plausible numbers with sources, files that read back, tensile curves.

use toile_io::{fabric, fabric::Fabric};
use toile_sim::forces::measured::{Measured, Pull, Table};

#[test]
fn built_in_fabrics_are_plausible_and_say_where_from() {
    let all = fabric::all();
    assert_eq!(all[0].name, fabric::DEFAULT);
    for (i, fabric) in all.iter().enumerate() {
        let name = &fabric.name;
        assert!(all[..i].iter().all(|f| f.name != *name), "{name}");
        assert!((0.02..1.0).contains(&fabric.area_density_kg_per_m2));
        assert!(!fabric.source.is_empty() && !fabric.description.is_empty());
        assert!(
            fabric.fibre.is_some() && fabric.used_for.is_some(),
            "{name}"
        );
        // Bending length (B/ρg)^⅓ of real fabrics: one to a few centimetres.
        let weight = fabric.area_density_kg_per_m2 * 9.81;
        for bending in [fabric.bending_n_m, fabric.bending_weft()] {
            let length_m = (bending / weight).cbrt();
            assert!((0.01..0.04).contains(&length_m), "{name}: {length_m} m");
        }
        // KES instruments find 0.2 to 4 gf/(cm·°) on cloth of threads; a skin has none.
        if name != "leather" {
            let kes = fabric.shear_n_per_m / 56.2;
            assert!((0.2..4.0).contains(&kes), "{name}: {kes} gf/(cm·°)");
        }
    }
}

#[test]
fn every_fabric_asked_for_is_there() {
    for name in [
        "11oz-black-denim",
        "camel-ponte-roma",
        "gray-interlock",
        "ivory-rib-knit",
        "navy-sparkle-sweat",
        "pink-ribbon-brown",
        "royal-target",
        "tango-red-jet-set",
        "white-dots-on-blk",
        "white-swim-solid",
        "silk",
        "chiffon",
        "cotton-shirting",
        "linen",
        "wool-suiting",
        "denim",
        "jersey-knit",
        "satin",
        "leather",
        "canvas",
    ] {
        assert!(fabric::find(name).is_some(), "{name}");
    }
    assert_eq!(measured().len(), 10);
}

#[test]
fn fabrics_read_back_as_written() {
    let text = fabric::to_toml(fabric::all()).unwrap();
    assert_eq!(fabric::parse(&text, "again").unwrap(), fabric::all());
}

fn measured() -> Vec<&'static Fabric> {
    fabric::all().iter().filter(|f| f.table.is_some()).collect()
}

/// Stress along the pull by the law as published, stress = C (FᵀF − I) with C linear in the stretch,
/// free across the pull.
fn published(table: &Table, pull: Pull, stretch: f64) -> f64 {
    let end = match pull {
        Pull::Warp => table[1],
        Pull::Weft => table[5],
    };
    let share = (6.0 * (stretch - 1.0)).min(1.0);
    let [c11, c12, c22, _] = std::array::from_fn(|k| table[0][k] + share * (end[k] - table[0][k]));
    let modulus = match pull {
        Pull::Warp => c11 - c12 * c12 / c22,
        Pull::Weft => c22 - c12 * c12 / c11,
    };
    modulus * (stretch * stretch - 1.0)
}

/// Our law has an energy, the published one has none; their tensile curves may differ by 10 %.
#[test]
fn tensile_curves_are_those_of_the_tables() {
    for fabric in measured() {
        let (law, repairs) = fabric.measured().unwrap();
        let mut table = fabric.table.as_ref().unwrap().stretch_n_per_m;
        for repair in repairs {
            table[repair.row] = repair.used_n_per_m;
        }
        for pull in [Pull::Warp, Pull::Weft] {
            let mut worst = 0.0_f64;
            for step in 1..=100 {
                let strain = f64::from(step) / 600.0;
                let found = law.tension(pull, strain).force_n_per_m;
                let expected = (1.0 + strain) * published(&table, pull, 1.0 + strain);
                worst = worst.max((found / expected - 1.0).abs());
            }
            println!("{:<20} {pull:?} {:.2} %", fabric.name, 100.0 * worst);
            assert!(worst < 0.10, "{} {pull:?}: {worst}", fabric.name);
        }
    }
}

/// The single values of the measured fabrics are read off their tables.
#[test]
fn single_values_agree_with_the_tables() {
    for fabric in measured() {
        let name = &fabric.name;
        let near = |found: f64, expected: f64| (found / expected - 1.0).abs() < 0.01;
        let law: Measured = fabric.measured().unwrap().0;
        let secant = |pull| law.tension(pull, 0.1).force_n_per_m / 0.1;
        assert!(near(fabric.stretch_n_per_m, secant(Pull::Warp)), "{name}");
        assert!(
            near(fabric.stretch_weft(), secant(Pull::Weft)),
            "{name}: {}",
            secant(Pull::Weft)
        );
        let table = fabric.table.as_ref().unwrap();
        assert!(
            near(fabric.shear_n_per_m, table.stretch_n_per_m[0][3]),
            "{name}"
        );
        let rows = table.hinge_n_m.unwrap();
        let rigidity = rows.map(|row| row.iter().sum::<f64>() / 5.0 / 4.0);
        assert!(near(fabric.bending_weft(), rigidity[0]), "{name}");
        assert!(
            near(fabric.bending_bias_n_m.unwrap(), rigidity[1]),
            "{name}"
        );
        assert!(near(fabric.bending_n_m, rigidity[2]), "{name}");
    }
}
