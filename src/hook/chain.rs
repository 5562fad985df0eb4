//! A command → its parts, and which of them call a desk tool. Pure. It judges a command by its
//! form alone, for the guard: a line that is anything but calls joined by `&&` is one part.

use crate::desk_command::TOOLS;

const BINARY: &str = "lean-computer-use";

/// The tool that one simple command calls: by a launcher's name or path, quoted or not, or as a
/// subcommand of the binary.
#[must_use]
pub fn tool(command: &str) -> Option<&'static str> {
    // The last slash first, as a path's last part is its name.
    name_starts(command).find_map(|at| {
        let rest = &command[at..];
        named(rest, true).or_else(|| {
            let rest = rest.strip_prefix(BINARY)?;
            let rest = rest.strip_prefix(['"', '\'']).unwrap_or(rest);
            let name = rest.trim_start();
            if name.len() == rest.len() {
                return None;
            }
            named(name, false)
        })
    })
}

/// The commands of a line that `&&` alone joins. None when anything else stands in it that joins,
/// redirects or substitutes.
#[must_use]
pub fn segments(line: &str) -> Option<Vec<&str>> {
    let bytes = line.as_bytes();
    let mut found = Vec::new();
    let mut quote = None;
    let (mut at, mut start) = (0, 0);
    while at < bytes.len() {
        let rest = &bytes[at..];
        match (quote, rest[0]) {
            (Some(open), byte) => quote = Some(open).filter(|open| *open != byte),
            (None, byte @ (b'"' | b'\'')) => quote = Some(byte),
            (None, b'`' | b'\n' | b';' | b'|') => return None,
            (None, _) if rest.starts_with(b"$(") || rest.starts_with(b"<<") => return None,
            (None, b'&') if rest.starts_with(b"&&") => {
                found.push(line[start..at].trim());
                at += 1;
                start = at + 1;
            }
            (None, b'&') => return None,
            (None, _) => {}
        }
        at += 1;
    }
    found.push(line[start..].trim());
    Some(found)
}

/// Where a program's name may begin: behind a slash of the first word, or at the start.
fn name_starts(command: &str) -> impl Iterator<Item = usize> {
    let end = match command.as_bytes().first() {
        Some(open @ (b'"' | b'\'')) => {
            let open = char::from(*open);
            command[1..].find(open).map_or(command.len(), |at| at + 1)
        }
        _ => command
            .find(|c: char| c.is_whitespace() || matches!(c, '"' | '\''))
            .unwrap_or(command.len()),
    };
    let slashes = command[..end].rmatch_indices('/').map(|(at, _)| at + 1);
    slashes.chain([0])
}

/// The tool whose name stands here as a whole word, with a quote behind it when that is allowed.
fn named(text: &str, quoted: bool) -> Option<&'static str> {
    TOOLS.into_iter().find(|name| {
        text.strip_prefix(name).is_some_and(|rest| {
            let after = rest.strip_prefix(['"', '\'']).filter(|_| quoted);
            let ends = |rest: &str| rest.chars().next().is_none_or(char::is_whitespace);
            ends(rest) || after.is_some_and(ends)
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_desk_tool_is_known_by_the_form_of_its_call() {
        for (command, want) in [
            ("desk com.a click '{}'", Some("desk")),
            ("desk-running", Some("desk-running")),
            ("desk-run x", Some("desk-run")),
            (r#""$DESK/desk-read" com.a"#, Some("desk-read")),
            ("'/opt/lean computer/desk-run' com.a", Some("desk-run")),
            ("./bin/desk-clean", Some("desk-clean")),
            ("lean-computer-use desk-run com.a", Some("desk-run")),
            ("lean-computer-use  desk", Some("desk")),
            (r#""/a b/lean-computer-use" desk-read x"#, Some("desk-read")),
            ("lean-computer-use meter", None),
            ("lean-computer-usedesk", None),
            ("deskx", None),
            ("desk-runner", None),
            (r#""desk" x"#, None),
            ("echo desk", None),
            ("echo /desk", None),
            (r#"lean-computer-use desk-run" x"#, None),
            ("", None),
        ] {
            assert_eq!(tool(command), want, "{command}");
        }
    }

    #[test]
    fn only_a_plain_chain_has_segments() {
        assert_eq!(
            segments("a b && c '&& ; |' && d"),
            Some(vec!["a b", "c '&& ; |'", "d"])
        );
        assert_eq!(segments(""), Some(vec![""]));
        assert_eq!(segments("a \"$(x)\""), Some(vec!["a \"$(x)\""]));
        for line in [
            "a; b", "a | b", "a || b", "a & b", "a\nb", "a `b`", "a $(b)", "a <<E",
        ] {
            assert_eq!(segments(line), None, "{line}");
        }
    }
}
