//! Stories of modal dialogs on the real thing: the driver acts behind them, which nobody at the
//! screen could. The app notes what it was told.

use crate::context::TestContext;
use crate::liar::{Liar, first};

#[test]
#[ignore = "needs a desktop and the cua-driver: .ci/run"]
fn a_dialog_in_front_is_told_of_once_and_then_worked_in() {
    let ctx = TestContext::new();
    let liar = Liar::start(&ctx);
    let here = "desk-run: unverified 1 step";
    // The packet that opened it says so, and the next one is for it, whatever the window holds.
    let seen = liar.packet(&["click Ask"]);
    let line = seen.stdout.lines().next().unwrap();
    assert!(
        line.contains(", a dialog is in front: the next call goes to it, "),
        "{seen}"
    );
    let seen = liar.run(&["desk-read", "liar", "--full"]);
    assert!(seen.stdout.contains("label \"Really?\""), "{seen}");
    assert_eq!(first(&liar.packet(&["click Add"])), here);
    assert_eq!(liar.noted(), ["Ask null", "dialog Add null"]);
    // A text that is typed would land in the window behind (0.37); one that is set does not.
    liar.packet(&["click Ask"]).expect(0);
    let seen = liar.packet(&["set Plain = x"]).expect(1);
    assert_eq!(first(&seen), "desk-run: step 1: refused other_windows");
    let seen = liar.run(&["desk-read", "liar", "Plain"]);
    let field = seen.stdout.lines().find(|line| line.starts_with('#'));
    let field = field.and_then(|line| line.split(' ').next()).unwrap();
    let set = serde_json::json!({"element_token": field, "value": "x"}).to_string();
    let seen = liar.run(&["desk", "liar", "set_value", &set]);
    assert_eq!(seen.stdout, "desk: done set_value\n");
    assert_eq!(first(&liar.packet(&["click Add"])), here);
    let noted = liar.noted();
    assert_eq!(noted, ["Ask null", "dialog Plain \"x\"", "dialog Add null"]);
    // It is gone with the answer, and the window is there again.
    assert_eq!(first(&liar.packet(&["click Add"])), here);
    assert_eq!(liar.noted(), ["Add null"]);

    // One that came up unasked: nothing is done behind it, and what it holds is told.
    for steps in [
        &["click Add"][..],
        &["click Deaf", "click Add"],
        &["set Pages = x"],
        &["type Plain = x"],
        &["check Holds"],
        &["press Escape"],
    ] {
        liar.packet(&["click \"Ask later\"", "read Status"])
            .expect(0);
        liar.until_noted("Asked");
        let seen = liar.packet(steps).expect(1);
        assert_eq!(
            first(&seen),
            "desk-run: step 1: refused dialog_in_front",
            "{steps:?}"
        );
        assert!(
            seen.stdout.contains("dialog \"Liar\" is in front; "),
            "{seen}"
        );
        assert!(seen.stdout.contains("\"push button\" \"Back\""), "{seen}");
        assert_eq!(liar.noted(), ["Ask later null", "Asked null"], "{steps:?}");
        assert_eq!(first(&liar.packet(&["click Back"])), here);
        assert_eq!(liar.noted(), ["dialog Back null"]);
    }
    // A read goes to it as well, and says so.
    liar.packet(&["click \"Ask later\""]).expect(0);
    liar.until_noted("Asked");
    let seen = liar.run(&["desk-read", "liar"]).expect(0);
    assert!(seen.stdout.contains("of the dialog in front, "), "{seen}");
    assert!(seen.stdout.contains("\"Really?\""), "{seen}");
}

#[test]
#[ignore = "needs a desktop and the cua-driver: .ci/run"]
fn a_single_call_that_opened_a_dialog_is_followed_by_a_look() {
    let ctx = TestContext::new();
    let liar = Liar::start(&ctx);
    let click = |token: &str| {
        let arguments = serde_json::json!({ "element_token": token }).to_string();
        liar.run(&["desk", "liar", "click", &arguments])
    };
    let token = liar.tokens();
    let seen = click(&token("Ask"));
    assert_eq!(seen.stdout, "desk: unverified click, a window opened\n");
    let seen = click(&token("Add")).expect(1);
    assert_eq!(first(&seen), "desk: refused dialog_in_front", "{seen}");
    assert_eq!(liar.noted(), ["Ask null"]);
    // The next read is of the dialog, and so are its tokens.
    let token = liar.tokens();
    click(&token("Back")).expect(0);
    assert_eq!(liar.noted(), ["dialog Back null"]);
}

#[test]
#[ignore = "needs a desktop and the cua-driver: .ci/run"]
fn a_dialog_that_cannot_be_read_is_named() {
    let ctx = TestContext::new();
    let mut desktop = crate::desktop::Desktop::start(&ctx);
    desktop.spawn(&["mousepad"]);
    let ready = || !desktop.judged("mousepad", "text").is_empty();
    crate::desktop::until("mousepad", ready);
    let run = |words: &[&str]| {
        desktop
            .run(ctx.run(words))
            .env("DESK_GUARD", "off")
            .observe()
    };
    let close = [
        "desk-run",
        "mousepad",
        "set text: = x",
        "menu File > \"Close Window\"",
    ];
    let seen = run(&[&close[..], &["--approve", "Close Window"]].concat()).expect(0);
    let note = ", behind a dialog that cannot be read, ";
    assert!(seen.stdout.contains(note), "{seen}");
    // While it asks whether to save, this app does not answer the bus that it was asked through.
    let seen = run(&["desk-read", "mousepad"]).expect(0);
    assert!(seen.stdout.contains(note), "{seen}");
    let seen = run(&["desk-run", "mousepad", "click Save"]).expect(1);
    assert_eq!(
        first(&seen),
        "desk-run: step 1: not_found window_not_readable"
    );
    let named = "dialog \"Save Changes\" is in front and cannot be read";
    assert!(seen.stdout.contains(named), "{seen}");
}
