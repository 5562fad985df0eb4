//! Which desk tools a shell line calls. In: the line as Claude Code's Bash tool gets it. Out: the
//! tools' names in the order of their calls. Runs nothing and expands nothing.

/// The desk tools, as installed launchers and as subcommands.
pub const TOOLS: [&str; 5] = [
    "desk",
    "desk-run",
    "desk-read",
    "desk-running",
    "desk-clean",
];

const BINARY: &str = "lean-computer-use";

/// The desk tools that `line` calls, through a launcher or through the binary, by a bare name or by a
/// path, quoted or not, anywhere in a chain of commands. The text of a here-document is no command.
#[must_use]
pub fn desk_tools(line: &str) -> Vec<&'static str> {
    let mut found = Vec::new();
    for words in commands(line) {
        found.extend(desk_tool(&words));
    }
    found
}

/// The desk tool of one command.
fn desk_tool(words: &[String]) -> Option<&'static str> {
    let before = |word: &&String| {
        matches!(word.as_str(), "!" | "{" | "(" | "time" | "exec" | "command") || assigns(word)
    };
    let mut words = words.iter().skip_while(before);
    let file = |word: &str| {
        word.rsplit(['/', '\\'])
            .next()
            .unwrap_or_default()
            .to_owned()
    };
    let mut name = file(words.next()?);
    if name == BINARY || name.strip_suffix(".exe") == Some(BINARY) {
        name.clone_from(words.next()?);
    }
    TOOLS.into_iter().find(|tool| *tool == name)
}

/// `NAME=value`, which stands before the command it is for.
fn assigns(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    })
}

/// What the reader of a line has gathered so far.
#[derive(Default)]
struct Reader {
    done: Vec<Vec<String>>,
    words: Vec<String>,
    word: Option<String>,
    /// Ends of here-documents whose text begins after this line.
    ends: Vec<String>,
}

impl Reader {
    fn push(&mut self, c: char) {
        self.word.get_or_insert_default().push(c);
    }

    fn end_word(&mut self) {
        let Some(word) = self.word.take() else { return };
        let here = word
            .strip_prefix("<<")
            .filter(|rest| !rest.starts_with('<'));
        let open = self.words.last().is_some_and(|last| last == "<<");
        if open {
            self.words.pop();
            self.ends.push(word);
        } else if let Some(end) = here.map(|end| end.trim_start_matches('-')) {
            if end.is_empty() {
                self.words.push("<<".to_owned());
            } else {
                self.ends.push(end.to_owned());
            }
        } else {
            self.words.push(word);
        }
    }

    fn end_command(&mut self) {
        self.end_word();
        if !self.words.is_empty() {
            self.done.push(std::mem::take(&mut self.words));
        }
    }
}

/// The words of each command of a line, without quotes and here-documents.
fn commands(line: &str) -> Vec<Vec<String>> {
    let mut reader = Reader::default();
    let mut rest = line.chars();
    while let Some(c) = rest.next() {
        match c {
            '\'' => {
                reader.word.get_or_insert_default();
                rest.by_ref()
                    .take_while(|c| *c != '\'')
                    .for_each(|c| reader.push(c));
            }
            '"' => double_quoted(&mut rest, &mut reader),
            '\\' => match rest.next() {
                Some('\n') | None => {}
                Some(c) => reader.push(c),
            },
            '\n' => {
                reader.end_command();
                let ends = std::mem::take(&mut reader.ends);
                rest = after_documents(rest.as_str(), &ends).chars();
            }
            ';' | '|' | '&' | '(' | ')' => reader.end_command(),
            '#' if reader.word.is_none() => {
                let text = rest.as_str();
                rest = text[text.find('\n').unwrap_or(text.len())..].chars();
            }
            c if c.is_whitespace() => reader.end_word(),
            c => reader.push(c),
        }
    }
    reader.end_command();
    reader.done
}

fn double_quoted(rest: &mut std::str::Chars<'_>, reader: &mut Reader) {
    reader.word.get_or_insert_default();
    while let Some(c) = rest.next() {
        match c {
            '"' => return,
            '\\' => match rest.next() {
                Some(c @ ('"' | '\\' | '$' | '`')) => reader.push(c),
                // As on Windows: a path's backslash stays.
                Some(c) => {
                    reader.push('\\');
                    reader.push(c);
                }
                None => {}
            },
            c => reader.push(c),
        }
    }
}

/// What follows the here-documents that end with these words.
fn after_documents<'a>(mut text: &'a str, ends: &[String]) -> &'a str {
    for end in ends {
        loop {
            let (line, rest) = text.split_once('\n').unwrap_or((text, ""));
            text = rest;
            if line.trim_start_matches('\t') == end || rest.is_empty() {
                break;
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn desk_tools_of_a_line() {
        for (line, want) in [
            ("lean-computer-use desk-run app click Save", "desk-run"),
            ("/opt/a/lean-computer-use desk-read app", "desk-read"),
            (
                "\"/opt/with blank/lean-computer-use\" desk app press",
                "desk",
            ),
            (r#""C:\bin\lean-computer-use.exe" desk-clean"#, "desk-clean"),
            (".claude/desk/desk-run app", "desk-run"),
            (
                "\"$DESK/desk\" com.nope press_key '{\"key\":\"a\"}'",
                "desk",
            ),
            ("'/x y/desk-running' app", "desk-running"),
            (
                "cd /x && lean-computer-use desk-run a; desk-read b | head",
                "desk-run desk-read",
            ),
            ("A=1 B='2 3' desk-run a", "desk-run"),
            ("(desk-clean)", "desk-clean"),
            ("echo hi\ndesk-read a", "desk-read"),
            ("lean-computer-use \\\n desk-run a", "desk-run"),
            (
                "desk-run a <<'EOF'\ndesk-read b\nEOF\ndesk-clean",
                "desk-run desk-clean",
            ),
            ("desk-run a << EOF && true\ndesk-read b\nEOF", "desk-run"),
            (
                "desk-run a <<-EOF\ndesk-read b\n\tEOF\ndesk b",
                "desk-run desk",
            ),
            ("desk-run a <<<desk-read", "desk-run"),
            ("", ""),
            ("echo desk-run", ""),
            ("echo 'a; desk-run b'", ""),
            ("echo \"a && desk-run b\"", ""),
            ("# desk-run a", ""),
            ("desk-runner a", ""),
            ("lean-computer-use meter desk-run", ""),
            ("lean-computer-use", ""),
            ("cat desk-run/notes", ""),
            ("'unclosed desk-run", ""),
        ] {
            assert_eq!(desk_tools(line).join(" "), want, "{line}");
        }
    }
}
