//! Which app and window a name means: answers of `list_apps`, `list_windows` and `launch_app` in,
//! a choice out. Fields differ per platform and version, and may be missing. Pure.

use std::cmp::Reverse;

use serde_json::{Map, Value, json};

use super::danger;
use super::request::Window;
use super::shown::RawAnswer;

/// What `list_apps` says about a name.
#[derive(Debug, PartialEq, Eq)]
pub enum App {
    /// It runs; these are its processes, and the arguments that launch it if it is installed.
    Running(Vec<i64>, Option<Map<String, Value>>),
    /// It is installed; these are the arguments that launch it.
    Installed(Map<String, Value>),
    /// There is no such app.
    Unknown,
}

/// Looks for an app by its whole bundle id, desktop-file id, executable or display name, exactly
/// and then without case; a running one first.
#[must_use]
pub fn pick(name: &str, answer: &RawAnswer) -> App {
    let apps = answer.reveal().get("apps").and_then(Value::as_array);
    let apps = apps.map(Vec::as_slice).unwrap_or_default();
    let exact = |text: &str| text == name;
    let loose = |text: &str| text.to_lowercase() == name.to_lowercase();
    let by = |fits: &dyn Fn(&str) -> bool| -> Vec<&Value> {
        let named = |app: &&Value| names(app).iter().any(|text| fits(text));
        apps.iter().filter(named).collect()
    };
    let mut matches = by(&exact);
    if matches.is_empty() {
        matches = by(&loose);
    }
    let pids: Vec<_> = matches.iter().filter_map(|app| running_pid(app)).collect();
    if !pids.is_empty() {
        let entry = matches.iter().find(|app| is_installed(app));
        return App::Running(pids, entry.map(|app| launch(name, app)));
    }
    match matches.first() {
        Some(app) => App::Installed(launch(name, app)),
        // macOS lists running apps only in some versions; a bundle id can be asked for safely.
        None if looks_like_bundle_id(name) && !apps.iter().any(is_desktop_entry) => {
            App::Installed(one("bundle_id", name))
        }
        None => App::Unknown,
    }
}

/// Whether the app that is meant runs commands or changes the system, by any of its names.
#[must_use]
pub fn is_restricted(name: &str, answer: &RawAnswer) -> bool {
    let apps = answer.reveal().get("apps").and_then(Value::as_array);
    let of_name = |app: &&Value| {
        let names = names(app);
        names
            .iter()
            .any(|text| text.to_lowercase() == name.to_lowercase())
    };
    let mut same = apps.into_iter().flatten().filter(of_name);
    danger::is_restricted(name) || same.any(|app| names(app).into_iter().any(danger::is_restricted))
}

/// Windows of the same process that stand in front of `window`, the front one first.
#[must_use]
pub fn in_front(window: Window, answer: &RawAnswer) -> Vec<Window> {
    let windows = answer.reveal().get("windows").and_then(Value::as_array);
    let windows = windows.map(Vec::as_slice).unwrap_or_default();
    let depth = |it: &Value| number(it, "z_index");
    let is_it = |it: &&Value| number(it, "window_id") == Some(window.id);
    let own = windows.iter().find(is_it).and_then(depth);
    let mut others: Vec<(i64, Window)> = windows
        .iter()
        .filter(|it| number(it, "pid") == Some(window.pid) && !is_it(it))
        .filter(|it| own.is_none() || depth(it).is_none() || depth(it) > own)
        .filter_map(|it| {
            let id = number(it, "window_id")?;
            Some((depth(it).unwrap_or(-1), Window { id, ..window }))
        })
        .collect();
    others.sort_by_key(|(depth, _)| Reverse(*depth));
    others
        .into_iter()
        .take(3)
        .map(|(_, window)| window)
        .collect()
}

fn names(app: &Value) -> Vec<&str> {
    let text = |name: &str| app.get(name).and_then(Value::as_str);
    let executable = text("launch_path")
        .and_then(|path| path.split_whitespace().next())
        .and_then(|path| path.rsplit('/').next());
    let all = [text("bundle_id"), text("name"), executable];
    all.into_iter().flatten().collect()
}

fn running_pid(app: &Value) -> Option<i64> {
    let pid = app.get("pid").and_then(Value::as_i64)?;
    let runs = app.get("running").and_then(Value::as_bool).unwrap_or(true);
    (runs && pid > 0).then_some(pid)
}

/// macOS launches by bundle id. Linux refuses one, and finds an executable or a desktop file by
/// name; a launch path with arguments would start something else.
fn launch(name: &str, app: &Value) -> Map<String, Value> {
    let text = |field: &str| app.get(field).and_then(Value::as_str);
    if is_desktop_entry(app) {
        let path = text("launch_path").filter(|path| !path.contains(char::is_whitespace));
        return one("name", path.or(text("bundle_id")).unwrap_or(name));
    }
    match text("bundle_id") {
        Some(id) => one("bundle_id", id),
        None => one("name", name),
    }
}

/// Processes that belong to no installed app are listed too.
fn is_installed(app: &Value) -> bool {
    is_desktop_entry(app) || app.get("bundle_id").is_some_and(Value::is_string)
}

/// Linux marks what comes from a desktop file.
fn is_desktop_entry(app: &Value) -> bool {
    app.get("kind").and_then(Value::as_str) == Some("desktop")
}

fn looks_like_bundle_id(name: &str) -> bool {
    name.matches('.').count() >= 2 && !name.contains('/') && !name.contains(' ')
}

fn one(field: &str, value: &str) -> Map<String, Value> {
    Map::from_iter([(field.to_owned(), json!(value))])
}

/// The best window of these processes: titled before untitled, on screen, not a tiny strip, the
/// larger, the nearer to the front.
#[must_use]
pub fn pick_window(pids: &[i64], answer: &RawAnswer) -> Option<Window> {
    let windows = answer.reveal().get("windows").and_then(Value::as_array)?;
    let of_pid = |window: &&Value| number(window, "pid").is_some_and(|pid| pids.contains(&pid));
    let best = windows
        .iter()
        .filter(of_pid)
        .filter(|window| number(window, "window_id").is_some())
        .max_by_key(|window| rank(window))?;
    Some(Window {
        pid: number(best, "pid")?,
        id: number(best, "window_id")?,
    })
}

type Rank = (bool, bool, bool, i64, i64, Reverse<i64>);

fn rank(window: &Value) -> Rank {
    let title = window.get("title").and_then(Value::as_str).unwrap_or("");
    let on_screen = window.get("is_on_screen").and_then(Value::as_bool);
    let side = |short: &str| {
        number(window, short)
            .or(window
                .pointer(&format!("/bounds/{short}"))
                .and_then(Value::as_i64))
            .unwrap_or(0)
    };
    let (width, height) = (side("width"), side("height"));
    (
        !title.trim().is_empty(),
        on_screen.unwrap_or(true),
        width >= 40 && height >= 40,
        width.saturating_mul(height),
        number(window, "z_index").unwrap_or(-1),
        Reverse(number(window, "window_id").unwrap_or(0)),
    )
}

fn number(value: &Value, field: &str) -> Option<i64> {
    value.get(field).and_then(Value::as_i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_running_app_by_any_of_its_whole_names() {
        let linux = json!({"apps": [
            {"name": "MATE Calculator", "bundle_id": "mate-calc", "launch_path": "mate-calc", "kind": "desktop", "pid": 7, "running": true},
            {"name": "Mousepad", "bundle_id": "org.xfce.mousepad", "launch_path": "mousepad", "kind": "desktop", "pid": 0, "running": false},
            {"name": "Settings", "bundle_id": "org.xfce.m", "launch_path": "mousepad --preferences", "kind": "desktop", "pid": 0, "running": false},
            {"name": "zenity", "bundle_id": null, "launch_path": null, "kind": null, "pid": 9, "running": true},
            {"name": "zenity", "bundle_id": null, "launch_path": null, "kind": null, "pid": 8, "running": true},
        ]});
        let mac = json!({"apps": [
            {"name": "Calculator", "bundle_id": "com.apple.calculator", "pid": 5, "running": true},
            {"name": "Notes", "bundle_id": "com.apple.Notes", "launch_path": "/System/Applications/Notes.app", "running": false},
        ]});
        let launch = |field: &str, value: &str| App::Installed(one(field, value));
        for (list, name, want) in [
            (
                &linux,
                "mate-calc",
                App::Running(vec![7], Some(one("name", "mate-calc"))),
            ),
            (
                &linux,
                "mate calculator",
                App::Running(vec![7], Some(one("name", "mate-calc"))),
            ),
            (&linux, "MATE", App::Unknown),
            (&linux, "mousepad", launch("name", "mousepad")),
            (&linux, "org.xfce.m", launch("name", "org.xfce.m")),
            (&linux, "zenity", App::Running(vec![9, 8], None)),
            (&linux, "org.no.such", App::Unknown),
            (
                &mac,
                "com.apple.calculator",
                App::Running(vec![5], Some(one("bundle_id", "com.apple.calculator"))),
            ),
            (&mac, "Notes", launch("bundle_id", "com.apple.Notes")),
            (&mac, "org.no.such", launch("bundle_id", "org.no.such")),
            (&mac, "nope", App::Unknown),
        ] {
            assert_eq!(pick(name, &RawAnswer::new(list.clone())), want, "{name}");
        }
    }

    #[test]
    fn the_window_a_person_would_take() {
        let window = |id: i64, title: &str, width: i64, more: Value| {
            let mut window = json!({"pid": 7, "window_id": id, "title": title, "bounds": {"width": width, "height": 100}});
            let fields = more.as_object().unwrap().clone();
            window.as_object_mut().unwrap().extend(fields);
            window
        };
        let pick = |windows: Value| {
            let answer = RawAnswer::new(json!({ "windows": windows }));
            pick_window(&[7], &answer).map(|window| window.id)
        };
        let none = json!({});
        let titled = window(1, "Doc", 300, none.clone());
        assert_eq!(
            pick(json!([window(2, "", 900, none.clone()), titled])),
            Some(1)
        );
        assert_eq!(
            pick(json!([window(2, "Big", 900, none.clone()), titled])),
            Some(2)
        );
        let hidden = window(2, "Big", 900, json!({"is_on_screen": false}));
        assert_eq!(pick(json!([hidden, titled])), Some(1));
        let strip = window(2, "Strip", 20, none.clone());
        assert_eq!(pick(json!([strip, titled])), Some(1));
        let front = window(3, "Doc", 300, json!({"z_index": 4}));
        assert_eq!(pick(json!([titled, front])), Some(3));
        let foreign = window(4, "Doc", 900, json!({"pid": 8}));
        assert_eq!(pick(json!([foreign])), None);
    }
}
