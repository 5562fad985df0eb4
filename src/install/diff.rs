//! A plan as a unified diff: what an install would change, line by line. In goes a plan, out comes
//! text that is safe to print. Only the manifest and the record of the binary are left out: they
//! follow from the rest.

use std::fmt::Write as _;

use similar::TextDiff;

use super::found::OnDisk;
use super::plan::{FilePlan, Plan, Step};
use super::wanted::WantedFile;
use crate::escape::quoted;

/// Every change of an install, empty when there is none.
#[must_use]
pub fn unified(plan: &Plan<'_>) -> String {
    let mut out = String::new();
    for file in &plan.files {
        one_file(&mut out, file);
    }
    for edit in plan.settings.iter().flat_map(|settings| &settings.edits) {
        let old = plan
            .found
            .settings
            .get(&edit.file)
            .map(|old| old.bytes.as_slice());
        texts(&mut out, &edit.file, old, edit.after.as_deref());
    }
    out
}

fn one_file(out: &mut String, file: &FilePlan<'_>) {
    let old = match file.found {
        Some(OnDisk::File { bytes, .. }) => Some(bytes.as_slice()),
        _ => None,
    };
    let new = file.wanted.map(|wanted| wanted.bytes.as_slice());
    match file.step {
        Step::Create | Step::Update | Step::Replace => texts(out, file.path, old, new),
        Step::Offer => texts(out, &format!("{}.new", file.path), None, new),
        Step::Remove => texts(out, file.path, old, None),
        Step::Mode => {
            let mode = file.wanted.map_or(0, WantedFile::mode);
            let _ = writeln!(out, "mode of {}: {mode:04o}", safe(file.path));
        }
        Step::None | Step::Keep | Step::LeaveOut | Step::Refuse => {}
    }
}

fn texts(out: &mut String, path: &str, old: Option<&[u8]>, new: Option<&[u8]>) {
    let text =
        |bytes: Option<&[u8]>| String::from_utf8_lossy(bytes.unwrap_or_default()).into_owned();
    let name = |side: &str, bytes: Option<&[u8]>| match bytes {
        Some(_) => format!("{side}/{}", safe(path)),
        None => "/dev/null".to_owned(),
    };
    let (old_text, new_text) = (text(old), text(new));
    let diff = TextDiff::from_lines(&old_text, &new_text);
    let written = diff
        .unified_diff()
        .context_radius(3)
        .header(&name("a", old), &name("b", new))
        .to_string();
    out.push_str(&safe(&written));
}

/// Text with line ends and tabs as they are and everything else that could do something to a
/// terminal as an escape.
fn safe(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if c == '\n' || c == '\t' || (' '..='~').contains(&c) {
            out.push(c);
        } else {
            let quoted = quoted(c.encode_utf8(&mut [0; 4]));
            out.push_str(&quoted[1..quoted.len() - 1]);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_diff_cannot_move_the_cursor() {
        let mut out = String::new();
        texts(
            &mut out,
            "a\u{1b}b",
            Some(b"x\n"),
            Some("x\r\n\u{202e}π\n".as_bytes()),
        );
        assert_eq!(
            out,
            "--- a/a\\u001bb\n+++ b/a\\u001bb\n@@ -1 +1,2 @@\n-x\n+x\\r\n+\\u202eπ\n"
        );
        let mut out = String::new();
        texts(&mut out, "a", None, Some(b"x"));
        assert_eq!(
            out,
            "--- /dev/null\n+++ b/a\n@@ -0,0 +1 @@\n+x\n\\ No newline at end of file\n"
        );
    }
}
