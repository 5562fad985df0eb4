//! `doctor`: does it work here? One line a check; each failing line ends with the one command that
//! mends it. One file a group of lines: `installed` (files, binary, permissions), `claude` (what
//! Claude Code makes of its settings), `hooks` (they are really fired), `driver` (of the desk tools).

use std::io::Write;

use anyhow::Result;
use serde::Serialize;

use super::place::{Opened, Purpose, Where, config_folder, running_binary};
use crate::escape;
use crate::exit::Doctor;
use crate::host::Host;

mod claude;
mod driver;
mod fire;
mod hooks;
mod installed;

/// Arguments of `doctor`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Which install [default: the project's and the user's, those that are there]
    #[command(flatten)]
    pub place: Where,
    /// Print one JSON document
    #[arg(long)]
    pub json: bool,
}

/// One check and its outcome.
#[derive(Debug, Serialize)]
pub struct Line {
    /// How it went.
    pub state: State,
    /// What was checked.
    pub what: String,
    /// What was seen; text of others is escaped.
    pub seen: String,
    /// The command that mends it.
    pub mend: Option<String>,
}

/// How a check went.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum State {
    /// As it should be.
    Ok,
    /// Worth knowing; nothing is broken.
    Note,
    /// Something does not work.
    Fail,
}

impl Line {
    /// A check that went well.
    pub fn ok(what: &str, seen: impl Into<String>) -> Self {
        Self {
            state: State::Ok,
            what: what.to_owned(),
            seen: seen.into(),
            mend: None,
        }
    }

    /// Something worth knowing, with the command that changes it.
    pub fn note(what: &str, seen: impl Into<String>, change: Option<String>) -> Self {
        Self {
            state: State::Note,
            what: what.to_owned(),
            seen: seen.into(),
            mend: change,
        }
    }

    /// Something that does not work, with the one command that mends it.
    pub fn fail(what: &str, seen: impl Into<String>, mend: impl Into<String>) -> Self {
        Self {
            state: State::Fail,
            what: what.to_owned(),
            seen: seen.into(),
            mend: Some(mend.into()),
        }
    }
}

#[derive(Serialize)]
struct Answer<'a> {
    schema: u32,
    ok: bool,
    lines: &'a [Line],
}

/// Runs `doctor`.
pub fn run(args: &Args, host: &mut Host) -> Result<Doctor> {
    let mut lines = Vec::new();
    let places = places(args, host, &mut lines)?;
    for opened in &places {
        let mut of_place = Vec::new();
        installed::lines(opened, host, &mut of_place);
        claude::lines(opened, host, &mut of_place);
        hooks::lines(opened, host, &mut of_place);
        for mut line in of_place {
            line.what = format!("{}: {}", opened.place.scope, line.what);
            lines.push(line);
        }
    }
    claude::version(host, &mut lines);
    installed::state_folder(host, &mut lines);
    lines.extend(installed::guard(host));
    lines.push(installed::proof(host));
    driver::lines(host, &mut lines);
    let ok = lines.iter().all(|line| line.state != State::Fail);
    if args.json {
        let answer = Answer {
            schema: 1,
            ok,
            lines: &lines,
        };
        serde_json::to_writer_pretty(&mut host.out, &answer)?;
        writeln!(host.out)?;
    } else {
        print(&lines, host)?;
    }
    Ok(if ok { Doctor::Done } else { Doctor::Failed })
}

fn print(lines: &[Line], host: &mut Host) -> Result<()> {
    for line in lines {
        let mark = match line.state {
            State::Ok => "ok  ",
            State::Note => "note",
            State::Fail => "FAIL",
        };
        write!(host.out, "{mark} {}: {}", line.what, line.seen)?;
        match &line.mend {
            Some(mend) => writeln!(host.out, ": {mend}")?,
            None => writeln!(host.out)?,
        }
    }
    Ok(())
}

/// What was asked for, else every install that there is.
fn places(args: &Args, host: &Host, lines: &mut Vec<Line>) -> Result<Vec<Opened>> {
    let running = running_binary(host)?.path;
    let asked = args.place.user || args.place.local || args.place.project.is_some();
    let user = Where {
        user: true,
        ..Where::default()
    };
    let all = if asked {
        vec![args.place.clone()]
    } else {
        vec![args.place.clone(), user]
    };
    let mut found = Vec::new();
    for place in all {
        match place.open(Purpose::Look, &running, host) {
            Ok(opened) if opened.recorded.is_some() => found.push(opened),
            Ok(_) => {}
            Err(error) if asked => return Err(error),
            // In the home folder there is no project, and that is fine.
            Err(_) if !place.user && host.home() == Some(host.cwd.as_path()) => {}
            Err(_) if place.user && config_folder(host).is_none() => {
                let seen = "neither HOME nor CLAUDE_CONFIG_DIR says where the user's own folder is";
                lines.push(Line::note("user", seen, None));
            }
            Err(error) => lines.push(Line::fail(
                "install",
                escape::failure(&error),
                "lean-computer-use verify",
            )),
        }
    }
    let failed = lines.iter().any(|line| line.state == State::Fail);
    if found.is_empty() && !failed {
        let flag = if args.place.user {
            " --user"
        } else if args.place.local {
            " --local"
        } else {
            ""
        };
        lines.push(Line::fail(
            "install",
            "not installed here",
            format!("lean-computer-use install{flag}"),
        ));
    }
    Ok(found)
}
