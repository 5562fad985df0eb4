//! One step's text → a [`Step`]: what follows each verb. Pure.

use std::time::Duration;

use super::reader::{Read, Reader};
use super::{Chord, Step, Test};
use crate::desk::shown::RawText;

/// How long `wait` waits unless it is told.
const WAIT: Duration = Duration::from_secs(5);

/// The longest that it can be told: below what an agent's shell allows a command.
const LONGEST: Duration = Duration::from_mins(1);

const VERBS: &str = "a step begins with click, check, uncheck, set, append, pick, type, press, keys, menu, expect, wait or read";

/// Reads one step; a fault is a column and what was expected there.
pub fn parse(text: &str) -> Result<Step, (usize, &'static str)> {
    let mut reader = Reader::new(text);
    read(&mut reader).map_err(|what| (reader.column, what))
}

fn read(reader: &mut Reader) -> Read<Step> {
    reader.blanks();
    let start = reader.column;
    let verb = reader.bare();
    let step = match verb.as_str() {
        "click" => Step::Click(reader.target()?),
        "check" | "uncheck" => Step::Check(reader.target()?, verb == "check"),
        "set" | "append" | "pick" => {
            let target = reader.target()?;
            reader.operator("=")?;
            let text = RawText::new(reader.value()?);
            match verb.as_str() {
                "set" => Step::Set(target, text),
                "append" => Step::Append(target, text),
                _ => Step::Pick(target, text),
            }
        }
        "type" => typing(reader)?,
        "press" => Step::Press(chord(reader)?),
        "keys" => Step::Keys(keys(reader)?),
        "menu" => Step::Menu(menu(reader)?),
        "expect" => expect(reader)?,
        "wait" => {
            let target = reader.target()?;
            Step::Wait(target, duration(reader)?)
        }
        "read" => Step::Read(reader.target()?),
        _ => {
            reader.column = start;
            return Err(VERBS);
        }
    };
    reader.blanks();
    match reader.peek() {
        None => Ok(step),
        Some(_) => Err("the step should end here; quote a text that has blanks"),
    }
}

/// `type V`, or `type T = V` when a `=` stands behind the first word.
fn typing(reader: &mut Reader) -> Read<Step> {
    let mut ahead = reader.clone();
    if let Ok(target) = ahead.target()
        && ahead.operator("=").is_ok()
    {
        *reader = ahead;
        return Ok(Step::Type(Some(target), RawText::new(reader.value()?)));
    }
    Ok(Step::Type(None, RawText::new(reader.value()?)))
}

fn expect(reader: &mut Reader) -> Read<Step> {
    let target = reader.target()?;
    let test = match reader.operator("=~")? {
        '=' => Test::Is,
        _ => Test::Holds,
    };
    Ok(Step::Expect(target, test, RawText::new(reader.value()?)))
}

fn chord(reader: &mut Reader) -> Read<Chord> {
    reader.blanks();
    let start = reader.column;
    let text = reader.value()?;
    Chord::parse(&text).inspect_err(|_| reader.column = start)
}

fn keys(reader: &mut Reader) -> Read<String> {
    reader.blanks();
    let start = reader.column;
    let text = reader.value()?;
    if text.trim().is_empty() {
        reader.column = start;
        return Err("characters are missing; each is the name of a button");
    }
    Ok(text)
}

fn menu(reader: &mut Reader) -> Read<Vec<String>> {
    let mut path = Vec::new();
    loop {
        reader.blanks();
        path.push(reader.name()?);
        reader.blanks();
        if reader.peek() != Some('>') {
            return Ok(path);
        }
        reader.next();
    }
}

/// `5s` or `500ms`; without one five seconds.
fn duration(reader: &mut Reader) -> Read<Duration> {
    const WHAT: &str = "a time looks like 5s or 500ms, at most 60s";
    reader.blanks();
    let start = reader.column;
    let text = reader.bare();
    if text.is_empty() {
        return Ok(WAIT);
    }
    let time = match (text.strip_suffix("ms"), text.strip_suffix('s')) {
        (Some(number), _) => number.parse().ok().map(Duration::from_millis),
        (None, Some(number)) => number.parse().ok().map(Duration::from_secs),
        (None, None) => None,
    };
    time.filter(|time| *time <= LONGEST).ok_or_else(|| {
        reader.column = start;
        WHAT
    })
}
