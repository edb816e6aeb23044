//! A number that is not one never reaches a file.

use serde::Serialize;
use serde_json::Value;

/// The first field of `row` that is infinite or not a number. JSON has no such numbers and turns
/// them into null, so every null is one, except where `nullable` names the field.
pub(crate) fn non_finite_field(row: &impl Serialize, nullable: &[&str]) -> Option<String> {
    fn find(path: &str, value: &Value, nullable: &[&str]) -> Option<String> {
        match value {
            Value::Null if !nullable.contains(&path) => Some(path.to_owned()),
            Value::Object(map) => map.iter().find_map(|(key, value)| {
                let separator = if path.is_empty() { "" } else { "." };
                find(&format!("{path}{separator}{key}"), value, nullable)
            }),
            _ => None,
        }
    }
    find("", &serde_json::to_value(row).ok()?, nullable)
}
