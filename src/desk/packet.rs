//! `desk-run`'s steps: text in, [`Step`]s or the place of the first fault out. The whole packet is
//! parsed before anything happens. A fault never repeats text, since a step can hold a secret. Pure.
//!
//! ```text
//! step   := click T | set T = V | expect T (=|~) V | read T
//! T      := NAME | ROLE:NAME | ROLE: | ~SUBSTRING
//! NAME, ROLE, V := a bare word, or "…" with \" \\ \n \t \u{…} as the only escapes
//! ```

use std::fmt;
use std::iter::Peekable;
use std::str::Chars;

use super::shown::RawText;

/// One action or check.
#[derive(Debug, PartialEq, Eq)]
pub enum Step {
    /// Press the control.
    Click(Target),
    /// Put this text, and nothing else, into the control.
    Set(Target, RawText),
    /// The control's text is this, or holds it.
    Expect(Target, Test, RawText),
    /// Show what matches.
    Read(Target),
}

impl Step {
    /// The verb, as typed.
    #[must_use]
    pub fn verb(&self) -> &'static str {
        match self {
            Self::Click(_) => "click",
            Self::Set(..) => "set",
            Self::Expect(..) => "expect",
            Self::Read(_) => "read",
        }
    }
}

/// How `expect` compares.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Test {
    /// `=`: the whole text.
    Is,
    /// `~`: contains.
    Holds,
}

/// Which control is meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// By its whole name.
    Name(String),
    /// By role and whole name.
    RoleName(String, String),
    /// The only control of that role.
    Role(String),
    /// By a part of its name.
    Part(String),
}

/// A step that cannot be read.
#[derive(Debug, PartialEq, Eq)]
pub struct Fault {
    /// From 1.
    pub step: usize,
    /// In characters, from 1.
    pub column: usize,
    /// What was expected there.
    pub what: &'static str,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { step, column, what } = self;
        write!(f, "step {step}, column {column}: {what}")
    }
}

impl std::error::Error for Fault {}

/// Reads every step; blank ones are skipped but counted, so that a number means a line.
pub fn parse<'a>(steps: impl IntoIterator<Item = &'a str>) -> Result<Vec<(usize, Step)>, Fault> {
    let mut parsed = Vec::new();
    for (index, text) in steps.into_iter().enumerate() {
        if text.trim().is_empty() {
            continue;
        }
        let step = index + 1;
        let mut reader = Reader::new(text);
        let one = reader.step().map_err(|what| Fault {
            step,
            column: reader.column,
            what,
        })?;
        parsed.push((step, one));
    }
    Ok(parsed)
}

struct Reader<'a> {
    chars: Peekable<Chars<'a>>,
    /// Of the next character, from 1.
    column: usize,
}

type Read<T> = Result<T, &'static str>;

impl<'a> Reader<'a> {
    fn new(text: &'a str) -> Self {
        Self {
            chars: text.chars().peekable(),
            column: 1,
        }
    }

    fn step(&mut self) -> Read<Step> {
        self.blanks();
        let start = self.column;
        let verb = self.bare();
        let step = match verb.as_str() {
            "click" => Step::Click(self.target()?),
            "set" => {
                let target = self.target()?;
                self.operator("=")?;
                Step::Set(target, RawText::new(self.value()?))
            }
            "expect" => {
                let target = self.target()?;
                let test = match self.operator("=~")? {
                    '=' => Test::Is,
                    _ => Test::Holds,
                };
                Step::Expect(target, test, RawText::new(self.value()?))
            }
            "read" => Step::Read(self.target()?),
            _ => {
                self.column = start;
                return Err("a step begins with click, set, expect or read");
            }
        };
        self.blanks();
        match self.chars.peek() {
            None => Ok(step),
            Some(_) => Err("the step should end here; quote a text that has blanks"),
        }
    }

    fn target(&mut self) -> Read<Target> {
        self.blanks();
        match self.chars.peek() {
            None => return Err("a target is missing"),
            Some('#') => return Err("a target that begins with # must be quoted"),
            Some('~') => {
                self.next();
                return Ok(Target::Part(self.name()?));
            }
            Some(_) => {}
        }
        let first = self.name()?;
        if self.chars.peek() != Some(&':') {
            return Ok(Target::Name(first));
        }
        self.next();
        match self.chars.peek() {
            None => Ok(Target::Role(first)),
            Some(c) if c.is_whitespace() => Ok(Target::Role(first)),
            Some(_) => Ok(Target::RoleName(first, self.name()?)),
        }
    }

    /// A name that is not empty.
    fn name(&mut self) -> Read<String> {
        let name = match self.chars.peek() {
            Some('"') => self.quoted()?,
            _ => self.bare(),
        };
        if name.is_empty() {
            return Err("a name is missing");
        }
        Ok(name)
    }

    fn operator(&mut self, allowed: &str) -> Read<char> {
        self.blanks();
        match self.chars.peek().copied() {
            Some(c) if allowed.contains(c) => {
                self.next();
                Ok(c)
            }
            _ if allowed == "=" => Err("= is missing here (with blanks around it)"),
            _ => Err("= or ~ is missing here (with blanks around it)"),
        }
    }

    fn value(&mut self) -> Read<String> {
        self.blanks();
        match self.chars.peek() {
            None => Err("a text is missing; an empty one is \"\""),
            Some('"') => self.quoted(),
            Some(_) => Ok(self.take_while(|c| !c.is_whitespace() && c != '"')),
        }
    }

    fn bare(&mut self) -> String {
        self.take_while(|c| !c.is_whitespace() && c != '"' && c != ':')
    }

    fn quoted(&mut self) -> Read<String> {
        self.next();
        let mut text = String::new();
        loop {
            match self.next() {
                None => return Err("the closing \" is missing"),
                Some('"') => return Ok(text),
                Some('\\') => text.push(self.escape()?),
                Some(c) => text.push(c),
            }
        }
    }

    fn escape(&mut self) -> Read<char> {
        const WHAT: &str = r#"only \" \\ \n \t and \u{…} can follow a backslash"#;
        match self.chars.peek() {
            Some('"' | '\\') => self.next().ok_or(WHAT),
            Some('n') => self.next().map(|_| '\n').ok_or(WHAT),
            Some('t') => self.next().map(|_| '\t').ok_or(WHAT),
            Some('u') => {
                self.next();
                if self.next() != Some('{') {
                    return Err(WHAT);
                }
                let digits = self.take_while(|c| c.is_ascii_hexdigit());
                if self.next() != Some('}') {
                    return Err(WHAT);
                }
                let number = u32::from_str_radix(&digits, 16).ok();
                number
                    .and_then(char::from_u32)
                    .ok_or(r"\u{…} is no character")
            }
            _ => Err(WHAT),
        }
    }

    fn blanks(&mut self) {
        self.take_while(char::is_whitespace);
    }

    fn take_while(&mut self, wanted: impl Fn(char) -> bool) -> String {
        let mut text = String::new();
        while let Some(c) = self.chars.peek().copied().filter(|c| wanted(*c)) {
            self.next();
            text.push(c);
        }
        text
    }

    fn next(&mut self) -> Option<char> {
        let c = self.chars.next()?;
        self.column += 1;
        Some(c)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(text: &str) -> Step {
        parse([text]).unwrap().remove(0).1
    }

    fn name(text: &str) -> Target {
        Target::Name(text.to_owned())
    }

    #[test]
    fn every_form_of_a_step() {
        let role = |role: &str| Target::Role(role.to_owned());
        let both = |r: &str, n: &str| Target::RoleName(r.to_owned(), n.to_owned());
        let text = |text: &str| RawText::new(text);
        for (step, want) in [
            ("click Save", Step::Click(name("Save"))),
            ("  click   × ", Step::Click(name("×"))),
            ("click =", Step::Click(name("="))),
            (
                r#"click button:"Save as…""#,
                Step::Click(both("button", "Save as…")),
            ),
            (
                r#"click "push button":7"#,
                Step::Click(both("push button", "7")),
            ),
            ("click ~Save", Step::Click(Target::Part("Save".to_owned()))),
            (
                r#"set "Name" = "  Ada ""#,
                Step::Set(name("Name"), text("  Ada ")),
            ),
            (r#"set Name = """#, Step::Set(name("Name"), text(""))),
            (
                r#"set N = "a\"b\\c\n\t\u{2615}""#,
                Step::Set(name("N"), text("a\"b\\c\n\t☕")),
            ),
            (
                r#"expect "edit bar": = "84""#,
                Step::Expect(role("edit bar"), Test::Is, text("84")),
            ),
            (
                "expect Status ~ saved",
                Step::Expect(name("Status"), Test::Holds, text("saved")),
            ),
            ("expect = = 7", Step::Expect(name("="), Test::Is, text("7"))),
            ("read label:", Step::Read(role("label"))),
        ] {
            assert_eq!(one(step), want, "{step}");
        }
    }

    #[test]
    fn a_fault_names_step_and_column_and_never_the_text() {
        for (step, column) in [
            ("press cmd+s", 1),
            ("click", 6),
            ("click Save as", 12),
            ("click #c17", 7),
            (r#"click """#, 9),
            ("set Name hunter2", 10),
            (r#"set Name = "hunter2"#, 20),
            (r#"set Name = "hunter2" hunter2"#, 22),
            (r#"set Name = "hunter2\x""#, 21),
            (r#"set Name = "\u{d800}""#, 21),
            ("set Name =", 11),
            ("expect Name", 12),
        ] {
            let fault = parse(["", step]).unwrap_err();
            assert_eq!((fault.step, fault.column), (2, column), "{step}: {fault}");
            assert!(!fault.to_string().contains("hunter2"), "{fault}");
        }
    }
}
