//! Friction of pairs of surfaces.
//!
//! A `[[contact.pair]]` says it of two things. Otherwise a cloth on a collider has the collider's
//! coefficient, or if that says none the one of the cloth's fabric; and two cloths have `[contact]
//! friction`, or if that is not said the lesser of their fabrics'.

use super::{Checked, course, range};
use crate::scene::error::Fault;
use crate::scene::{key, raw, wording};
use toile_sim::{Key, KeyedScalar, PairFriction, Thing};

/// The coefficients of the cloths' own fabrics, and what was left unsaid in the file.
pub(super) struct Unsaid {
    /// Of each cloth's fabric.
    pub of_cloths: Vec<f64>,
    /// Whether `[contact]` says no friction.
    pub on_cloth: bool,
    /// Whether each collider says none.
    pub on_colliders: Vec<bool>,
}

/// Gives names to colliders that have none, and refuses those that name two things.
pub(super) fn name_colliders(file: &mut raw::File) -> Checked {
    for i in 0..file.collider.len() {
        let path = key::Path::default().with("collider").with(i).with("name");
        let default = || match i {
            0 => "collider".to_owned(),
            _ => format!("collider-{}", i + 1),
        };
        let name = file.collider[i].name.get_or_insert_with(default).clone();
        let of_cloth = file.cloth.iter().any(|c| c.name.as_ref() == Some(&name));
        let of_other = file.collider[..i]
            .iter()
            .any(|c| c.name.as_ref() == Some(&name));
        if of_cloth || of_other {
            let message = format!(
                "found \"{name}\" again, expected a name no cloth and no other collider has"
            );
            return Err(Fault::new(path, message));
        }
    }
    Ok(())
}

/// The pairs that have their own coefficient: those of the file, and those whose fabrics differ from
/// the first cloth's, which are written into the file besides. `things` are what its colliders became.
pub(super) fn pairs(
    file: &mut raw::File,
    things: &[Thing],
    unsaid: &Unsaid,
) -> Checked<Vec<PairFriction>> {
    let names: Vec<(String, Thing)> = {
        let cloths = file.cloth.iter().enumerate();
        let cloths =
            cloths.map(|(k, c)| (c.name.clone().unwrap_or_default(), Thing::Deformable(k)));
        let colliders = file.collider.iter().zip(things);
        let colliders = colliders.map(|(c, thing)| (c.name.clone().unwrap_or_default(), *thing));
        cloths.chain(colliders).collect()
    };
    let path = key::Path::default().with("contact").with("pair");
    let mut pairs: Vec<PairFriction> = Vec::new();
    for (i, pair) in file.contact.pair.iter_mut().enumerate() {
        let path = path.with(i);
        let find = |k: usize| {
            let name = &pair.between[k];
            let found = names.iter().find(|(other, _)| other == name);
            found.map(|(_, thing)| *thing).ok_or_else(|| {
                let all: Vec<&str> = names.iter().map(|(name, _)| name.as_str()).collect();
                let fault = Fault::new(
                    path.with("between").with(k),
                    format!("there is no cloth and no collider \"{name}\""),
                );
                match wording::nearest(name, &all) {
                    Some(near) => fault.help(format!("did you mean \"{near}\"?")),
                    None => fault,
                }
            })
        };
        let between = [find(0)?, find(1)?];
        let friction = friction(&path, pair)?;
        if !between
            .iter()
            .any(|thing| matches!(thing, Thing::Deformable(_)))
        {
            let message = "expected at least one cloth: colliders do not meet each other";
            return Err(Fault::new(path.with("between"), message));
        }
        let [a, b] = between;
        if pairs
            .iter()
            .any(|p| p.between == [a, b] || p.between == [b, a])
        {
            let message = "found these two again, expected every pair once";
            return Err(Fault::new(path.with("between"), message));
        }
        pairs.push(PairFriction { between, friction });
    }
    let cloths = unsaid.of_cloths.len();
    let mut own = Vec::new();
    for (a, friction) in unsaid.of_cloths.iter().copied().enumerate() {
        if unsaid.on_cloth {
            let others = unsaid.of_cloths[..=a].iter().enumerate();
            own.extend(others.map(|(b, other)| ([b, a], friction.min(*other))));
        }
        let colliders = unsaid.on_colliders.iter().enumerate();
        let unsaid = colliders.filter(|(_, unsaid)| **unsaid);
        own.extend(unsaid.map(|(k, _)| ([a, cloths + k], friction)));
    }
    for (places, friction) in own {
        let [(a, first), (b, second)] = places.map(|k| names[k].clone());
        let is_it = |p: &PairFriction| p.between == [first, second] || p.between == [second, first];
        // That of the first cloth's fabric is what colliders and `[contact]` have by default.
        if friction == unsaid.of_cloths[0] || pairs.iter().any(is_it) {
            continue;
        }
        pairs.push(PairFriction {
            between: [first, second],
            friction: friction.into(),
        });
        file.contact.pair.push(raw::ContactPair {
            between: [a, b],
            friction,
            keyframes: Vec::new(),
            interpolation: None,
        });
    }
    Ok(pairs)
}

/// The coefficient of a pair over time.
fn friction(path: &key::Path, pair: &mut raw::ContactPair) -> Checked<KeyedScalar> {
    range::friction(&path.with("friction"), pair.friction)?;
    for (k, key) in pair.keyframes.iter().enumerate() {
        let path = path.with("keyframes").with(k);
        range::friction(&path.with("friction"), key.friction)?;
    }
    let keys = pair.keyframes.iter().map(|key| Key {
        time_s: key.time_s,
        value: key.friction,
    });
    course::spec(path, pair.friction, keys, &mut pair.interpolation)
}
