use serde_json::json;

use super::*;

const REFUSAL: Refusal<'_> = Refusal {
    why: Why::Same(2),
    exit: Some(2),
    ago: 14_000,
    probe: None,
    evidence: None,
    desk: false,
    in_a_row: 1,
};

fn reason(command: &str, refusal: &Refusal<'_>) -> String {
    let call = Call {
        tool: "Bash".to_owned(),
        input: json!({"command": command, "description": "d"}),
        id: None,
    };
    let Verdict::Deny(reason) = Verdict::deny(&call, refusal) else {
        panic!("not a refusal");
    };
    reason
}

fn tokens(text: &str) -> usize {
    bpe_openai::o200k_base().count(text)
}

#[test]
fn a_refusal_says_what_happened_and_what_is_allowed() {
    assert_eq!(
        reason("make x", &REFUSAL),
        "retry guard: not run. This exact call failed 2 times with the same error (exit 2), \
         last 14 s ago: \"make x\". Allowed instead: a changed call, or this one after a file \
         edit, a new user prompt or 15 minutes. Otherwise stop and report the failure."
    );
    let probed = Refusal {
        exit: None,
        ago: 300_000,
        probe: Some(90_000),
        ..REFUSAL
    };
    let said = reason("make x", &probed);
    assert!(said.contains("same error, last 5 min ago"), "{said}");
    assert!(said.contains("or 2 min from now. "), "{said}");
    let desk = Refusal {
        evidence: Some("desk-run: step 3: not_found"),
        desk: true,
        in_a_row: 3,
        ..REFUSAL
    };
    assert_eq!(
        reason("desk-run a 'click x'", &desk),
        "retry guard: not run. This exact call failed 2 times with the same error (exit 2), last \
         14 s ago: \"desk-run a 'click x'\" [desk-run: step 3: not_found]. Allowed instead: a \
         changed call, or this one after a successful desk action, a new user prompt or 10 \
         minutes. Refused again and again: stop and report this as the result."
    );
    let ceiling = Refusal {
        why: Why::Ceiling(6),
        ..REFUSAL
    };
    assert!(reason("make", &ceiling).contains("failed 6 times (exit 2)"));
    let family = Refusal {
        why: Why::Family(5),
        ..desk
    };
    assert!(reason("desk", &family).contains("failed 5 times, each on a fresh token"));
}

#[test]
fn reasons_and_nudges_are_short() {
    let long = Refusal {
        evidence: Some("desk-run: step 12: background_unavailable"),
        desk: true,
        in_a_row: 3,
        exit: Some(255),
        ..REFUSAL
    };
    for command in [
        "cargo test --workspace -- --include-ignored ".repeat(9),
        "desk com.a press_key '{\"key\":\"Escape\",\"modifiers\":[]}'".repeat(9),
        "日本語".repeat(90),
        "\u{202e}".repeat(90),
        "{}[]()!?".repeat(90),
    ] {
        let said = reason(&command, &long);
        assert!(tokens(&said) <= 120, "{} {said}", tokens(&said));
    }
    for nudge in [
        Verdict::nudge(2),
        Verdict::nudge(6),
        Verdict::nudge_family(3),
    ] {
        let Verdict::Nudge(text) = nudge else {
            panic!("no nudge");
        };
        assert!(tokens(&text) <= 40, "{} {text}", tokens(&text));
    }
}

#[test]
fn silence_is_nothing_and_the_rest_is_json() {
    assert_eq!(Verdict::Silent.line(), None);
    for (verdict, pointer) in [
        (Verdict::nudge(2), "/hookSpecificOutput/additionalContext"),
        (Verdict::Say("x\ny".to_owned()), "/systemMessage"),
    ] {
        let line = verdict.line().unwrap();
        assert!(!line.contains('\n'));
        let json: Value = serde_json::from_str(&line).unwrap();
        assert!(
            json.pointer(pointer).is_some_and(Value::is_string),
            "{line}"
        );
    }
}
