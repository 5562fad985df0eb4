//! What the guard keeps: no word of anybody, for no longer than needed, and nothing lost.

use std::fs;

use serde_json::{Value, json};

use super::{Story, command, event, files, guard, says, state, without_hex};
use crate::context::{NOW_MS, TestContext, listing};
use crate::observe::Observed;

#[test]
fn nothing_that_anybody_wrote_is_on_disk_and_the_session_leaves_nothing() {
    let mut story = Story::new("2.1.332");
    for agent in [Value::Null, json!("zebra-agent")] {
        for _ in 0..3 {
            let mut changes = command("zebra command");
            changes["error"] = json!("Exit code 7\nzebra error");
            changes["cwd"] = json!("/home/dev/zebra");
            changes["session_id"] = json!("zebra-session");
            changes["agent_id"] = agent.clone();
            story.fail(&changes);
        }
    }
    let prompt = json!({"prompt": "zebra prompt", "session_id": "zebra-session"});
    story.send("prompt", &prompt);
    let state = state(&story.ctx);
    let all = files(&state);
    assert_eq!(all.len(), 14, "{all:?}");
    for file in all {
        let bytes = fs::read(&file).unwrap();
        let text = String::from_utf8_lossy(&bytes);
        assert!(!text.contains("zebra"), "{}", file.display());
        assert!(text.lines().all(|line| line.len() <= 200));
    }
    #[cfg(unix)]
    {
        let mut names: Vec<_> = without_hex(&listing(&state))
            .lines()
            .map(str::to_owned)
            .collect();
        names.dedup();
        assert_eq!(
            names.join("\n"),
            "0700 guard/\n0600 guard/.lcu-guard\n0700 guard/#/\n0600 guard/#/a-#.log\n\
             0600 guard/#/key\n0600 guard/#/log\n0700 guard/#/seen/\n0600 guard/#/seen/#"
        );
    }
    story.send("session-ended", &json!({"session_id": "zebra-session"}));
    assert_eq!(files(&state), [state.join("guard/.lcu-guard")]);
}

#[cfg(unix)]
#[test]
fn what_old_sessions_left_is_forgotten_and_only_that() {
    use std::time::{Duration, UNIX_EPOCH};
    let mut story = Story::new("2.1.332");
    story.fail(&json!({"session_id": "old"}));
    story.fail(&json!({"session_id": "young"}));
    let guard = state(&story.ctx).join("guard");
    for name in ["0123456789abcdef", "not-a-session"] {
        fs::create_dir(guard.join(name)).unwrap();
    }
    let age = |days: u64| {
        let now = UNIX_EPOCH + Duration::from_millis(NOW_MS.unsigned_abs());
        for entry in walkdir::WalkDir::new(&guard).contents_first(true) {
            let file = fs::File::open(entry.unwrap().path()).unwrap();
            file.set_modified(now - Duration::from_hours(days * 24))
                .unwrap();
        }
    };
    let left = || fs::read_dir(&guard).unwrap().count();
    age(6);
    story.send("session-ended", &json!({"session_id": "none"}));
    assert_eq!(left(), 5);
    age(8);
    story.fail(&json!({"session_id": "young"}));
    let log = files(&guard)
        .into_iter()
        .filter(|path| path.ends_with("log"));
    let young = log
        .max_by_key(|path| fs::metadata(path).unwrap().len())
        .unwrap();
    let now = UNIX_EPOCH + Duration::from_millis(NOW_MS.unsigned_abs());
    fs::File::open(&young).unwrap().set_modified(now).unwrap();
    story.send("session-ended", &json!({"session_id": "none"}));
    let mut names: Vec<_> = fs::read_dir(&guard)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    let young = young
        .parent()
        .unwrap()
        .file_name()
        .unwrap()
        .to_str()
        .unwrap();
    let mut want = [".lcu-guard", young, "not-a-session"];
    want.sort_unstable();
    assert_eq!(names, want);
}

#[test]
fn a_full_log_is_put_aside() {
    let mut story = Story::new("2.1.332");
    story.fail(&json!({}));
    let log = |ctx: &TestContext| {
        let mut all = files(&state(ctx)).into_iter();
        all.find(|path| path.ends_with("log")).unwrap()
    };
    let path = log(&story.ctx);
    fs::write(&path, vec![b'\n'; (1 << 20) + 1]).unwrap();
    story.fail(&json!({}));
    assert!(fs::metadata(log(&story.ctx)).unwrap().len() < 1000);
    assert!(path.with_extension("old").exists());
}

/// As a disk that was full for a moment leaves it.
#[test]
fn a_record_that_was_cut_short_costs_no_other() {
    let end = |ctx: &TestContext| {
        let mut log = files(&state(ctx)).into_iter();
        let log = log.rfind(|path| path.ends_with("log")).unwrap();
        (fs::read(&log).unwrap(), log)
    };
    let mut story = Story::new("2.1.332");
    let failed =
        |story: &mut Story, id: &str| says(&story.send("failed", &json!({"tool_use_id": id})));
    failed(&mut story, "1");
    let (whole, log) = end(&story.ctx);
    for left in 0..=whole.len() {
        fs::write(&log, &whole[..left]).unwrap();
        let known = left == whole.len();
        let id = |n: usize| format!("{left}-{n}");
        assert_eq!(failed(&mut story, &id(2)) == "nudge", known, "{left}");
        assert_eq!(failed(&mut story, &id(3)) == "nudge", !known, "{left}");
        assert_eq!(story.ask(&json!({})), "deny", "{left} of {}", whole.len());
    }
}

#[test]
fn hooks_that_run_at_once_lose_no_record_and_share_one_key() {
    let ctx = TestContext::new();
    let fail_all = |turn: &str| -> Vec<&'static str> {
        let started: Vec<_> = (0..32)
            .map(|at| {
                let mut changes = command(&format!("command {at}"));
                changes["tool_use_id"] = json!(format!("{turn}-{at}"));
                guard(&ctx, &event("2.1.332", "failed", &changes)).start()
            })
            .collect();
        let seen = started.into_iter().map(|run| run.observe().expect(0));
        let answers = seen.map(|seen: Observed| {
            let json = serde_json::from_str(&seen.stdout).unwrap_or(Value::Null);
            says(&json)
        });
        answers.collect()
    };
    assert_eq!(fail_all("first"), [""; 32]);
    assert_eq!(fail_all("second"), ["nudge"; 32]);
    let log = files(&state(&ctx));
    let log = log.iter().find(|path| path.ends_with("log")).unwrap();
    let lines = fs::read_to_string(log).unwrap();
    let kinds = lines.lines().skip(1).map(|line| {
        let record: Value = serde_json::from_str(line).unwrap();
        record["e"].as_str().unwrap().to_owned()
    });
    let kinds: Vec<_> = kinds.collect();
    let count = |kind: &str| kinds.iter().filter(|k| *k == kind).count();
    assert_eq!((count("f"), count("n"), kinds.len()), (64, 32, 96));
}
