//! Plain English for what the deserialiser says.

use super::error::Fault;
use super::key;
use toml::Value;

/// Turns a deserialiser's message about the value at `key` into a fault; `value` is that value, if
/// there is one.
pub(super) fn fault(key: key::Path, message: &str, value: Option<&Value>) -> Fault {
    let message = message.trim();
    if let Some(rest) = message.strip_prefix("unknown field ") {
        let (word, valid) = names(rest);
        let mut fault = Fault::new(key, "unknown key");
        fault.on_key = true;
        return suggest(fault, word, &valid, "keys here");
    }
    if let Some(rest) = message.strip_prefix("unknown variant ") {
        let (word, valid) = names(rest);
        let text = format!("found \"{word}\", expected {}", one_of(&valid));
        let fault = Fault::new(key, text);
        return match nearest(word, &valid) {
            Some(near) => fault.help(format!("did you mean `{near}`?")),
            None => fault,
        };
    }
    if let Some(rest) = message.strip_prefix("missing field ") {
        return Fault::new(key.with(names(rest).0), "missing key");
    }
    for prefix in ["invalid type: ", "invalid value: ", "invalid length "] {
        if let Some((found, expected)) = message
            .strip_prefix(prefix)
            .and_then(|rest| rest.rsplit_once(", expected "))
        {
            let mut found = plain_found(found, value);
            if prefix == "invalid length " {
                found.push_str(if found == "1" {
                    " element"
                } else {
                    " elements"
                });
            }
            let is_large = matches!(value, Some(Value::Integer(n)) if *n > i64::from(u32::MAX));
            let expected = match expected {
                "u32" if is_large => "a whole number, 4294967295 at the most",
                expected => plain_expected(expected),
            };
            return Fault::new(key, format!("expected {expected}, found {found}"));
        }
    }
    Fault::new(key, message)
}

/// The nearest of `valid` to `word`, if it is near enough to be what was meant.
pub fn nearest<'a>(word: &str, valid: &[&'a str]) -> Option<&'a str> {
    // The distance is quadratic in length, and no key is this long.
    if word.len() > 100 {
        return None;
    }
    valid
        .iter()
        .map(|v| (strsim::damerau_levenshtein(word, v), *v))
        .min()
        .filter(|(distance, v)| *distance <= 1 + v.len() / 3)
        .map(|(_, v)| v)
}

/// Adds "did you mean" or, failing that, all valid words.
pub(super) fn suggest(fault: Fault, word: &str, valid: &[&str], what: &str) -> Fault {
    match nearest(word, valid) {
        Some(near) => fault.help(format!("did you mean `{near}`?")),
        None if valid.is_empty() => fault,
        None => fault.help(format!("valid {what}: {}", valid.join(", "))),
    }
}

/// "a", "a" or "b", one of "a", "b", "c".
pub(super) fn one_of(words: &[&str]) -> String {
    let quoted: Vec<_> = words.iter().map(|w| format!("\"{w}\"")).collect();
    match quoted.as_slice() {
        [] => "nothing".to_owned(),
        [only] => only.clone(),
        [a, b] => format!("{a} or {b}"),
        _ => format!("one of {}", quoted.join(", ")),
    }
}

/// The first name in backticks, and those after it.
fn names(text: &str) -> (&str, Vec<&str>) {
    let mut quoted = text.split('`').skip(1).step_by(2);
    let first = quoted.next().unwrap_or_default();
    (first, quoted.collect())
}

fn plain_found(found: &str, value: Option<&Value>) -> String {
    match found {
        "map" => "a table".to_owned(),
        "sequence" => "an array".to_owned(),
        // All it says of a value that is not a string where a word is expected.
        "unit variant" => match value {
            Some(Value::Table(_)) => "a table".to_owned(),
            Some(Value::Array(_)) => "an array".to_owned(),
            Some(value) => value.to_string(),
            None => "a value of another type".to_owned(),
        },
        _ => match found.split_once('`') {
            Some(("integer " | "floating point " | "boolean ", value)) => {
                value.trim_end_matches('`').to_owned()
            }
            _ if found.starts_with("string ") => format!("the {found}"),
            _ => found.to_owned(),
        },
    }
}

fn plain_expected(expected: &str) -> &str {
    match expected {
        "f64" => "a number",
        "u32" => "a whole number, 0 or more",
        "i64" => "a whole number",
        "a boolean" => "true or false",
        "a sequence" => "an array",
        "string only" => "a string",
        _ => expected,
    }
}
