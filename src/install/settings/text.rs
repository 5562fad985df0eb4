//! JSON as text: where each value stands in it, byte for byte. In goes the text of a settings file,
//! out come values that know their span; nothing is decoded before it is asked for, so numbers,
//! escapes and white space keep their spelling. Changes nothing.

use std::fmt;
use std::ops::Range;

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

/// Why a settings file is refused, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// Line, from 1.
    pub line: usize,
    /// Column, from 1.
    pub column: usize,
    /// What is wrong there, in lower case.
    pub reason: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.line, self.column, self.reason)
    }
}

/// One value and its place in the whole text.
#[derive(Debug, Clone, Copy)]
pub struct Value<'t> {
    text: &'t str,
    start: usize,
    end: usize,
}

/// One `"key": value` of an object.
#[derive(Debug, Clone)]
pub struct Member<'t> {
    /// The decoded key; none when it is no valid text (a lone surrogate), which no key of ours is.
    pub key: Option<String>,
    /// Where the key starts and ends, with its quotes.
    pub name: Range<usize>,
    /// The value.
    pub value: Value<'t>,
}

impl Member<'_> {
    /// Key, colon and value.
    pub fn span(&self) -> Range<usize> {
        self.name.start..self.value.end
    }
}

impl<'t> Value<'t> {
    /// The one document that `text` holds. Strict JSON: what `JSON.parse` refuses is a fault.
    pub fn parse(text: &'t str) -> Result<Self, Fault> {
        let raw: &RawValue = serde_json::from_str(text).map_err(|error| Fault {
            line: error.line(),
            column: error.column(),
            reason: format!("not strict JSON: {}", reason(text, &error)),
        })?;
        Ok(Self::of(text, raw))
    }

    fn of(text: &'t str, raw: &'t RawValue) -> Self {
        let start = raw.get().as_ptr() as usize - text.as_ptr() as usize;
        Self {
            text,
            start,
            end: start + raw.get().len(),
        }
    }

    /// The whole text that this value is a part of.
    pub fn text(&self) -> &'t str {
        self.text
    }

    /// The value as it is written.
    pub fn raw(&self) -> &'t str {
        &self.text[self.start..self.end]
    }

    /// Its place in the text.
    pub fn span(&self) -> Range<usize> {
        self.start..self.end
    }

    /// What stands between the brackets of an object or array.
    pub fn inner(&self) -> Range<usize> {
        self.start + 1..self.end - 1
    }

    /// The members in order, duplicates included; none when this is no object.
    pub fn members(&self) -> Option<Vec<Member<'t>>> {
        let Members(raw) = serde_json::from_str(self.raw()).ok()?;
        let member = |(key, value): (&'t RawValue, &'t RawValue)| Member {
            key: serde_json::from_str(key.get()).ok(),
            name: Self::of(self.text, key).span(),
            value: Self::of(self.text, value),
        };
        Some(raw.into_iter().map(member).collect())
    }

    /// The elements in order; none when this is no array.
    pub fn elements(&self) -> Option<Vec<Self>> {
        let raw: Vec<&RawValue> = serde_json::from_str(self.raw()).ok()?;
        Some(
            raw.into_iter()
                .map(|value| Self::of(self.text, value))
                .collect(),
        )
    }

    /// The decoded text; none when this is no string.
    pub fn string(&self) -> Option<String> {
        serde_json::from_str(self.raw()).ok()
    }

    /// A fault at the place of this value.
    pub fn fault(&self, reason: impl Into<String>) -> Fault {
        fault_at(self.text, self.start, reason)
    }
}

/// A fault at a byte of `text`.
pub fn fault_at(text: &str, at: usize, reason: impl Into<String>) -> Fault {
    let before = &text[..at];
    let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
    Fault {
        line: before.matches('\n').count() + 1,
        column: before[line_start..].chars().count() + 1,
        reason: reason.into(),
    }
}

/// The parser's words without its place, or what stands there.
fn reason(text: &str, error: &serde_json::Error) -> String {
    let line_start = text
        .split_inclusive('\n')
        .take(error.line().saturating_sub(1));
    let at = line_start.map(str::len).sum::<usize>() + error.column().saturating_sub(1);
    let before = text.as_bytes()[..at.min(text.len())].trim_ascii_end();
    match text.as_bytes().get(at) {
        Some(b'/') => "comments are not allowed".to_owned(),
        Some(b'}' | b']') if before.ends_with(b",") => "trailing comma".to_owned(),
        _ => {
            let said = error.to_string();
            said.split(" at line ")
                .next()
                .unwrap_or_default()
                .to_owned()
        }
    }
}

struct Members<'t>(Vec<(&'t RawValue, &'t RawValue)>);

impl<'de> Deserialize<'de> for Members<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct InOrder;
        impl<'de> Visitor<'de> for InOrder {
            type Value = Members<'de>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(Members(members))
            }
        }
        deserializer.deserialize_map(InOrder)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_know_their_bytes() {
        let text = " {\"a\" : 1.0, \"\\u00e9\":[ 1E3,\"x\\/\" ], \"a\": {}}\n";
        let root = Value::parse(text).unwrap();
        let members = root.members().unwrap();
        let keys: Vec<_> = members.iter().map(|m| m.key.as_deref()).collect();
        assert_eq!(keys, [Some("a"), Some("é"), Some("a")]);
        assert_eq!(&text[members[0].span()], "\"a\" : 1.0");
        let list = members[1].value.elements().unwrap();
        assert_eq!(list[0].raw(), "1E3");
        assert_eq!(list[1].string().as_deref(), Some("x/"));
        assert!(list[0].members().is_none() && root.elements().is_none());
    }

    #[test]
    fn faults_say_where() {
        for (text, want) in [
            (
                "{\n  // no\n}",
                "2:3: not strict JSON: comments are not allowed",
            ),
            ("{\"a\": 1,\n}", "2:1: not strict JSON: trailing comma"),
            ("{} {}", "1:4: not strict JSON: trailing characters"),
            (
                "{\"a\": [1",
                "1:8: not strict JSON: EOF while parsing a list",
            ),
            ("{'a': 1}", "1:2: not strict JSON: key must be a string"),
        ] {
            assert_eq!(Value::parse(text).unwrap_err().to_string(), want);
        }
        assert_eq!(fault_at("é\nπx", 5, "here").to_string(), "2:2: here");
    }
}
