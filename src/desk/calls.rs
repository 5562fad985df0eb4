//! One judged driver call: a tool and its arguments in, a yes or the reason to stop out. Fills in
//! window and session, starts the driver when none runs, repeats what certainly reached nobody.

use std::time::Duration;

use anyhow::{Result, anyhow};
use serde_json::{Map, Value};

use super::busy::Locks;
use super::danger::Grant;
use super::driver::{Driver, Limits, Started};
use super::judge::{Judged, judge};
use super::outcome::{Code, Failure, Status, Stop};
use super::request::{Kind, Tool, Window};
use super::session::Run;
use super::shown::{RawAnswer, RawText, Shown};

/// A driver and the run it is used for.
pub struct Calls<'a> {
    driver: &'a mut dyn Driver,
    /// The run.
    pub run: &'a mut Run,
    /// What other commands wait for.
    pub locks: &'a mut Locks,
    /// How long to wait.
    pub limits: Limits,
    /// What may be done.
    pub grant: Grant,
    /// Never several actions in one call.
    pub one_by_one: bool,
}

/// A yes, and the bytes it was said in.
pub struct Yes {
    /// The answer.
    pub answer: RawAnswer,
    /// As the driver printed it.
    pub bytes: Vec<u8>,
}

impl<'a> Calls<'a> {
    /// Calls of this driver for this run.
    pub fn new(
        driver: &'a mut dyn Driver,
        run: &'a mut Run,
        locks: &'a mut Locks,
        limits: Limits,
    ) -> Self {
        Self {
            driver,
            run,
            locks,
            limits,
            grant: Grant::default(),
            one_by_one: false,
        }
    }

    /// Calls a tool. A call is repeated only where it certainly did not happen: no driver was
    /// running, or the session had ended.
    pub fn ask(
        &mut self,
        tool: &'static Tool,
        arguments: &Map<String, Value>,
        window: Option<Window>,
    ) -> Result<Yes, Stop> {
        let (mut started, mut renewed) = (false, false);
        loop {
            let label = self.run.label()?;
            let filled = tool.filled(arguments.clone(), window, &label);
            let answer = self.driver.call(tool.name, &filled, self.limit(tool))?;
            match judge(&answer) {
                Judged::Answered(yes) => {
                    return Ok(Yes {
                        answer: yes,
                        bytes: answer.stdout,
                    });
                }
                Judged::NotRunning if !started => {
                    started = true;
                    self.run.state().note_driver()?;
                    if let Started::PermissionsPending(said) = self.driver.start()? {
                        return Err(Stop::PermissionsPending(Shown::text(&said, 300)));
                    }
                }
                Judged::SessionEnded if !renewed => {
                    renewed = true;
                    self.run.new_label()?;
                    if tool.changes() {
                        // Its tokens died with the session.
                        let code = Some(Code::own("stale_element_token"));
                        return Err(Failure::new(Status::Refused, code).into());
                    }
                }
                no => return Err(stop(tool, no)),
            }
        }
    }

    /// Whether the driver takes several actions in one call. Asked once a run.
    pub fn batches(&mut self) -> Result<bool> {
        if self.one_by_one {
            return Ok(false);
        }
        let driver = self.driver.stamp();
        if let Some(known) = self.run.batches(&driver) {
            return Ok(known);
        }
        let offers = self.driver.offers("run_steps", self.limits.read)?;
        self.run.note_batches(driver, offers)?;
        Ok(offers)
    }

    /// Asks windows to close.
    pub fn close(&mut self, windows: &[Window]) -> Result<()> {
        self.driver.close(windows)
    }

    /// Looks again later.
    pub fn pause(&self) {
        std::thread::sleep(self.limits.pause);
    }

    /// Lets an app come to rest after a text.
    pub fn settle(&self) {
        std::thread::sleep(self.limits.settle);
    }

    /// Whether a process is over; see [`Driver::has_ended`].
    #[must_use]
    pub fn has_ended(&self, pid: i64) -> bool {
        self.driver.has_ended(pid)
    }

    /// Waits until no other command operates the process. Returns whether one did.
    pub fn hold(&mut self, pid: i64) -> Result<bool> {
        let start = self.driver.process_start(pid);
        self.locks.hold(pid, start.as_deref())
    }

    /// When a process started; see [`Driver::process_start`].
    #[must_use]
    pub fn process_start(&self, pid: i64) -> Option<String> {
        self.driver.process_start(pid)
    }

    fn limit(&self, tool: &Tool) -> Duration {
        match tool.kind {
            Kind::Reads => self.limits.read,
            _ if tool.name.starts_with("list_") => self.limits.read,
            // The driver itself ends one after a minute.
            Kind::Batch => self.limits.act * 3,
            _ => self.limits.act,
        }
    }
}

fn stop(tool: &Tool, judged: Judged) -> Stop {
    // The driver's sentences can repeat text that was to be typed.
    let shown = |said: &RawText| match tool.kind {
        Kind::Writes | Kind::Batch => Shown::own("(not shown: it can repeat the text)"),
        _ => Shown::text(said, 300),
    };
    match judged {
        Judged::Refused { code, detail } => {
            let mut failure = Failure::new(Status::Refused, code);
            let secret = matches!(tool.kind, Kind::Writes | Kind::Batch);
            if !secret && !detail.reveal().is_empty() {
                failure.detail.push(shown(&detail));
            }
            failure.into()
        }
        Judged::PermissionsPending(said) => Stop::PermissionsPending(shown(&said)),
        Judged::Status(code, said) => Stop::DriverStatus(code, shown(&said)),
        Judged::Unclear(why) if tool.changes() => {
            Failure::new(Status::Unknown, Some(Code::own(why))).into()
        }
        Judged::Unclear(why) => could_not(tool, why),
        Judged::NotRunning => could_not(tool, "it was started and does not run"),
        Judged::SessionEnded => could_not(tool, "it ends every session at once"),
        Judged::Answered(_) => could_not(tool, "its answer was lost"),
    }
}

fn could_not(tool: &Tool, why: &str) -> Stop {
    Stop::CouldNot(anyhow!(
        "could not get an answer to {} from cua-driver: {why}; see what `cua-driver status` says",
        tool.name
    ))
}
