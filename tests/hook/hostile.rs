//! Input and surroundings that no hook was made for: no answer, exit 0.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use super::{Story, answer, event, files, guard, says, state};
use crate::context::{NOW_MS, TestContext, binary_path, copy_program, listing};
#[cfg(target_os = "linux")]
use crate::observe::Run;

#[test]
fn whatever_comes_in_nothing_comes_out() {
    let ctx = TestContext::new();
    let whole = serde_json::to_vec(&event("2.1.332", "failed", &json!({}))).unwrap();
    let mut long = whole.clone();
    long.pop();
    long.extend(br#","x":""#);
    long.extend(vec![b'x'; 9 << 20]);
    long.extend(br#""}"#);
    let mut broken = whole.clone();
    broken[30] = 0xff;
    let deep = format!("{{\"a\":{}", "[".repeat(100_000));
    let inputs: Vec<Vec<u8>> = vec![
        vec![],
        b"\n".to_vec(),
        b"no JSON".to_vec(),
        b"\0\0\0".to_vec(),
        b"\xff\xfe{}".to_vec(),
        b"[]".to_vec(),
        b"{}".to_vec(),
        b"}}}}".to_vec(),
        br#"{"session_id":"s","hook_event_name":"Nope"}"#.to_vec(),
        br#"{"session_id":"s","hook_event_name":"PreToolUse","tool_name":7}"#.to_vec(),
        whole[..whole.len() - 1].to_vec(),
        deep.into_bytes(),
        long,
        broken,
    ];
    for input in inputs {
        for hook in ["retry-guard", "token-meter", "nope"] {
            let line = format!("lean-computer-use hook {hook}");
            let run = ctx.shell(&line, "hook retry-guard").stdin(input.clone());
            let begin = String::from_utf8_lossy(&input[..input.len().min(40)]).into_owned();
            assert_eq!(answer(run), Value::Null, "{hook} {begin}");
        }
    }
    for words in [
        "",
        "--help",
        "-h",
        "retry-guard extra",
        "retry-guard --json",
        "''",
    ] {
        let line = format!("lean-computer-use hook {words}");
        let run = ctx.shell(&line, "hook retry-guard").stdin(whole.clone());
        assert_eq!(answer(run), Value::Null, "{words}");
    }
    assert!(!state(&ctx).exists());
}

/// JavaScript cuts a long error between the two halves of an emoji, and a person can paste one.
#[test]
fn half_an_emoji_is_an_event_like_any_other() {
    let mut story = Story::new("2.1.332");
    let mut send = |name: &str, id: &str, changes: Value| {
        story.seconds += 1;
        let mut event = event(story.version, name, &changes);
        event["tool_use_id"] = json!(id);
        event["session_id"] = json!("one");
        let text = event.to_string().replace("HALF", r"\ud83d");
        let run = story.ctx.run(&["hook", "retry-guard"]).stdin(text);
        let clock = NOW_MS + story.seconds * 1000;
        says(&answer(
            run.env("LEAN_COMPUTER_USE_CLOCK_MS", clock.to_string()),
        ))
    };
    let call = json!({"tool_input": {"command": "echo HALF"}, "error": "Exit code 1\nHALF"});
    assert_eq!(send("failed", "1", call.clone()), "");
    assert_eq!(send("failed", "2", call.clone()), "nudge");
    assert_eq!(send("before", "3", call.clone()), "deny");
    for prompt in [json!("HALF"), json!([{"type": "text", "text": "go on"}])] {
        send("prompt", "", json!({"prompt": prompt}));
        assert_eq!(send("before", &format!("{prompt}"), call.clone()), "");
        send("failed", &format!("a {prompt}"), call.clone());
        send("failed", &format!("b {prompt}"), call.clone());
        assert_eq!(send("before", &format!("c {prompt}"), call.clone()), "deny");
    }
}

#[cfg(unix)]
#[test]
fn a_host_that_leaves_stdin_open_gets_its_answer() {
    let mut story = Story::new("2.1.332");
    story.fail(&json!({}));
    story.fail(&json!({}));
    let ask = serde_json::to_string(&event("2.1.332", "before", &json!({}))).unwrap();
    story.ctx.write("event", ask);
    let line = "mkfifo pipe; exec 3<>pipe; cat event >&3; lean-computer-use hook retry-guard <pipe";
    let seen = answer(story.ctx.shell(line, "hook retry-guard"));
    assert_eq!(says(&seen), "deny");
}

#[cfg(unix)]
#[test]
fn a_state_folder_that_cannot_be_used_means_silence() {
    use std::os::unix::fs::symlink;
    let failed = event("2.1.332", "failed", &json!({}));
    let silent = |prepare: &dyn Fn(&Path, &TestContext)| {
        let ctx = TestContext::new();
        let state = state(&ctx);
        fs::create_dir_all(state.parent().unwrap()).unwrap();
        prepare(&state, &ctx);
        for _ in 0..3 {
            assert_eq!(answer(guard(&ctx, &failed)), Value::Null);
            let stop =
                json!({"session_id": "s", "hook_event_name": "Stop", "transcript_path": "x"});
            let run = ctx.run(&["hook", "token-meter"]);
            assert_eq!(answer(run.stdin(stop.to_string())), Value::Null);
        }
        // What is silent must be seen by somebody who looks.
        let seen = ctx.run(&["doctor"]).observe();
        assert!(
            seen.stdout
                .contains("FAIL guard: it is silent: could not use"),
            "{seen}"
        );
        ctx
    };
    silent(&|state, _| fs::write(state, "a file").unwrap());
    let ctx = silent(&|state, ctx| symlink(ctx.project.join("x"), state).unwrap());
    assert!(!ctx.project.join("x").exists());
    let ctx = silent(&|state, ctx| {
        fs::create_dir(ctx.project.join("elsewhere")).unwrap();
        symlink(ctx.project.join("elsewhere"), state).unwrap();
    });
    assert_eq!(listing(&ctx.project.join("elsewhere")), "");
    let ctx = silent(&|state, _| {
        fs::create_dir_all(state.join("guard")).unwrap();
        fs::write(state.join("guard/mine"), "").unwrap();
    });
    assert_eq!(files(&state(&ctx)), [state(&ctx).join("guard/mine")]);

    let ctx = TestContext::new();
    let run = || guard(&ctx, &failed).without_env("HOME");
    assert_eq!(answer(run()), Value::Null);
    assert_eq!(answer(run().env("HOME", "relative")), Value::Null);
}

/// Root may write anywhere, so root becomes somebody else for this.
#[cfg(unix)]
#[test]
fn a_read_only_state_folder_means_silence() {
    use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
    let ctx = TestContext::new();
    let state = state(&ctx);
    fs::create_dir_all(&state).unwrap();
    let mut line = "./binary hook retry-guard".to_owned();
    copy_program(&binary_path(), &ctx.project.join("binary"));
    if fs::metadata(&state).unwrap().uid() == 0 {
        let open = fs::Permissions::from_mode(0o755);
        fs::set_permissions(ctx.root(), open).unwrap();
        chown(&state, Some(65534), Some(65534)).unwrap();
        line = format!("setpriv --reuid 65534 --regid 65534 --clear-groups {line}");
    }
    fs::set_permissions(&state, fs::Permissions::from_mode(0o500)).unwrap();
    for _ in 0..3 {
        let failed = serde_json::to_vec(&event("2.1.332", "failed", &json!({}))).unwrap();
        assert_eq!(
            answer(ctx.shell(&line, "hook retry-guard").stdin(failed)),
            Value::Null
        );
    }
    assert_eq!(listing(&state), "");
    // The same with a folder that can be written to: so it was the mode that silenced it.
    fs::set_permissions(&state, fs::Permissions::from_mode(0o700)).unwrap();
    let failed = serde_json::to_vec(&event("2.1.332", "failed", &json!({}))).unwrap();
    answer(ctx.shell(&line, "hook retry-guard").stdin(failed));
    assert_ne!(listing(&state), "");
}

/// A small disk for the state folder, in a mount namespace that ends with the shell.
#[cfg(target_os = "linux")]
#[test]
#[ignore = "needs root and unshare: .ci/run"]
fn a_full_disk_means_silence_and_what_was_known_stays() {
    let ctx = TestContext::new();
    let state = state(&ctx);
    fs::create_dir_all(&state).unwrap();
    let kinds = [
        "failed", "failed", "before", "failed", "failed", "before", "before", "before",
    ];
    for (name, id) in kinds.into_iter().zip(1..) {
        let event = event("2.1.332", name, &json!({"tool_use_id": id.to_string()}));
        ctx.write(&format!("event{id}"), event.to_string());
    }
    // The log is filled up to the end of a page, so that a record more needs another one.
    let line = r#"
        mount -t tmpfs -o size=1m,mode=700 none "$STATE" || exit 9
        fill() { cat /dev/zero >"$STATE/filler" 2>/dev/null; }
        hook() { for n; do lean-computer-use hook retry-guard <event$n || exit 8; done; }
        fill; hook 1 2 3; lean-computer-use doctor | grep -c 'FAIL state folder.*full: df'
        rm "$STATE/filler"; hook 4 5 6
        log=$(echo "$STATE"/guard/*/log)
        head -c $(($(getconf PAGESIZE) - $(stat -c %s "$log"))) /dev/zero | tr '\0' '\n' >>"$log"
        fill; hook 7
        rm "$STATE/filler"; hook 8"#;
    let mut unshare = std::process::Command::new("unshare");
    unshare.args(["--mount", "sh", "-c", line]);
    let run = Run::new(unshare, "hook retry-guard").world(&ctx);
    let seen = run.env("STATE", &state).observe();
    assert_eq!(
        (seen.code, &*seen.stderr),
        (0, ""),
        "needs root and unshare: {seen}"
    );
    let lines: Vec<_> = seen.stdout.lines().collect();
    let [full, nudge, sixth, eighth] = lines.as_slice() else {
        panic!("{seen}");
    };
    assert_eq!(*full, "1");
    assert!(nudge.contains("additionalContext"), "{seen}");
    assert!(
        sixth.contains("\"deny\"") && eighth.contains("\"deny\""),
        "{seen}"
    );
}

/// The same, with room for a part of a record.
#[cfg(target_os = "linux")]
#[test]
#[ignore = "needs root and unshare: .ci/run"]
fn a_record_that_a_full_disk_cuts_short_costs_no_other() {
    let ctx = TestContext::new();
    let state = state(&ctx);
    fs::create_dir_all(&state).unwrap();
    for (name, id) in ["failed", "failed", "failed", "before"]
        .into_iter()
        .zip(1..)
    {
        let event = event("2.1.332", name, &json!({"tool_use_id": id.to_string()}));
        ctx.write(&format!("event{id}"), event.to_string());
    }
    let line = r#"
        mount -t tmpfs -o size=1m,mode=700 none "$STATE" || exit 9
        hook() { lean-computer-use hook retry-guard <event$1 || exit 8; }
        hook 1
        log=$(echo "$STATE"/guard/*/log)
        head -c $(($(getconf PAGESIZE) - 40 - $(stat -c %s "$log"))) /dev/zero | tr '\0' '\n' >>"$log"
        cat /dev/zero >"$STATE/filler" 2>/dev/null
        hook 2; tail -c 39 "$log" | grep -c '^{.*[^}]$'
        rm "$STATE/filler"; hook 3; hook 4"#;
    let mut unshare = std::process::Command::new("unshare");
    unshare.args(["--mount", "sh", "-c", line]);
    let run = Run::new(unshare, "hook retry-guard").world(&ctx);
    let seen = run.env("STATE", &state).observe();
    assert_eq!((seen.code, &*seen.stderr), (0, ""), "{seen}");
    let lines: Vec<_> = seen.stdout.lines().collect();
    let ["1", nudge, refusal] = lines.as_slice() else {
        panic!("nothing was cut short, or something was lost: {seen}");
    };
    assert!(nudge.contains("additionalContext"), "{seen}");
    assert!(refusal.contains("\"deny\""), "{seen}");
}

/// Recorded payloads with some bytes replaced, cut out or doubled: whatever still is an event is
/// answered, without an error.
#[test]
fn mutated_payloads_are_no_events_or_are_answered() {
    use lean_computer_use::hook::limits::Limits;
    use lean_computer_use::hook::{event as events, retry_guard};
    use proptest::prelude::*;

    let names = [
        "before",
        "failed",
        "succeeded",
        "prompt",
        "agent-failed",
        "timed-out",
    ];
    let whole = names.map(|name| event("2.1.332", name, &json!({})).to_string().into_bytes());
    let state = tempfile::tempdir().unwrap();
    let folder = state.path().join("state");
    let change = (any::<prop::sample::Index>(), 0..4u8, any::<u8>());
    let changes = prop::collection::vec(change, 0..6);
    proptest!(|(which in 0..names.len(), changes in changes)| {
        let mut bytes = whole[which].clone();
        for (at, how, byte) in changes {
            let at = at.index(bytes.len());
            match how {
                0 => bytes[at] = byte,
                1 => bytes.insert(at, byte),
                2 => drop(bytes.remove(at)),
                _ => bytes.insert(at, b'"'),
            }
        }
        if let Some(event) = events::parse(&bytes) {
            retry_guard::run(&event, &folder, Limits::default(), NOW_MS).unwrap();
        }
    });
}
