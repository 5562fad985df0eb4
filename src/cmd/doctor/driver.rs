//! The driver of the desk tools: which binary, what it can, whether it runs, and what the desktop
//! gives it. Starts nothing but the driver's own short answers.

use std::time::Duration;

use serde_json::{Value, json};

use super::Line;
use crate::cmd::desk_world::locate_driver;
use crate::desk::Driver;
use crate::desk::cua::Cua;
use crate::desk::driver::End;
use crate::desk::judge::{Judged, judge};
use crate::desk::outcome::Code;
use crate::escape::{quoted, shown};
use crate::host::Host;

/// What a driver that hangs is given.
const LIMIT: Duration = Duration::from_secs(10);

/// The lines of this machine.
pub fn lines(host: &Host, lines: &mut Vec<Line>) {
    let binary = match locate_driver(host) {
        Ok(binary) => binary,
        // Everything else works without one.
        Err(error) => {
            lines.push(Line::note("driver", crate::escape::failure(&error), None));
            return;
        }
    };
    let path = shown(&host.friendly(&binary));
    let mut driver = Cua::new(binary);
    let said = driver.say(&["--version"], LIMIT).ok();
    let version = said.filter(|said| said.end == End::Exited(0));
    let Some(version) = version.map(|said| String::from_utf8_lossy(&said.stdout).trim().to_owned())
    else {
        let seen = format!("{path} does not tell its version");
        lines.push(Line::fail("driver", seen, format!("{path} --version")));
        return;
    };
    let batches = driver.offers("run_steps", LIMIT).unwrap_or(false);
    let packets = if batches {
        "takes a packet in few calls"
    } else {
        "takes a packet step by step"
    };
    lines.push(Line::ok(
        "driver",
        format!("{}, {packets}, {path}", shown(&version)),
    ));
    desktop(host, lines);
    if running(&mut driver, &path, lines) {
        health(&mut driver, lines);
    }
}

/// What must be there before an app can be read.
fn desktop(host: &Host, lines: &mut Vec<Line>) {
    if !cfg!(target_os = "linux") {
        return;
    }
    let display = host.text_var("DISPLAY");
    let wayland = host.text_var("WAYLAND_DISPLAY");
    lines.push(match (display, wayland) {
        (Some(display), _) => Line::ok("desktop", format!("X11 on {}", shown(display))),
        (None, Some(_)) => Line::note("desktop", "Wayland without X11, which was not tried", None),
        (None, None) => Line::note(
            "desktop",
            "no DISPLAY here, so no app can be operated",
            None,
        ),
    });
    let bus = host.var("DBUS_SESSION_BUS_ADDRESS").is_some()
        || host
            .folder_var("XDG_RUNTIME_DIR")
            .is_some_and(|run| run.join("bus").exists());
    lines.push(if bus {
        Line::ok("session bus", "there")
    } else {
        Line::note("session bus", "none, so no app can be read", None)
    });
}

/// Whether its background process runs; the desk commands start it when they need it.
fn running(driver: &mut Cua, path: &str, lines: &mut Vec<Line>) -> bool {
    let end = driver.say(&["status"], LIMIT).map(|said| said.end);
    let (line, runs) = match end {
        Ok(End::Exited(0)) => (Line::ok("driver process", "runs"), true),
        Ok(End::Exited(75)) => {
            let seen = "waits for Accessibility in System Settings, Privacy & Security";
            let mend = "open 'x-apple.systempreferences:com.apple.preference.security?Privacy_Accessibility'";
            (Line::fail("driver process", seen, mend), false)
        }
        Ok(End::Exited(1)) => {
            let seen = "does not run; the first desk command starts it";
            (Line::note("driver process", seen, None), false)
        }
        Ok(_) | Err(_) => {
            let mend = format!("{path} status");
            (Line::fail("driver process", "does not answer", mend), false)
        }
    };
    lines.push(line);
    runs
}

/// The driver's own checks: permissions on macOS, the accessibility bus on Linux.
fn health(driver: &mut Cua, lines: &mut Vec<Line>) {
    let answer = driver.call("health_report", &json!({}), LIMIT);
    let report = match answer.map(|answer| judge(&answer)) {
        Ok(Judged::Answered(report)) => report,
        Ok(Judged::PermissionsPending(_)) => {
            let seen = "it waits for permissions";
            lines.push(Line::fail("driver health", seen, "cua-driver status"));
            return;
        }
        // Older drivers have no such tool.
        Ok(_) | Err(_) => return,
    };
    let checks = report.reveal().get("checks").and_then(Value::as_array);
    let failed = checks.into_iter().flatten().filter(|check| {
        !matches!(
            check.get("status").and_then(Value::as_str),
            Some("pass" | "skip")
        )
    });
    let mut all_well = true;
    for check in failed {
        let text = |field: &str| check.get(field).and_then(Value::as_str).unwrap_or_default();
        let name =
            Code::parse(text("name")).map_or_else(|| "check".to_owned(), |code| code.to_string());
        // Screenshots are never asked for.
        if name.contains("screen") {
            continue;
        }
        all_well = false;
        let seen = quoted(&text("message").chars().take(200).collect::<String>());
        lines.push(Line::fail(
            &format!("driver {name}"),
            seen,
            "cua-driver call health_report",
        ));
    }
    if all_well {
        lines.push(Line::ok("driver health", "its own checks pass"));
    }
    if cfg!(target_os = "linux") {
        background(lines);
    }
}

/// Keys in the background need a virtual keyboard.
fn background(lines: &mut Vec<Line>) {
    let uinput = std::fs::File::options().write(true).open("/dev/uinput");
    lines.push(match uinput {
        Ok(_) => Line::ok("background keys", "/dev/uinput can be written"),
        Err(_) => Line::note(
            "background keys",
            "press, scroll and drag are refused in the background: /dev/uinput cannot be written; clicks, texts and menus work",
            None,
        ),
    });
}
