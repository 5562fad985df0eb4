//! Every form of a step, and every way to get one wrong.

use super::*;

fn one(text: &str) -> Step {
    parse([text]).unwrap().remove(0).1
}

fn name(text: &str) -> Target {
    Target::Name(text.to_owned())
}

fn text(text: &str) -> RawText {
    RawText::new(text)
}

#[test]
fn targets_and_texts() {
    let role = |role: &str| Target::Role(role.to_owned());
    let both = |r: &str, n: &str| Target::RoleName(r.to_owned(), n.to_owned());
    for (step, want) in [
        ("click Save", Step::Click(name("Save"))),
        ("  click   × ", Step::Click(name("×"))),
        ("click =", Step::Click(name("="))),
        (
            r#"click button:"Save as…""#,
            Step::Click(both("button", "Save as…")),
        ),
        (
            r#"click "push button":7"#,
            Step::Click(both("push button", "7")),
        ),
        ("click ~Save", Step::Click(Target::Part("Save".to_owned()))),
        ("click #c17", Step::Click(Target::Ref("c17".to_owned()))),
        (r##"click "#c17""##, Step::Click(name("#c17"))),
        (
            r#"set "Name" = "  Ada ""#,
            Step::Set(name("Name"), text("  Ada ")),
        ),
        (r#"set Name = """#, Step::Set(name("Name"), text(""))),
        (
            r#"set N = "a\"b\\c\n\t\u{2615}""#,
            Step::Set(name("N"), text("a\"b\\c\n\t☕")),
        ),
        (
            r#"expect "edit bar": = "84""#,
            Step::Expect(role("edit bar"), Test::Is, text("84")),
        ),
        (
            "expect Status ~ saved",
            Step::Expect(name("Status"), Test::Holds, text("saved")),
        ),
        ("expect = = 7", Step::Expect(name("="), Test::Is, text("7"))),
        ("read label:", Step::Read(role("label"))),
    ] {
        assert_eq!(one(step), want, "{step}");
    }
}

#[test]
fn every_verb() {
    let seconds = Duration::from_secs;
    for (step, want) in [
        ("check Newsletter", Step::Check(name("Newsletter"), true)),
        ("uncheck Newsletter", Step::Check(name("Newsletter"), false)),
        (
            r#"append Notes = "one more""#,
            Step::Append(name("Notes"), text("one more")),
        ),
        ("pick Size = Large", Step::Pick(name("Size"), text("Large"))),
        ("type hello", Step::Type(None, text("hello"))),
        (r#"type "a = b""#, Step::Type(None, text("a = b"))),
        (
            "type Search = x",
            Step::Type(Some(name("Search")), text("x")),
        ),
        ("keys 7×8=", Step::Keys("7×8=".to_owned())),
        (
            r#"menu File > "Save As…""#,
            Step::Menu(vec!["File".to_owned(), "Save As…".to_owned()]),
        ),
        ("wait Saved", Step::Wait(name("Saved"), seconds(5))),
        ("wait Saved 60s", Step::Wait(name("Saved"), seconds(60))),
        (
            "wait Saved 300ms",
            Step::Wait(name("Saved"), Duration::from_millis(300)),
        ),
    ] {
        assert_eq!(one(step), want, "{step}");
    }
    let Step::Press(chord) = one("press ctrl+shift+s") else {
        panic!("not a chord");
    };
    assert_eq!(chord.label(), "ctrl+shift+s");
}

#[test]
fn a_fault_names_step_and_column_and_never_the_text() {
    for (step, column) in [
        ("hunter2 cmd+s", 1),
        ("click", 6),
        ("click Save as", 12),
        ("click #hunter2", 7),
        ("click #c17:x", 7),
        (r#"click """#, 9),
        ("set Name hunter2", 10),
        (r#"set Name = "hunter2"#, 20),
        (r#"set Name = "hunter2" hunter2"#, 22),
        (r#"set Name = "hunter2\x""#, 21),
        (r#"set Name = "\u{d800}""#, 21),
        (r#"set Name = "\u{0}""#, 18),
        ("set Name = \"a\0b\"", 14),
        ("set Name =", 11),
        ("pick Name = ", 13),
        ("type", 5),
        ("type Name = ", 13),
        ("press ", 7),
        ("press hunter2", 7),
        (r#"keys "  ""#, 6),
        ("menu", 5),
        ("menu File >", 12),
        ("menu File Save", 11),
        ("wait Saved soon", 12),
        ("wait Saved 61s", 12),
        ("expect Name", 12),
    ] {
        let fault = parse(["", step]).unwrap_err();
        assert_eq!((fault.step, fault.column), (2, column), "{step}: {fault}");
        assert!(!fault.to_string().contains("hunter2"), "{fault}");
    }
}
