//! Characters of one step → words, targets, texts; counts columns. Knows no verb. Pure.

use std::iter::Peekable;
use std::str::Chars;

use super::Target;

/// What was read, or what was expected at the column the reader stands at.
pub type Read<T> = Result<T, &'static str>;

/// NUL is none either: the driver cannot pass it on, and reaches no app any more once it tried
/// (0.37, Linux).
const NO_CHARACTER: &str = r"\u{…} is no character, or it is NUL";

/// A step's text, read from left to right.
#[derive(Clone)]
pub struct Reader<'a> {
    chars: Peekable<Chars<'a>>,
    /// Of the next character, from 1.
    pub column: usize,
}

impl<'a> Reader<'a> {
    pub fn new(text: &'a str) -> Self {
        Self {
            chars: text.chars().peekable(),
            column: 1,
        }
    }

    pub fn target(&mut self) -> Read<Target> {
        self.blanks();
        match self.chars.peek() {
            None => return Err("a target is missing"),
            Some('#') => {
                let start = self.column;
                self.next();
                return self.reference().inspect_err(|_| self.column = start);
            }
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

    fn reference(&mut self) -> Read<Target> {
        let text = self.bare();
        let digits = text.strip_prefix('c').unwrap_or_default();
        let fits = (1..=6).contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_digit());
        if !fits || matches!(self.chars.peek(), Some('"' | ':')) {
            return Err("a ref looks like #c17; a name that begins with # must be quoted");
        }
        Ok(Target::Ref(text))
    }

    /// A name that is not empty.
    pub fn name(&mut self) -> Read<String> {
        let name = match self.chars.peek() {
            Some('"') => self.quoted()?,
            _ => self.bare(),
        };
        if name.is_empty() {
            return Err("a name is missing");
        }
        Ok(name)
    }

    pub fn operator(&mut self, allowed: &str) -> Read<char> {
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

    pub fn value(&mut self) -> Read<String> {
        self.blanks();
        match self.chars.peek() {
            None => Err("a text is missing; an empty one is \"\""),
            Some('"') => self.quoted(),
            Some(_) => Ok(self.take_while(|c| !c.is_whitespace() && c != '"')),
        }
    }

    pub fn bare(&mut self) -> String {
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
                let read = number.and_then(char::from_u32);
                read.filter(|c| *c != '\0').ok_or(NO_CHARACTER)
            }
            _ => Err(WHAT),
        }
    }

    pub fn blanks(&mut self) {
        self.take_while(char::is_whitespace);
    }

    pub fn peek(&mut self) -> Option<char> {
        self.chars.peek().copied()
    }

    fn take_while(&mut self, wanted: impl Fn(char) -> bool) -> String {
        let mut text = String::new();
        while let Some(c) = self.chars.peek().copied().filter(|c| wanted(*c)) {
            self.next();
            text.push(c);
        }
        text
    }

    pub fn next(&mut self) -> Option<char> {
        let c = self.chars.next()?;
        self.column += 1;
        Some(c)
    }
}
