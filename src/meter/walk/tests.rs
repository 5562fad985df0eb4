use serde::de::IgnoredAny;

use super::*;

fn walks(bytes: &[u8]) -> bool {
    let mut walk = Walk::new(bytes);
    walk.skip().is_some() && walk.ended()
}

#[test]
fn the_same_texts_are_json_as_elsewhere() {
    for text in [
        "",
        "{}",
        "[]",
        " [ ] ",
        "{ }",
        "[1,2]",
        "[1,]",
        "[,1]",
        "{\"a\":1}",
        "{\"a\":1,}",
        "{\"a\"}",
        "{\"a\":}",
        "{1:2}",
        "{]",
        "[}",
        "[1 2]",
        "1 2",
        "[[[]],{\"a\":[{}]}]",
        "[[]",
        "[]]",
        "nul",
        "null",
        "true",
        "fals",
        "false",
        "0",
        "01",
        "-0",
        "-",
        "-1",
        "1.",
        "1.5",
        ".5",
        "1e5",
        "1e",
        "1E+5",
        "1e-",
        "\"",
        "\"a\"",
        "\"a\\\"\"",
        "\"a\\\\\"",
        "\"\\x\"",
        "\"\\u12g4\"",
        "\"\\u1234\"",
        "\"\\u12\"",
        "\"\u{1}\"",
        "\"12345678\t\"",
        "\"1234567\\n89\\n\\n\\n\\\"0\"",
        "\u{feff}1",
        "{\"a\":1 \"b\":2}",
        "{\"a\":\"b\",\"c\":[1,{\"d\":null}],\"e\":{}}",
        "[\"\u{7f}é\"]",
    ] {
        let want = serde_json::from_slice::<IgnoredAny>(text.as_bytes()).is_ok();
        assert_eq!(walks(text.as_bytes()), want, "{text:?}");
    }
    assert!(walks(b"\"\xff\xfe\x80 not UTF-8, not looked at\""));
    assert!(!walks("[".repeat(99).as_bytes()));
}

#[test]
fn plain_values_are_taken_and_others_left() {
    for (text, want) in [
        ("7", Some(7)),
        ("0", Some(0)),
        ("null", Some(0)),
        ("07", None),
        ("-1", None),
        ("1.0", None),
        ("1e3", None),
        ("\"7\"", None),
        ("9999999999999999999", None),
    ] {
        assert_eq!(Walk::new(text.as_bytes()).count(), want, "{text}");
    }
    for (text, want) in [
        ("null", Some(Plain::Null)),
        ("\"a\"", Some(Plain::Text(b"a"))),
        ("\"\\n\"", None),
        ("5", None),
    ] {
        assert_eq!(Walk::new(text.as_bytes()).plain(), want, "{text}");
    }
    let bytes = Plain::Text(b"\xff".as_slice());
    assert_eq!(Walk::new(b"\"\xff\"").plain(), Some(bytes));
}
