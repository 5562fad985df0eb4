//! Stories of quitting an app on macOS, by its own menu. No Mac is at hand: a fake driver answers in
//! the shapes of the macOS one, and a plain process of this test stands in for the app, so that
//! what these show is our half: who is asked, how often, and what is said about it.

use std::fs;
use std::process::{Child, Command};

use crate::context::TestContext;
use crate::desk_fake::Fake;
use crate::observe::Observed;

const APP: &str = "com.apple.calculator";

/// The app, launched by the run under test or not.
struct Mac<'c> {
    fake: Fake<'c>,
    app: Child,
}

impl<'c> Mac<'c> {
    fn new(ctx: &'c TestContext, launched: bool) -> Self {
        let fake = Fake::new(ctx, "mac");
        let app = Command::new("sleep").arg("600").spawn().unwrap();
        let pid = app.id().to_string();
        fs::write(fake.folder.join("app"), &pid).unwrap();
        for name in ["list_apps.out", "list_windows.out", "get_window_state.out"] {
            let text = fake.noted(name).replace("4242", &pid);
            fs::write(fake.folder.join(name), text).unwrap();
        }
        if launched {
            fake.does(
                "list_apps",
                "if [ ! -f \"$here/runs\" ]; then sed 's/true/false/' \"$here/list_apps.out\"; exit 0; fi",
            );
        }
        fake.does("launch_app", "touch \"$here/runs\"");
        fake.says("launch_app", 0, &format!(r#"{{"pid":{pid}}}"#), "");
        fake.says("invoke_menu", 0, r#"{"effect":"unverifiable"}"#, "");
        fake.says("end_session", 0, "{}", "");
        fake.run(&["desk-read", APP]).observe().expect(0);
        let called = fake.calls().contains(&"call launch_app".to_owned());
        assert_eq!(called, launched);
        let _ = fs::remove_file(fake.folder.join("stdin"));
        Self { fake, app }
    }

    fn clean(&self, more: &[&str]) -> Observed {
        let words = [&["desk-clean", APP, "--launched-by-run"], more].concat();
        self.fake.run(&words).observe()
    }

    /// How often its menu was asked, since the last look.
    fn asked(&self) -> usize {
        let is_menu = |call: &&String| *call == "call invoke_menu";
        self.fake.calls().iter().filter(is_menu).count()
    }

    fn lives(&mut self) -> bool {
        self.app.try_wait().unwrap().is_none()
    }
}

impl Drop for Mac<'_> {
    fn drop(&mut self) {
        let _ = self.app.kill();
        let _ = self.app.wait();
    }
}

fn app(seen: &Observed) -> &str {
    let said = seen.stdout.strip_prefix("desk-clean: app ").unwrap();
    said.split(',').next().unwrap()
}

#[test]
fn an_app_quits_by_its_own_menu() {
    let ctx = TestContext::new();
    for (more, menu) in [
        (&[][..], r#""path":["Calculator","Quit Calculator"]"#),
        (
            &["--app-name", "Rechner"],
            r#""path":["Rechner","Quit Rechner"]"#,
        ),
    ] {
        let ctx = if more.is_empty() {
            &ctx
        } else {
            &TestContext::new()
        };
        let mut mac = Mac::new(ctx, true);
        mac.fake
            .does("invoke_menu", "kill \"$(cat \"$here/app\")\"");
        let seen = mac.clean(more).expect(0);
        assert_eq!(app(&seen), "ended", "{seen}");
        assert!(!mac.lives());
        assert_eq!(mac.asked(), 1);
        // By the window that has a title, in the words of the app's own menu bar.
        let sent = mac.fake.noted("stdin");
        assert!(
            sent.contains(menu) && sent.contains(r#""window_id":6"#),
            "{sent}"
        );
        assert_eq!(app(&mac.clean(&[]).expect(0)), "none");
    }
}

#[test]
fn an_app_that_asks_or_does_not_listen_stays_and_is_asked_once() {
    // What it does with the menu, and what the driver says about it.
    for (code, said) in [
        // It puts up a question, or does nothing: the same to who looks from outside.
        (0, r#"{"effect":"unverifiable"}"#),
        (0, r#"{"effect":"suspected_noop"}"#),
        // There is no such item in another language, or it is greyed out.
        (1, r#"{"code":"menu_item_not_found"}"#),
        (1, r#"{"code":"menu_item_disabled"}"#),
    ] {
        let ctx = TestContext::new();
        let mut mac = Mac::new(&ctx, true);
        mac.fake.says("invoke_menu", code, said, "");
        let seen = mac.clean(&[]).expect(3);
        assert_eq!(app(&seen), "pending", "{said}: {seen}");
        assert!(mac.lives());
        assert_eq!(mac.asked(), 1, "{said}");
        // As long as it is there, it is not said to be gone.
        let left = mac.fake.run(&["desk-clean", APP]).observe().expect(0);
        assert_eq!(app(&left), "left");
    }
}

#[test]
fn what_became_of_an_app_that_cannot_be_known_is_pending() {
    for (tool, script) in [
        ("list_windows", "echo nonsense; exit 0"),
        ("list_windows", "printf '{\"windows\":[]}'; exit 0"),
        ("list_windows", "echo permissions_pending >&2; exit 75"),
        ("invoke_menu", "kill -9 $$"),
    ] {
        let ctx = TestContext::new();
        let mut mac = Mac::new(&ctx, true);
        mac.fake.does(tool, script);
        let seen = mac.clean(&[]).expect(3);
        assert_eq!(app(&seen), "pending", "{tool} {script}: {seen}");
        assert!(mac.lives());
    }
    // An app that went all the same is gone, whatever the driver says of its menu.
    let ctx = TestContext::new();
    let mut mac = Mac::new(&ctx, true);
    let script = "kill \"$(cat \"$here/app\")\"; sleep 0.2; exit 1";
    mac.fake.does("invoke_menu", script);
    assert_eq!(app(&mac.clean(&[]).expect(0)), "ended");
    assert!(!mac.lives());
    // Without a driver nobody can be asked.
    let ctx = TestContext::new();
    let mut mac = Mac::new(&ctx, true);
    fs::remove_file(&mac.fake.binary).unwrap();
    assert_eq!(app(&mac.clean(&[]).expect(3)), "pending");
    assert!(mac.lives());
}

#[test]
fn an_app_whose_menu_has_no_name_is_let_alone_and_the_rest_is_cleaned() {
    let ctx = TestContext::new();
    let mut mac = Mac::new(&ctx, true);
    let windows = mac.fake.noted("list_windows.out");
    let windows = windows.replace("\"app_name\"", "\"other\"");
    fs::write(mac.fake.folder.join("list_windows.out"), windows).unwrap();
    let seen = mac.clean(&[]).expect(2);
    assert!(seen.stderr.contains("--app-name"), "{seen}");
    assert_eq!((app(&seen), mac.asked()), ("unnamed", 0));
    assert!(mac.lives());
    // What was launched is still known when the name is given.
    mac.fake
        .does("invoke_menu", "kill \"$(cat \"$here/app\")\"");
    assert_eq!(app(&mac.clean(&["--app-name", "X"]).expect(0)), "ended");
    assert!(mac.fake.noted("stdin").contains(r#"["X","Quit X"]"#));
    assert_eq!(app(&mac.clean(&[]).expect(0)), "none");
}

#[test]
fn only_the_very_process_that_this_run_launched_is_asked() {
    // It ran before.
    let ctx = TestContext::new();
    let mut mac = Mac::new(&ctx, false);
    assert_eq!(app(&mac.clean(&[]).expect(0)), "none");
    assert_eq!(mac.asked(), 0);
    assert!(mac.lives());

    // Nobody said that it is to quit.
    let ctx = TestContext::new();
    let mut mac = Mac::new(&ctx, true);
    let seen = mac.fake.run(&["desk-clean", APP]).observe().expect(0);
    assert_eq!((app(&seen), mac.asked()), ("left", 0));
    assert!(mac.lives());

    // It has ended.
    let ctx = TestContext::new();
    let mut mac = Mac::new(&ctx, true);
    mac.app.kill().unwrap();
    mac.app.wait().unwrap();
    assert_eq!(app(&mac.clean(&[]).expect(0)), "ended");
    assert_eq!(mac.asked(), 0);

    // Its id came back for another process, which started at another time.
    let ctx = TestContext::new();
    let mut mac = Mac::new(&ctx, true);
    let desk = ctx.home.join(".local/state/lean-computer-use/desk");
    let files = walkdir::WalkDir::new(&desk).into_iter().flatten();
    let mut kept = files.filter(|entry| entry.file_name() == "run.json");
    let path = kept.next().unwrap().into_path();
    let text = fs::read_to_string(&path).unwrap();
    let mut run: serde_json::Value = serde_json::from_str(&text).unwrap();
    run["launched"][0]["start"] = "1".into();
    fs::write(&path, run.to_string()).unwrap();
    assert_eq!(app(&mac.clean(&[]).expect(0)), "ended");
    assert_eq!(mac.asked(), 0);
    assert!(mac.lives());
}

#[test]
fn an_app_that_had_no_window_and_was_asked_for_one_is_not_ours() {
    let ctx = TestContext::new();
    let fake = Fake::new(&ctx, "mac");
    let mut app = Command::new("sleep").arg("600").spawn().unwrap();
    let pid = app.id().to_string();
    for name in ["list_apps.out", "list_windows.out", "get_window_state.out"] {
        let text = fake.noted(name).replace("4242", &pid);
        fs::write(fake.folder.join(name), text).unwrap();
    }
    fake.does(
        "list_windows",
        "if [ ! -f \"$here/runs\" ]; then printf '{\"windows\":[]}'; exit 0; fi",
    );
    fake.does("launch_app", "touch \"$here/runs\"");
    fake.says("launch_app", 0, &format!(r#"{{"pid":{pid}}}"#), "");
    fake.run(&["desk-read", APP]).observe().expect(0);
    assert!(fake.calls().contains(&"call launch_app".to_owned()));
    let clean = ["desk-clean", APP, "--launched-by-run"];
    let seen = fake.run(&clean).observe();
    assert!(seen.stdout.starts_with("desk-clean: app none"), "{seen}");
    assert!(app.try_wait().unwrap().is_none());
    app.kill().unwrap();
    app.wait().unwrap();
}
