//! Reading JSON that others wrote: a field of another shape than expected (null, a number for a
//! text, a text for an object) counts as absent, it never spoils the line around it. What is not
//! asked for is skipped without a look inside, invalid UTF-8 and any depth included.

use std::fmt;
use std::marker::PhantomData;

use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{
    Deserialize, DeserializeOwned, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor,
};
use serde_json::Value;

/// A text; a whole number counts as its digits, an empty text as none.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Text(pub Option<String>);

/// A count: a whole number from 0 on, anything else is 0.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Count(pub u64);

/// True or not.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Flag(pub bool);

/// An object, if it is one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Object<T>(pub Option<T>);

/// A list, if it is one; empty else.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct List<T>(pub Vec<T>);

impl<T> Default for Object<T> {
    fn default() -> Self {
        Self(None)
    }
}

impl<T> Default for List<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

/// What each shape is worth to a type; by default nothing.
trait Loose<'de>: Default {
    fn text(_: &str) -> Self {
        Self::default()
    }
    fn number(_: u64) -> Self {
        Self::default()
    }
    fn flag(_: bool) -> Self {
        Self::default()
    }
    fn list<A: SeqAccess<'de>>(mut list: A) -> Result<Self, A::Error> {
        while list.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Self::default())
    }
    fn object<A: MapAccess<'de>>(mut object: A) -> Result<Self, A::Error> {
        while object.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Self::default())
    }
}

impl Loose<'_> for Text {
    fn text(text: &str) -> Self {
        Self((!text.is_empty()).then(|| text.to_owned()))
    }
    fn number(number: u64) -> Self {
        Self(Some(number.to_string()))
    }
}

impl Loose<'_> for Count {
    fn number(number: u64) -> Self {
        Self(number)
    }
}

impl Loose<'_> for Flag {
    fn flag(flag: bool) -> Self {
        Self(flag)
    }
}

impl<'de, T: Deserialize<'de>> Loose<'de> for Object<T> {
    fn object<A: MapAccess<'de>>(object: A) -> Result<Self, A::Error> {
        T::deserialize(MapAccessDeserializer::new(object)).map(|value| Self(Some(value)))
    }
}

impl<'de, T: Deserialize<'de>> Loose<'de> for List<T> {
    fn list<A: SeqAccess<'de>>(list: A) -> Result<Self, A::Error> {
        Vec::deserialize(SeqAccessDeserializer::new(list)).map(Self)
    }
}

struct AnyShape<L>(PhantomData<L>);

impl<'de, L: Loose<'de>> Visitor<'de> for AnyShape<L> {
    type Value = L;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any JSON value")
    }
    fn visit_unit<E>(self) -> Result<L, E> {
        Ok(L::default())
    }
    fn visit_bool<E>(self, value: bool) -> Result<L, E> {
        Ok(L::flag(value))
    }
    fn visit_u64<E>(self, value: u64) -> Result<L, E> {
        Ok(L::number(value))
    }
    fn visit_i64<E>(self, _: i64) -> Result<L, E> {
        Ok(L::default())
    }
    fn visit_f64<E>(self, _: f64) -> Result<L, E> {
        Ok(L::default())
    }
    fn visit_str<E>(self, value: &str) -> Result<L, E> {
        Ok(L::text(value))
    }
    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<L, A::Error> {
        L::list(list)
    }
    fn visit_map<A: MapAccess<'de>>(self, object: A) -> Result<L, A::Error> {
        L::object(object)
    }
}

macro_rules! deserialize_any_shape {
    ($($shape:ty $(where $t:ident)?),*) => {$(
        impl<'de $(, $t: Deserialize<'de>)?> Deserialize<'de> for $shape {
            fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                from.deserialize_any(AnyShape(PhantomData))
            }
        }
    )*};
}

deserialize_any_shape!(Text, Count, Flag, Object<T> where T, List<T> where T);

/// The value that a text begins with, and its length; none when it begins with no JSON. Forgives a
/// key that stands twice, where the last one counts, and what `mended` mends.
#[must_use]
pub fn forgiving<T: DeserializeOwned>(text: &str) -> Option<(T, usize)> {
    let twice = |text: &str| {
        let (value, length) = first::<Value>(text)?;
        Some((serde_json::from_value(value).ok()?, length))
    };
    let either = |text: &str| first(text).or_else(|| twice(text));
    either(text).or_else(|| either(&mended(text)?))
}

fn first<T: DeserializeOwned>(text: &str) -> Option<(T, usize)> {
    let mut values = serde_json::Deserializer::from_str(text).into_iter();
    let value = values.next()?.ok()?;
    Some((value, values.byte_offset()))
}

/// The same JSON, as long as before, without what `serde_json` refuses in it: U+FFFD for each half of
/// a surrogate pair that stands alone, which is how JavaScript writes a text that was cut within a
/// character, and null for a number too large for a float. None when there is no such.
fn mended(text: &str) -> Option<String> {
    let (mut out, mut at, mut within) = (String::new(), 0, false);
    while let Some(byte) = text.as_bytes().get(at) {
        let (length, instead) = match byte {
            b'\\' if within => escape(text, at),
            b'-' | b'0'..=b'9' if !within => number(&text[at..]),
            _ => (1, None),
        };
        within ^= *byte == b'"';
        if let Some(instead) = instead {
            out.push_str(&text[out.len()..at]);
            out.push_str(&instead);
        }
        at += length;
    }
    (!out.is_empty()).then(|| out.clone() + &text[out.len()..])
}

/// How long the escape that stands here is, and what to write in its place.
fn escape(text: &str, at: usize) -> (usize, Option<String>) {
    match surrogate(text, at) {
        Some(false) if surrogate(text, at + 6) == Some(true) => (12, None),
        Some(_) => (6, Some("\\ufffd".to_owned())),
        None => (2, None),
    }
}

/// The same for the number that a text begins with.
fn number(text: &str) -> (usize, Option<String>) {
    let part = |b: &u8| b.is_ascii_digit() || matches!(b, b'.' | b'e' | b'E' | b'+' | b'-');
    let length = text.bytes().take_while(part).count();
    let number = &text[..length];
    let large = number.parse::<f64>().is_ok_and(f64::is_infinite)
        && serde_json::from_str::<IgnoredAny>(number).is_ok();
    (length, large.then(|| format!("{:length$}", "null")))
}

/// Whether the escape that stands here is the second half of a surrogate pair; none when it is
/// neither half.
fn surrogate(text: &str, at: usize) -> Option<bool> {
    let digits = text.get(at..at + 6)?.strip_prefix("\\u")?;
    match u16::from_str_radix(digits, 16).ok()? {
        0xd800..0xdc00 => Some(false),
        0xdc00..0xe000 => Some(true),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;

    #[derive(Debug, Default, Deserialize)]
    #[serde(default)]
    struct All {
        text: Text,
        count: Count,
        flag: Flag,
        object: Object<Inner>,
        list: List<Count>,
    }

    #[derive(Debug, Default, Deserialize, PartialEq)]
    #[serde(default)]
    struct Inner {
        a: Count,
    }

    #[test]
    fn each_field_takes_its_shape_and_forgives_the_others() {
        let values = [
            "null",
            "true",
            "7",
            "-7",
            "7.5",
            r#""x""#,
            r#"[1,"x",[2]]"#,
            r#"{"a":1,"b":{}}"#,
        ];
        for value in values {
            let json = format!(
                r#"{{"text":{value},"count":{value},"flag":{value},"object":{value},"list":{value}}}"#
            );
            let all: All = serde_json::from_str(&json).unwrap();
            let text = match value {
                "7" => Some("7".to_owned()),
                r#""x""# => Some("x".to_owned()),
                _ => None,
            };
            assert_eq!(all.text.0, text, "{value}");
            assert_eq!(all.count.0, if value == "7" { 7 } else { 0 }, "{value}");
            assert_eq!(all.flag.0, value == "true");
            let object = value.starts_with('{').then_some(Inner { a: Count(1) });
            assert_eq!(all.object.0, object, "{value}");
            assert_eq!(all.list.0.len(), if value.starts_with('[') { 3 } else { 0 });
        }
    }

    #[test]
    fn only_halves_of_pairs_and_numbers_too_large_are_mended() {
        for (text, want) in [
            (r#"{"a":"\ud83d"}"#, Some(r#"{"a":"\ufffd"}"#)),
            (
                r#"["\ude00\ud83d\ude00\uD83Dx"]"#,
                Some(r#"["\ufffd\ud83d\ude00\ufffdx"]"#),
            ),
            (r#"["\ud83d\ude00"]"#, None),
            (r#"["\\ud83d"]"#, None),
            (r#"["\u0041 é\\"]"#, None),
            (r"\", None),
            (r#""\ud83"#, None),
            ("[1e400,-1E+400 ]", Some("[null ,null    ]")),
            (r#"{"1e400":"\"1e400","a":1.e400}"#, None),
            ("[0e400,1e-400,1e308,01e400,-]", None),
        ] {
            assert_eq!(mended(text).as_deref(), want, "{text}");
        }
    }
}
