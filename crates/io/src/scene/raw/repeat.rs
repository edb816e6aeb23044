//! What happens at the end of a motion, as written.

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Error, Unexpected, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::borrow::Cow;
use std::fmt;
use toile_geometry::timing;

/// Whether a motion begins again: `false`, `true` or `"travel"`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Repeat(pub timing::Repeat);

/// The word for going on from where a motion ended.
const TRAVEL: &str = "travel";

impl Serialize for Repeat {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            timing::Repeat::Never => s.serialize_bool(false),
            timing::Repeat::Again => s.serialize_bool(true),
            timing::Repeat::Travel => s.serialize_str(TRAVEL),
        }
    }
}

impl<'de> Deserialize<'de> for Repeat {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        struct Word;

        impl Visitor<'_> for Word {
            type Value = Repeat;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("false, true or \"travel\"")
            }

            fn visit_bool<E: Error>(self, again: bool) -> Result<Repeat, E> {
                Ok(Repeat(match again {
                    true => timing::Repeat::Again,
                    false => timing::Repeat::Never,
                }))
            }

            fn visit_str<E: Error>(self, word: &str) -> Result<Repeat, E> {
                match word {
                    TRAVEL => Ok(Repeat(timing::Repeat::Travel)),
                    _ => Err(E::invalid_value(Unexpected::Str(word), &self)),
                }
            }
        }

        d.deserialize_any(Word)
    }
}

impl JsonSchema for Repeat {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Repeat".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "enum": [false, true, TRAVEL] })
    }
}
