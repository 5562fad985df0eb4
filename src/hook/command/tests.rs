use proptest::prelude::*;

use super::*;

#[test]
fn blanks_comments_and_tails_are_squashed_outside_quotes() {
    for (command, want) in [
        ("make  \t x", "make x"),
        ("  make x ; ", "make x"),
        ("make x 2>&1", "make x"),
        ("make x # again", "make x"),
        ("make x#y", "make x#y"),
        ("# first\nmake", "make"),
        ("make\n\n  x", "make\nx"),
        ("a &&\n b", "a && b"),
        ("make\\\nx", "make x"),
        (
            "echo 'a  # b'  \"c  \\\"  d\"",
            "echo 'a  # b' \"c  \\\"  d\"",
        ),
        ("cat <<E\n a  b # c\nE\n", "cat <<E\n a  b # c\nE"),
        ("echo \\#  x", "echo \\# x"),
        ("npm test | tail -20", "npm test | tail -20"),
    ] {
        assert_eq!(squash(command), want, "{command:?}");
    }
}

#[test]
fn a_cd_in_front_becomes_the_folder() {
    for (command, cwd, text) in [
        ("make", "/p", "make"),
        ("cd /q/ && make", "/q", "make"),
        ("cd '/a b' && make && x", "/a b", "make && x"),
        ("cd \"/a b\" && make", "/a b", "make"),
        ("cd \"$X\" && make", "/p", "cd \"$X\" && make"),
        ("cd $X && make", "/p", "cd $X && make"),
        ("cd /q; make", "/p", "cd /q; make"),
        ("cd /q", "/p", "cd /q"),
    ] {
        let want = Command {
            cwd: cwd.to_owned(),
            text: text.to_owned(),
        };
        assert_eq!(Command::of("/p/", command), want, "{command}");
    }
}

#[test]
fn commands_are_sorted_by_what_they_do() {
    for (command, reads, waits, desk) in [
        ("ls -l && git status", true, false, false),
        ("git checkout -- x", false, false, false),
        ("gitstatus", false, false, false),
        ("lsof", false, false, false),
        ("cat x > y", true, false, false),
        ("ls | wc", true, false, false),
        ("sleep 5 && curl x/health", false, true, false),
        ("gh run watch 7", false, true, false),
        ("desk-read a && desk-running", true, false, true),
        ("desk a click '{}' && ls", false, false, false),
        ("desk-run a <<'E'\nclick x\nE", false, false, true),
        ("desk-run a 'click x'", false, false, true),
    ] {
        let command = Command::of("/", command);
        let got = (command.only_reads(), command.waits(), command.is_desk());
        assert_eq!(got, (reads, waits, desk), "{command:?}");
    }
}

#[test]
fn only_the_snapshot_of_a_token_is_left_out_of_a_family() {
    let family = |text: &str| Command::of("", text).family();
    assert_eq!(
        family(r#"desk a click '{"element_token": "s0000002a:14"}'"#).unwrap(),
        r#"desk a click '{"element_token": "s*:14"}'"#
    );
    assert_eq!(family(r#"desk a click '{"element_token":"x"}'"#), None);
}

/// Quoted and unquoted pieces of a command line, without a continuation.
fn pieces() -> impl Strategy<Value = Vec<String>> {
    let piece = prop_oneof![
        "[ \t]{0,3}[a-z0-9/.=-]{1,6}",
        "[ \n]{1,3}",
        " && | \\| |; | #[a-z ']{0,4}\n",
        "'[^']{0,12}'",
        "\"([^\"\\\\]|\\\\.){0,12}\"",
    ];
    prop::collection::vec(piece, 0..8)
}

proptest! {
    #[test]
    fn what_is_squashed_stays_as_it_is(pieces in pieces()) {
        let once = squash(&pieces.concat());
        // One `;` or `2>&1` is dropped at each go.
        prop_assume!(!once.ends_with([';', '1']));
        prop_assert_eq!(squash(&once), once);
    }

    #[test]
    fn quoted_text_is_never_touched(before in "[a-z ]{0,6}", text in "[^']{0,20}", rest in "[a-z# ]{0,6}") {
        let quoted = format!("'{text}'");
        let squashed = squash(&format!("x{before}{quoted}{rest}"));
        prop_assert!(squashed.contains(&quoted), "{squashed}");
    }

    #[test]
    fn nothing_makes_it_panic(command in any::<String>(), cwd in any::<String>()) {
        let command = Command::of(&cwd, &command);
        let _ = (command.is_desk(), command.only_reads(), command.waits(), command.family());
    }
}
