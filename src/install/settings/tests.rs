//! Merging and taking out again, from literals and from random files.

use proptest::prelude::*;

use super::*;

fn registration(name: &str, event: &str, matcher: Option<&str>) -> Registration {
    let spelling = Spelling {
        before: "( . \"".to_owned(),
        behind: format!("/hooks/{name}\" )"),
    };
    Registration {
        hook: name.to_owned(),
        event: event.to_owned(),
        matcher: matcher.map(str::to_owned),
        command: format!("{}$D{}", spelling.before, spelling.behind),
        timeout: 5,
        form: Form {
            spellings: vec![spelling],
            quote: '"',
        },
    }
}

fn entries() -> Entries {
    Entries {
        registrations: vec![
            registration("guard", "PreToolUse", Some("Bash")),
            registration("guard", "Stop", None),
            registration("meter", "Stop", None),
        ],
        rules: vec!["Bash(x run:*)".to_owned()],
    }
}

fn merged(text: &str, entries: &Entries) -> (String, Trace) {
    let mut trace = Trace::default();
    let merged = merge(text, entries, &mut trace).unwrap();
    (merged, trace)
}

/// Every old byte is still there, in order.
fn only_insertions(old: &str, new: &str) -> bool {
    let mut rest = new.bytes();
    old.bytes().all(|byte| rest.any(|other| other == byte))
}

fn round_trip(text: &str) {
    let entries = entries();
    let (first, trace) = merged(text, &entries);
    let mut again = trace.clone();
    assert!(only_insertions(text, &first), "{text:?} became {first:?}");
    let value: serde_json::Value = serde_json::from_str(&first).unwrap();
    assert_eq!(
        value["hooks"]["Stop"]
            .as_array()
            .unwrap()
            .iter()
            .rev()
            .take(2)
            .count(),
        2
    );
    assert_eq!(
        merge(&first, &entries, &mut again).unwrap(),
        first,
        "twice equals once"
    );
    assert_eq!(again, trace);
    let back = unmerge(&first, &entries, &trace).unwrap();
    let back = back.unwrap_or_else(|| trace.emptied[0].inner.clone());
    assert_eq!(back, text, "through {first}");
}

const FILES: [&str; 30] = [
    "",
    "\n",
    "\r\n  ",
    "{}",
    "{}\n",
    "{ }",
    "{\n}\n",
    "{\n\n\n}",
    "{\"a\":1}",
    "{\"a\": 1}",
    "{ \"a\" : 1 , \"b\" : [ ] }\n",
    "{\n  \"a\": 1\n}\n",
    "{\n  \"a\": 1\n}",
    "{\r\n    \"a\": 1,\r\n    \"hooks\": {}\r\n}\r\n",
    "{\n\t\"a\": [\n\t\t1.0, 1E3, -0.0, 12345678901234567890123\n\t]\n}\n",
    "{\n    \"\\u00e9\": \"\\/\",\n    \"日本\": \"π\"\n}\n",
    "{\n  \"hooks\": { }\n}\n",
    "{\n  \"hooks\": {\n  }\n}\n",
    "{\n\n  \"hooks\": {\n\n\n    \"Stop\": [\n\n    ]\n\n  }\n\n\n}\n\n",
    "{\"hooks\":{\"Stop\":[]}}",
    "{\"hooks\": {\"Stop\": [{\"hooks\": []}]}}",
    "{\"hooks\": {\"Stop\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"x\"}]}]}, \"b\": 1}",
    "{\n  \"hooks\": {\n    \"PreToolUse\": [\n      {\n        \"matcher\": \"Bash\",\n        \"hooks\": [ {\"type\": \"command\", \"command\": \"x\", \"timeout\": 3} ]\n      }\n    ]\n  }\n}\n",
    "{\n\"hooks\": {\n\"Other\": []\n},\n\"z\": null\n}\n",
    "{\n  \"permissions\": {}\n}\n",
    "{\n  \"permissions\": {\"deny\": [\"x\"]}\n}\n",
    "{\n  \"permissions\": {\n    \"allow\": []\n  },\n  \"x\": {}\n}\n",
    "{\n  \"permissions\": {\n    \"allow\": [\"Bash(ls)\", \"Read\"]\n  }\n}\n",
    "{\n  \"permissions\": {\n    \"allow\": [\n      \"Bash(ls)\"\n    ], \"deny\": []}}\n",
    "   {\n     \"a\": 1\n   }   \n",
];

#[test]
fn installing_and_removing_gives_back_every_byte() {
    for text in FILES {
        round_trip(text);
    }
}

#[test]
fn entries_follow_the_style_of_the_file() {
    let mut entries = entries();
    entries.registrations.truncate(1);
    entries.rules.clear();
    for (text, want) in [
        (
            "{\"a\":1}",
            r#"{"a":1,"hooks":{"PreToolUse":[{"matcher":"Bash","hooks":[{"type":"command","command":"( . \"$D/hooks/guard\" )","timeout":5}]}]}}"#,
        ),
        (
            "{ \"a\": 1, \"hooks\": {} }",
            r#"{ "a": 1, "hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "( . \"$D/hooks/guard\" )", "timeout": 5}]}]} }"#,
        ),
        (
            "{\r\n\t\"hooks\": {\r\n\t\t\"PreToolUse\": []\r\n\t}\r\n}",
            "{\r\n\t\"hooks\": {\r\n\t\t\"PreToolUse\": [\r\n\t\t\t{\r\n\t\t\t\t\"matcher\": \"Bash\",\r\n\t\t\t\t\"hooks\": [\r\n\t\t\t\t\t{\r\n\t\t\t\t\t\t\"type\": \"command\",\r\n\t\t\t\t\t\t\"command\": \"( . \\\"$D/hooks/guard\\\" )\",\r\n\t\t\t\t\t\t\"timeout\": 5\r\n\t\t\t\t\t}\r\n\t\t\t\t]\r\n\t\t\t}\r\n\t\t]\r\n\t}\r\n}",
        ),
    ] {
        assert_eq!(merged(text, &entries).0, want);
    }
}

#[test]
fn what_the_user_did_meanwhile_stays() {
    let entries = entries();
    let (text, trace) = merged("{\n  \"a\": 1\n}\n", &entries);
    let mine = r#"{"type": "command", "command": "mine"}"#;
    let ours = r#"{
            "type": "command",
            "command": "( . \"$D/hooks/guard\" )",
            "timeout": 5
          }"#;
    assert!(text.contains(ours), "{text}");
    for (edited, want) in [
        // Their handler in our group: the group stays, ours goes.
        (
            text.replacen(ours, &format!("{ours}, {mine}"), 1),
            format!("{{\n  \"a\": 1,\n  \"hooks\": {{\n    \"PreToolUse\": [\n      {{\n        \"matcher\": \"Bash\",\n        \"hooks\": [\n          {mine}\n        ]\n      }}\n    ]\n  }}\n}}\n"),
        ),
        // Ours under their matcher: only the handler goes.
        (
            text.replacen("\"Bash\"", "\"Edit\"", 1),
            "{\n  \"a\": 1,\n  \"hooks\": {\n    \"PreToolUse\": [\n      {\n        \"matcher\": \"Edit\",\n        \"hooks\": []\n      }\n    ]\n  }\n}\n".to_owned(),
        ),
        // A launcher elsewhere, and another timeout: still ours.
        (text.replace("$D", "/opt/old"), "{\n  \"a\": 1\n}\n".to_owned()),
        (text.replace("\"timeout\": 5", "\"timeout\": 9"), "{\n  \"a\": 1\n}\n".to_owned()),
        // Another style and other keys.
        (text.replace("\"a\": 1", "\"a\": 2, \"b\": []"), "{\n  \"a\": 2, \"b\": []\n}\n".to_owned()),
    ] {
        let rest = unmerge(&edited, &entries, &trace).unwrap().unwrap();
        assert_eq!(rest, want);
    }
}

#[test]
fn another_install_mends_copies_and_stale_paths_only() {
    let entries = entries();
    let (text, mut trace) = merged("{\"a\": 1}", &entries);
    let group = r#"{"matcher": "Bash", "hooks": [{"type": "command", "command": "( . \"$D/hooks/guard\" )", "timeout": 5}]}"#;
    let thrice = text.replace(group, &format!("{group}, {group},{group}"));
    assert_ne!(thrice, text);
    assert_eq!(merge(&thrice, &entries, &mut trace).unwrap(), text);
    let stale = text.replace("$D", "/opt/old");
    assert_eq!(merge(&stale, &entries, &mut trace).unwrap(), text);
    let slower = text.replace("\"timeout\": 5", "\"timeout\": 60");
    assert_eq!(merge(&slower, &entries, &mut trace).unwrap(), slower);
    // Only the form with our launcher's name is ours.
    let other = text.replace("hooks/guard", "hooks/guard2");
    let both = merge(&other, &entries, &mut trace).unwrap();
    assert!(
        both.contains("hooks/guard2") && both.contains("hooks/guard\\"),
        "{both}"
    );
}

#[test]
fn a_key_that_is_no_text_is_kept() {
    let text = "{\"\\ud800\": 1, \"hooks\": {\"\\ud800\": []}}";
    let (text_with_us, mut trace) = merged(text, &entries());
    trace.created_keys.push("/hooks".to_owned());
    let rest = unmerge(&text_with_us, &entries(), &trace).unwrap();
    assert_eq!(rest.as_deref(), Some(text));
}

#[test]
fn a_mark_is_kept_apart_and_bad_bytes_have_a_place() {
    assert_eq!(decode(b"\xef\xbb\xbf{}").unwrap(), ("\u{feff}", "{}"));
    assert_eq!(decode(b"{}").unwrap(), ("", "{}"));
    assert_eq!(
        decode(b"{\n \xff}").unwrap_err().to_string(),
        "2:2: not UTF-8"
    );
}

/// White space as people and tools write it.
fn blank() -> impl Strategy<Value = String> {
    proptest::sample::select(vec![
        "",
        " ",
        "\n",
        "\n  ",
        "\n\t",
        "\r\n    ",
        "\n\n      ",
        "  \n",
    ])
    .prop_map(str::to_owned)
}

fn list(open: &str, items: &[String], close: &str, blanks: &[String]) -> String {
    let gap = |n: usize| blanks[n % blanks.len()].as_str();
    let mut text = open.to_owned() + gap(0);
    for (n, item) in items.iter().enumerate() {
        if n > 0 {
            text = text + gap(2 * n) + "," + gap(2 * n + 1);
        }
        text.push_str(item);
    }
    text + gap(items.len()) + close
}

fn blanks() -> impl Strategy<Value = Vec<String>> {
    proptest::collection::vec(blank(), 1..6)
}

fn json_list(item: BoxedStrategy<String>, most: usize) -> impl Strategy<Value = String> {
    (proptest::collection::vec(item, 0..most), blanks())
        .prop_map(|(items, blanks)| list("[", &items, "]", &blanks))
}

/// An object whose keys differ: each of `members`, or not.
fn json_object(
    members: Vec<(&'static str, BoxedStrategy<String>)>,
) -> impl Strategy<Value = String> {
    let member = |(key, value): (&'static str, BoxedStrategy<String>)| {
        (proptest::option::of(value), blank(), blank()).prop_map(move |(value, before, behind)| {
            value.map(|value| format!("\"{key}\"{before}:{behind}{value}"))
        })
    };
    let members: Vec<_> = members.into_iter().map(member).collect();
    (members, blanks()).prop_map(|(members, blanks)| {
        let members: Vec<_> = members.into_iter().flatten().collect();
        list("{", &members, "}", &blanks)
    })
}

fn anything() -> BoxedStrategy<String> {
    let leaf = proptest::sample::select(vec![
        "null",
        "true",
        "1.0",
        "-0",
        "1E3",
        "12345678901234567890123",
        "\"\\u00e9\"",
        "\"日本\"",
        "\"}\\\"]\"",
    ]);
    let leaf = leaf.prop_map(str::to_owned).boxed();
    let deeper = json_object(vec![
        ("a", leaf.clone()),
        ("\\u0062", json_list(leaf.clone(), 3).boxed()),
    ]);
    prop_oneof![leaf, deeper].boxed()
}

fn settings_file() -> impl Strategy<Value = String> {
    let handler = proptest::sample::select(vec![
        r#"{"type": "command", "command": "x"}"#,
        "{\n\"type\":\"prompt\" }",
    ]);
    let handlers = json_list(handler.prop_map(str::to_owned).boxed(), 3);
    let group =
        handlers.prop_map(|handlers| format!("{{\"matcher\": \"Bash\", \"hooks\": {handlers}}}"));
    let group = group.boxed();
    let event = || json_list(group.clone(), 3).boxed();
    let hooks = json_object(vec![
        ("Stop", event()),
        ("PreToolUse", event()),
        ("Other", event()),
    ]);
    let rule = proptest::sample::select(vec!["\"Bash(ls)\"", "\"\\u0052ead\""]);
    let allow = json_list(rule.prop_map(str::to_owned).boxed(), 3);
    let permissions = json_object(vec![
        (
            "deny",
            json_list(
                proptest::sample::select(vec!["\"Read\""])
                    .prop_map(str::to_owned)
                    .boxed(),
                2,
            )
            .boxed(),
        ),
        ("allow", allow.boxed()),
    ]);
    let root = json_object(vec![
        ("a", anything()),
        ("hooks", hooks.boxed()),
        ("permissions", permissions.boxed()),
        ("é", anything()),
    ]);
    (blank(), root, blank()).prop_map(|(before, root, behind)| before + &root + &behind)
}

/// What an earlier release would have merged: a hook since renamed, one with another matcher, one
/// for an event that is gone, a rule of a tool that is gone.
fn earlier_entries() -> Entries {
    Entries {
        registrations: vec![
            registration("watch", "PreToolUse", Some("Bash")),
            registration("guard", "PreToolUse", Some("Edit")),
            registration("guard", "Gone", None),
            registration("meter", "Stop", None),
        ],
        rules: vec!["Bash(x old:*)".to_owned(), "Bash(x run:*)".to_owned()],
    }
}

/// An upgrade leaves what a fresh install would hold, and an uninstall then gives every byte back.
fn upgrade(text: &str) {
    let (earlier, now) = (earlier_entries(), entries());
    let (first, trace) = merged(text, &earlier);
    let (second, trace) = renew(&first, Some((&earlier, &trace)), &now).unwrap();
    let shape = Shape::parse(&second).unwrap();
    for registration in &now.registrations {
        let (_, event) = shape.event(&registration.event).unwrap();
        let claims = registration.claims(event);
        assert_eq!(claims.len(), 1, "{second}");
        assert_eq!(claims[0].state, State::Same, "{second}");
    }
    assert!(
        !second.contains("watch") && !second.contains("x old"),
        "{second}"
    );
    assert_eq!(second.matches("$D/hooks/").count(), now.registrations.len());
    let again = renew(&second, Some((&now, &trace)), &now).unwrap();
    assert_eq!(again, (second.clone(), trace.clone()), "twice equals once");
    let back = unmerge(&second, &now, &trace).unwrap();
    let back = back.or_else(|| trace.blank_document()).unwrap_or_default();
    assert_eq!(back, text, "through {first} and {second}");
}

#[test]
fn an_upgrade_moves_renamed_handlers() {
    for text in FILES {
        upgrade(text);
    }
}

proptest! {
    #[test]
    fn any_file_comes_back(text in settings_file()) {
        round_trip(&text);
    }

    #[test]
    fn any_file_comes_back_after_an_upgrade(text in settings_file()) {
        upgrade(&text);
    }
}

/// Found by fuzzing: what only looks blank is no JSON, and behind it nothing of ours would be.
#[test]
fn a_form_feed_is_no_white_space() {
    for text in ["\u{c}", " \u{c}\n", "\u{b}", "\u{a0}"] {
        assert!(merge(text, &entries(), &mut Trace::default()).is_err());
        assert!(unmerge(text, &entries(), &Trace::default()).is_err());
    }
    let (merged, trace) = merged("\n\t \r\n", &entries());
    assert_eq!(unmerge(&merged, &entries(), &trace), Ok(None));
    assert_eq!(trace.blank_document().as_deref(), Some("\n\t \r\n"));
}
