//! Stories about controls of every kind (`judge/odd.py`), each with a whim of its own. The app notes
//! what really happened, and that is the judge.

use crate::context::TestContext;
use crate::liar::{Liar, first};

/// Each step, what is to be said of it, and what the app notes last.
fn judge(odd: &Liar, rows: &[(&str, &str, &str)]) {
    odd.noted();
    for (step, want, last) in rows {
        let seen = odd.packet(&[step]);
        let said = first(&seen).strip_prefix("desk-run: ").unwrap();
        let said = said.strip_prefix("step 1: ").unwrap_or(said);
        assert_eq!(said.trim_end_matches(" 1 step"), *want, "{step}: {seen}");
        let noted = odd.noted();
        let is = noted.last().map_or("", String::as_str);
        assert_eq!(is, *last, "{step}: {noted:?}");
    }
}

#[test]
#[ignore = "needs a desktop and the cua-driver: .ci/run"]
fn fields_that_reformat_refuse_and_move() {
    let ctx = TestContext::new();
    let odd = Liar::of(&ctx, "odd");
    let submits = "refused setting_could_submit";
    let rows = [
        ("type Trims = \" a b \"", "mismatch", "Trims \"a b\""),
        ("set Money = 1234", "mismatch", "Money \"1,234\""),
        ("set Search = x", "done", "Search \"x\""),
        (
            "type Search = \"Search here\"",
            "done",
            "Search \"xSearch here\"",
        ),
        ("type Fixed = x", "mismatch", ""),
        ("append Fixed = x", submits, ""),
        ("set Grey = x", "not_found no_control", ""),
        ("type Amount = 5", "mismatch", ""),
        ("set Amount = 7", submits, ""),
        ("set Board = x", "mismatch", ""),
        ("type Board = x", "mismatch", ""),
        ("type Search = \"a\\nb\"", submits, ""),
        ("set Volume = 5", "done", "Volume 5.0"),
        ("set Street: = x", "not_found", ""),
        ("set \"Street:\" = x", "done", "Street: \"x\""),
        ("set Draft = x", "done", "Draft \"x\""),
        // Greyed out, and gone, when it is read back.
        ("set Locks = x", "unverified", "Locks \"x\""),
        ("set Goes = x", "unverified", "Goes \"x\""),
        // The text stands at the very place, in another field.
        ("set Tag = blue", "mismatch", "Tag \"\""),
        ("type Tag = red", "mismatch", "Tag \"\""),
    ];
    judge(&odd, &rows);
    // Right to left, joined, combined, without width, of two kinds of ends of a line.
    for text in [
        "\u{5d0}\u{5d1} x \u{200f}y",
        "e\u{301} \u{1f468}\u{200d}\u{1f469}\u{200d}\u{1f467}",
        "\u{200b}|\u{feff}|\u{2028}|\u{fffe}",
        "\u{1}\u{b}\u{7f}\u{85}",
        "a\r\nb\rc\td",
        "",
    ] {
        let escaped = text.chars().map(|c| format!("\\u{{{:x}}}", u32::from(c)));
        let step = format!("set Notes = \"{}\"", escaped.collect::<String>());
        let seen = odd.packet(&[&step]);
        assert_eq!(first(&seen), "desk-run: done 1 step", "{text:?}: {seen}");
        let want = format!("Notes {}", serde_json::json!(text));
        assert_eq!(odd.noted().last(), Some(&want));
    }
    // This one the driver cannot pass on: it would reach no app any more.
    odd.packet(&["set Notes = \"a\\u{0}b\""]).expect(2);
    let nul = r#"{"element_token":"s00000001:1","value":"a\u0000b"}"#;
    odd.run(&["desk", "odd", "set_value", nul]).expect(2);
    judge(&odd, &[("set Notes = ab", "done", "Notes \"ab\"")]);
}

#[test]
#[ignore = "needs a desktop and the cua-driver: .ci/run"]
fn choices_and_menus_that_show_revert_or_are_grey() {
    let ctx = TestContext::new();
    let odd = Liar::of(&ctx, "odd");
    let open = "unverified";
    let rows = [
        // The next one comes up to its place.
        ("check Hides", "unverified", "Hides true"),
        ("check Greys", "unverified", "Greys true"),
        ("check Renames", "done", "Renames true"),
        ("check Two", "done", "Two true"),
        ("check Two", "done", ""),
        ("uncheck Two", "no_effect", ""),
        ("check Bold", "refused state_not_readable", ""),
        ("click Bold", open, "Bold true"),
        ("click Springs", open, "Springs false"),
        ("check Wifi", "refused state_not_readable", ""),
        // A list that is named by its label does not show its choice.
        ("pick Size = Large", open, "Size \"Large\""),
        ("pick Size = large", "mismatch", ""),
        ("pick Size = Larg", "refused option_not_found", ""),
        ("pick \"Size back\" = Large", open, "Size back \"Small\""),
        ("pick \"Grey size\" = Large", "not_found no_control", ""),
        ("menu File > Export", open, "menu Export null"),
        ("menu File > Store", "refused menu_path_unavailable", ""),
        ("menu File > Wrap", open, "menu Wrap true"),
    ];
    judge(&odd, &rows);
}

#[test]
#[ignore = "needs a desktop and the cua-driver: .ci/run"]
fn controls_and_windows_that_change_while_they_are_used() {
    let ctx = TestContext::new();
    let odd = Liar::of(&ctx, "odd");
    let packet = |steps: &[&str]| {
        let seen = odd.packet(steps);
        (first(&seen).replace("desk-run: ", ""), odd.noted())
    };
    odd.noted();
    // What comes to stand in its place is not it.
    for (steps, want) in [
        (["click Turns", "click Turns"], "step 2: not_found"),
        (["click Vanish", "click Vanish"], "step 2: not_found"),
    ] {
        let (said, noted) = packet(&steps);
        assert_eq!(
            (said.as_str(), noted.len()),
            (want, 1),
            "{steps:?} {noted:?}"
        );
    }
    assert_eq!(packet(&["click Apply"]).0, "step 1: ambiguous");
    // The title is no part of what a window is known by.
    let (said, noted) = packet(&["click Retitle", "set Notes = q", "expect Notes = q"]);
    assert_eq!(said, "done 3 steps");
    assert_eq!(noted, ["Retitle null", "Notes \"q\""]);
    // It starts anew, as the same process: the step that comes too early is named.
    let again = ["click Restart", "click Retitle", "--approve", "Restart"];
    let (said, noted) = packet(&again);
    let came = noted.contains(&"Retitle null".to_owned());
    assert_eq!(came, !said.starts_with("step 2: "), "{said} {noted:?}");
    odd.packet(&["wait Vanish 10s"]).expect(0);
    // What it notes while it starts.
    odd.noted();
    let (said, noted) = packet(&["click Retitle", "set Notes = r"]);
    assert_eq!(said, "unverified 2 steps", "{noted:?}");
    assert_eq!(noted, ["Retitle null", "Notes \"r\""]);
}
