//! Which joints are which in human skeletons, by the names that are in use.
//!
//! Programs name the same joints differently: `LeftUpLeg`, `upperleg01.L`, `lThigh`, `LeftHip`. What a
//! name means may depend on the others: a left shoulder is an upper arm unless there is a left arm
//! besides.

use super::Rig;
use std::collections::HashMap;

/// A place in a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Hips,
    Spine,
    Neck,
    Head,
    Collar,
    UpperArm,
    Forearm,
    Hand,
    UpperLeg,
    LowerLeg,
    Foot,
    Toes,
}

/// Words for places, without side and numbers. Of those for one place the first is the best.
const WORDS: [(&str, Place); 49] = [
    ("hips", Place::Hips),
    ("hip", Place::Hips),
    ("pelvis", Place::Hips),
    ("root", Place::Hips),
    ("spine", Place::Spine),
    ("chest", Place::Spine),
    ("upperchest", Place::Spine),
    ("torso", Place::Spine),
    ("abdomen", Place::Spine),
    ("lowerback", Place::Spine),
    ("upperback", Place::Spine),
    ("back", Place::Spine),
    ("waist", Place::Spine),
    ("thorax", Place::Spine),
    ("neck", Place::Neck),
    ("lowerneck", Place::Neck),
    ("upperneck", Place::Neck),
    ("head", Place::Head),
    ("collar", Place::Collar),
    ("clavicle", Place::Collar),
    ("collarbone", Place::Collar),
    ("upperarm", Place::UpperArm),
    ("uparm", Place::UpperArm),
    ("arm", Place::UpperArm),
    ("shldr", Place::UpperArm),
    ("shoulder", Place::UpperArm),
    ("forearm", Place::Forearm),
    ("lowerarm", Place::Forearm),
    ("loarm", Place::Forearm),
    ("elbow", Place::Forearm),
    ("hand", Place::Hand),
    ("wrist", Place::Hand),
    ("upperleg", Place::UpperLeg),
    ("upleg", Place::UpperLeg),
    ("thigh", Place::UpperLeg),
    ("hip", Place::UpperLeg),
    ("lowerleg", Place::LowerLeg),
    ("loleg", Place::LowerLeg),
    ("leg", Place::LowerLeg),
    ("shin", Place::LowerLeg),
    ("calf", Place::LowerLeg),
    ("knee", Place::LowerLeg),
    ("shank", Place::LowerLeg),
    ("foot", Place::Foot),
    ("ankle", Place::Foot),
    ("toe", Place::Toes),
    ("toes", Place::Toes),
    ("toebase", Place::Toes),
    ("ball", Place::Toes),
];

/// What a name says: a place, a side, and how good a word for it that is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Meaning {
    place: Place,
    side: Option<Side>,
    rank: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    Left,
    Right,
}

/// Joints of a target with those of a source of the same name, or at the same place of a body. Spines
/// and necks of several joints follow each other in proportion.
pub fn pairs(source: &Rig, target: &Rig) -> Vec<(usize, usize)> {
    let (from, to) = (meanings(source), meanings(target));
    let mut pairs = same_names([source, target], [&from, &to]);
    let mut is_paired = vec![false; target.joints().len()];
    pairs.iter().for_each(|(own, _)| is_paired[*own] = true);
    let others = same_places([source, target], [&from, &to]).into_iter();
    pairs.extend(others.filter(|(own, _)| !is_paired[*own]));
    pairs.sort_unstable();
    pairs
}

/// Collars of a rig. Skeletons have them anywhere between breastbone and shoulder, so their directions at
/// rest say nothing about the shoulders of the body.
pub fn collars(rig: &Rig) -> Vec<usize> {
    let is_collar = |m: &Option<Meaning>| m.is_some_and(|m| m.place == Place::Collar);
    let meanings = meanings(rig);
    (0..meanings.len())
        .filter(|joint| is_collar(&meanings[*joint]))
        .collect()
}

/// Joints of the same name, the first where several have it, unless it means something else in the
/// other skeleton: one library's shoulder is another's collar.
fn same_names([source, target]: [&Rig; 2], [from, to]: [&Meanings; 2]) -> Vec<(usize, usize)> {
    let mut known = HashMap::new();
    for (k, joint) in source.joints().iter().enumerate() {
        known.entry(joint.name.as_str()).or_insert(k);
    }
    let place = |meaning: Option<Meaning>| meaning.map(|m| (m.place, m.side));
    let own = target.joints().iter().enumerate();
    own.filter_map(|(k, joint)| Some((k, *known.get(joint.name.as_str())?)))
        .filter(|(own, other)| place(to[*own]) == place(from[*other]))
        .collect()
}

/// Joints at the same place of a body.
fn same_places([source, target]: [&Rig; 2], [from, to]: [&Meanings; 2]) -> Vec<(usize, usize)> {
    let at = |of: &Meanings, rig: &Rig, place, side| -> Vec<usize> {
        let is = |joint: &&usize| of[**joint].is_some_and(|m| (m.place, m.side) == (place, side));
        rig.order().iter().filter(is).copied().collect()
    };
    let mut pairs = Vec::new();
    for place in [Place::Spine, Place::Neck] {
        let [others, own] = [at(from, source, place, None), at(to, target, place, None)];
        for (k, joint) in own.iter().enumerate() {
            if !others.is_empty() {
                pairs.push((*joint, others[k * others.len() / own.len()]));
            }
        }
    }
    let middle = [Place::Hips, Place::Head].map(|place| (place, None));
    let limbs = [
        Place::Collar,
        Place::UpperArm,
        Place::Forearm,
        Place::Hand,
        Place::UpperLeg,
        Place::LowerLeg,
        Place::Foot,
        Place::Toes,
    ];
    let limbs = limbs
        .iter()
        .flat_map(|p| [Side::Left, Side::Right].map(|s| (*p, Some(s))));
    for (place, side) in middle.into_iter().chain(limbs) {
        let rank = |of: &Meanings, joint: usize| of[joint].map_or(usize::MAX, |m| m.rank);
        let best = |of: &Meanings, all: Vec<usize>| {
            let least = all.iter().map(|joint| rank(of, *joint)).min();
            let is_best = move |of: &Meanings, joint: &usize| Some(rank(of, *joint)) == least;
            all.into_iter()
                .filter(|joint| is_best(of, joint))
                .collect::<Vec<_>>()
        };
        let others = best(from, at(from, source, place, side));
        let own = best(to, at(to, target, place, side));
        if let Some(other) = others.first() {
            pairs.extend(own.into_iter().map(|joint| (joint, *other)));
        }
    }
    pairs
}

/// What the names of all joints of a rig mean.
type Meanings = [Option<Meaning>];

/// What the names of a rig's joints mean.
fn meanings(rig: &Rig) -> Vec<Option<Meaning>> {
    let mut all: Vec<_> = rig
        .joints()
        .iter()
        .map(|joint| meaning(&joint.name))
        .collect();
    for side in [Side::Left, Side::Right] {
        let rank = |words: &[&str]| -> Vec<usize> {
            let of = |word: &&str| WORDS.iter().position(|(known, _)| known == word);
            words.iter().filter_map(of).collect()
        };
        let shoulder = rank(&["shoulder"]);
        let arms = rank(&["upperarm", "uparm", "arm", "shldr"]);
        let of_side = |m: &&Meaning| m.side == Some(side);
        let has = |all: &Meanings, ranks: &[usize]| {
            all.iter()
                .flatten()
                .filter(of_side)
                .any(|m| ranks.contains(&m.rank))
        };
        if has(&all, &arms) {
            let has_collar = has(&all, &rank(&["collar", "clavicle", "collarbone"]));
            for entry in &mut all {
                let Some(meaning) = entry.filter(|m| m.side == Some(side)) else {
                    continue;
                };
                if shoulder.contains(&meaning.rank) {
                    let place = Place::Collar;
                    *entry = (!has_collar).then_some(Meaning { place, ..meaning });
                }
            }
        }
    }
    all
}

/// What a name means by itself.
fn meaning(name: &str) -> Option<Meaning> {
    // Helpers, and the ends of limbs, are no joints of a body.
    if name.starts_with("__") || name.ends_with(" end") {
        return None;
    }
    let name = name.rsplit(':').next().unwrap_or(name);
    let mut side = None;
    let mut word = String::new();
    for part in parts(name) {
        match part.as_str() {
            "l" | "left" => side = Some(Side::Left),
            "r" | "right" => side = Some(Side::Right),
            // A hip joint is none of the thigh: the libraries that have one have a hip besides.
            "mixamorig" | "bip" | "bone" | "def" => {}
            part => word.push_str(part),
        }
    }
    let sided = |place: Place| {
        !matches!(
            place,
            Place::Hips | Place::Spine | Place::Neck | Place::Head
        )
    };
    let means = |(known, place): &(&str, Place)| *known == word && sided(*place) == side.is_some();
    let rank = WORDS.iter().position(means)?;
    let place = WORDS[rank].1;
    Some(Meaning { place, side, rank })
}

/// The words of a name in small letters, without numbers: `LeftUpLeg`, `l_thigh`, `upperleg01.L`.
fn parts(name: &str) -> Vec<String> {
    let letters: Vec<char> = name.chars().collect();
    let mut parts = vec![String::new()];
    for (k, letter) in letters.iter().enumerate() {
        let before = k.checked_sub(1).map(|k| letters[k]);
        let after = letters.get(k + 1);
        // A capital begins a word after a small letter, and before one: `LHip` is a left hip.
        let begins = letter.is_uppercase()
            && (before.is_some_and(char::is_lowercase) || after.is_some_and(|a| a.is_lowercase()));
        if begins || !letter.is_alphabetic() {
            parts.push(String::new());
        }
        if letter.is_alphabetic()
            && let Some(part) = parts.last_mut()
        {
            part.extend(letter.to_lowercase());
        }
    }
    parts.retain(|part| !part.is_empty());
    parts
}
