use memchr::memmem;

use super::*;

const ONE: &str = r#"{"parentUuid":null,"message":{"id":"msg_1","model":"m","usage":{"input_tokens":1,"output_tokens":2}},"type":"assistant"}"#;

fn parse_line(bytes: &[u8]) -> Parsed {
    parse_whole(bytes, true)
}

fn parse_whole(bytes: &[u8], whole: bool) -> Parsed {
    parse(&Line {
        bytes,
        whole,
        usage: true,
        long: None,
    })
}

fn ids(parsed: &Parsed) -> Vec<&str> {
    parsed
        .records
        .iter()
        .filter_map(|record| record.id.as_deref())
        .collect()
}

#[test]
fn only_messages_with_usage_are_records() {
    for line in [
        "5",
        "null",
        r#"{"type":"user","message":{"content":"x"}}"#,
        r#"{"type":"assistant","message":null}"#,
        r#"{"type":"assistant","message":{"usage":null}}"#,
        r#"{"type":"assistant","message":{"model":"<synthetic>","usage":{}}}"#,
        r#"{"type":"user","message":{"usage":{"output_tokens":9}}}"#,
        r#"{"type":"user","toolUseResult":{"usage":{"output_tokens":9}}}"#,
        r#"{"type":"progress","data":{"message":{"type":"user","message":{"usage":{}}}}}"#,
    ] {
        assert_eq!(parse_line(line.as_bytes()).records, [], "{line}");
    }
    assert_eq!(ids(&parse_line(ONE.as_bytes())), ["msg_1"]);
}

#[test]
fn invalid_bytes_hide_nothing() {
    for place in ["null", "msg_1", "\"m\"", "type"] {
        let at = memmem::find(ONE.as_bytes(), place.as_bytes()).unwrap();
        let mut line = ONE.as_bytes().to_vec();
        let bad = b"\"\xff\xfe\"";
        if place == "null" {
            line.splice(at..at + 4, bad.iter().copied());
        } else {
            line.insert(at + 1, 0xff);
        }
        let want = usize::from(place != "type");
        assert_eq!(parse_line(&line).records.len(), want, "{place}");
    }
}

#[test]
fn a_key_that_stands_twice_and_deep_input_hide_nothing() {
    let twice = ONE.replacen("\"type\"", "\"type\":\"x\",\"type\"", 1);
    assert_eq!(ids(&parse_line(twice.as_bytes())), ["msg_1"]);
    let deep = format!("{}{}", "[".repeat(5000), "]".repeat(5000));
    let deep = ONE.replacen("null", &deep, 1);
    assert_eq!(ids(&parse_line(deep.as_bytes())), ["msg_1"]);
}

#[test]
fn glued_lines_give_every_whole_record() {
    let two = ONE.replace("msg_1", "msg_2");
    let cut = &ONE[..60];
    for (line, want) in [
        (format!("{cut}{two}"), vec!["msg_2"]),
        (format!("{ONE}{cut}"), vec!["msg_1"]),
        (format!("{ONE}{two}"), vec!["msg_1", "msg_2"]),
        (format!("{cut}{ONE}{cut}{two}{cut}"), vec!["msg_1", "msg_2"]),
    ] {
        let parsed = parse_line(line.as_bytes());
        assert_eq!(ids(&parsed), want, "{line}");
        assert_eq!(parsed.skipped, Some(Skip::Glued));
    }
}

/// Each beginning would be read to the end of the line: of a hundred thousand that takes hours.
#[test]
fn a_line_of_nothing_but_beginnings_is_given_up() {
    let begun = r#"{"parentUuid":"#.repeat(100_000);
    let parsed = parse_line(begun.as_bytes());
    assert_eq!(
        (ids(&parsed), parsed.skipped),
        (vec![], Some(Skip::NotJson))
    );
    // A line that somebody could have made is not.
    let torn = format!("{}{ONE}", r#"{"parentUuid":""#.repeat(500));
    assert_eq!(ids(&parse_line(torn.as_bytes())), ["msg_1"]);
}

#[test]
fn what_is_skipped_has_a_reason() {
    for (bytes, whole, want) in [
        (ONE, true, None),
        (ONE, false, None),
        ("[1]", true, Some(Skip::NotAnObject)),
        ("{\"a\":", true, Some(Skip::NotJson)),
        ("{\"a\":", false, Some(Skip::CutLastLine)),
    ] {
        let bytes = bytes.as_bytes();
        assert_eq!(parse_whole(bytes, whole).skipped, want);
    }
}

#[test]
fn the_split_never_exceeds_the_total() {
    for (total, hour, five, one) in [(100, 40, 60, 40), (100, 0, 100, 0), (10, 40, 0, 10)] {
        let counts = Counts {
            cache_creation_input_tokens: Count(total),
            cache_creation: Object(Some(Split {
                ephemeral_1h_input_tokens: Count(hour),
            })),
            ..Counts::default()
        };
        let usage = usage(&counts);
        assert_eq!((usage.cache_write_5m(), usage.cache_write_1h), (five, one));
    }
}

/// Claude Code writes what a tool printed, cut at some length, within a character too.
#[test]
fn a_text_that_was_cut_within_a_character_hides_nothing() {
    let line = ONE.replace("\"model\":\"m\"", r#""model":"m\ud83d","content":"\ud83d""#);
    let parsed = parse_line(line.as_bytes());
    assert_eq!((ids(&parsed), parsed.skipped), (vec!["msg_1"], None));
}

/// Each is JSON; a line behind a torn one is no less one.
#[test]
fn what_is_forgiven_is_forgiven_in_glued_lines_too() {
    for (what, with) in [
        ("too large", r#""model":"m","content":1e400,"id2":-1E400"#),
        ("twice", r#""model":"x","model":"m""#),
        ("cut", r#""model":"m","stop_reason":"\ud83d""#),
    ] {
        let one = ONE.replace(r#""model":"m""#, with);
        let parsed = parse_line(one.as_bytes());
        assert_eq!(
            (ids(&parsed), parsed.skipped),
            (vec!["msg_1"], None),
            "{what}"
        );
        let parsed = parse_line(format!("{}{one}", &ONE[..60]).as_bytes());
        assert_eq!(
            (ids(&parsed), parsed.skipped),
            (vec!["msg_1"], Some(Skip::Glued)),
            "{what}"
        );
        assert_eq!(parsed.records[0].model.as_deref(), Some("m"), "{what}");
    }
}
