//! One window of an app, for as long as one command runs: reads it, asks what else stands there,
//! calls tools on it.

use anyhow::anyhow;
use serde_json::{Map, Value, json};

use super::app;
use super::calls::{Calls, Yes};
use super::outcome::{Failure, Stop};
use super::request::{Tool, Window, tool};
use super::resolve::{find_again, find_or_launch, known, remember};
use super::shown::RawAnswer;
use super::tree::{self, Dialog, Tree};

/// Of a read that is not of the window that was asked for.
const IN_DIALOG: &str = "of the dialog in front";

/// Of a read of a window that nobody can use.
pub const BEHIND: &str = "behind a dialog that cannot be read";

/// How a window is read: everything, in both forms, with no picture.
pub const WIDE: &[(&str, Wide)] = &[
    ("tree_format", Wide::Word("both")),
    ("max_elements", Wide::Number(2000)),
    ("timeout_ms", Wide::Number(5000)),
];

/// A fixed argument.
pub enum Wide {
    /// A word.
    Word(&'static str),
    /// A number.
    Number(u32),
}

impl Wide {
    /// As the driver takes it.
    #[must_use]
    pub fn to_json(&self) -> Value {
        match self {
            Self::Word(word) => json!(word),
            Self::Number(number) => json!(number),
        }
    }
}

/// A window as it was just read.
pub struct Seen {
    /// Its controls and texts.
    pub tree: Tree,
    /// The driver's full answer.
    pub bytes: Vec<u8>,
}

/// An app's window, for as long as one command runs.
pub struct Target<'a, 'b> {
    /// The driver, for this run.
    pub calls: &'a mut Calls<'b>,
    /// The window.
    pub window: Window,
    /// Whether it was known from an earlier command.
    pub cached: bool,
    app: &'a str,
}

impl<'a, 'b> Target<'a, 'b> {
    /// Finds the app's window, or launches the app.
    pub fn resolve(calls: &'a mut Calls<'b>, app: &'a str) -> Result<Self, Stop> {
        let known = known(calls)?;
        let window = match known {
            Some(window) => window,
            None => find_or_launch(calls, app)?,
        };
        Ok(Self {
            calls,
            window,
            cached: known.is_some(),
            app,
        })
    }

    /// Reads the window. When it is gone the app's window is looked up again, once; nothing is
    /// launched for it.
    pub fn read(&mut self) -> Result<Seen, Stop> {
        match self.read_this() {
            Err(Stop::Failed(failure)) if is_gone(&failure) => {
                self.window = find_again(self.calls, self.app)?;
                self.cached = false;
                self.read_this()
            }
            outcome => outcome,
        }
    }

    /// Reads the window, or the dialog in front of it, and goes on there. Returns what to say of
    /// that.
    pub fn read_front(&mut self) -> Result<(Seen, Option<&'static str>), Stop> {
        let seen = self.read()?;
        let Some(dialog) = &seen.tree.dialog else {
            return Ok((seen, None));
        };
        Ok(match self.go_to(dialog)? {
            Some(there) => (there, Some(IN_DIALOG)),
            None => (seen, Some(BEHIND)),
        })
    }

    /// Goes on in another window of the app, if it can be read.
    fn enter<T>(
        &mut self,
        id: i64,
        read: impl FnOnce(&mut Self) -> Result<(bool, T), Stop>,
    ) -> Result<Option<T>, Stop> {
        let here = self.window;
        self.window.id = id;
        if let Ok((true, there)) = read(self) {
            self.stay()?;
            return Ok(Some(there));
        }
        self.window = here;
        Ok(None)
    }

    /// Goes on in the dialog that stands before this window, also in the next command, if it can
    /// be read.
    pub fn go_to(&mut self, dialog: &Dialog) -> Result<Option<Seen>, Stop> {
        self.enter(dialog.id, |target| {
            let there = target.read_this()?;
            Ok((there.tree.degraded.is_none(), there))
        })
    }

    /// Reads this very window.
    pub fn read_this(&mut self) -> Result<Seen, Stop> {
        let wide = WIDE.iter();
        let wide = wide.map(|(name, value)| ((*name).to_owned(), value.to_json()));
        let wide = wide.collect();
        let (yes, new) = match self.ask(own("get_window_state")?, &wide) {
            // Drivers before 0.35 give both forms unasked; 0.33 and later refuse the words for it.
            Err(Stop::Failed(failure)) if failure.is("invalid_arguments") => {
                (self.ask(own("get_window_state")?, &Map::new())?, true)
            }
            outcome => (outcome?, false),
        };
        let tells_values = new || yes.answer.reveal().get("tree_format").is_some();
        let mut seen = self.seen_in(&yes.answer, yes.bytes)?;
        if !tells_values {
            seen.tree.guess();
        }
        Ok(seen)
    }

    /// A caller's own read of this window or the dialog in front of it, in both forms: the one
    /// with the structure is what its tokens are known by later. Returns what to say of it too.
    pub fn look(
        &mut self,
        tool: &'static Tool,
        arguments: &Map<String, Value>,
    ) -> Result<(Vec<u8>, Option<&'static str>), Stop> {
        let seen = self.look_at_this(tool, arguments)?;
        let tree = tree::parse(&seen.answer);
        let Some(dialog) = tree.dialog else {
            return Ok((seen.bytes, None));
        };
        let there = self.enter(dialog.id, |target| {
            let there = target.look_at_this(tool, arguments)?;
            let is_read = tree::parse(&there.answer).degraded.is_none();
            Ok((is_read, there))
        })?;
        Ok(match there {
            Some(there) => (there.bytes, Some(IN_DIALOG)),
            None => (seen.bytes, Some(BEHIND)),
        })
    }

    fn look_at_this(
        &mut self,
        tool: &'static Tool,
        arguments: &Map<String, Value>,
    ) -> Result<Yes, Stop> {
        let mut both = arguments.clone();
        both.insert("tree_format".to_owned(), json!("both"));
        match self.ask(tool, &both) {
            Err(Stop::Failed(failure)) if failure.is("invalid_arguments") => {
                self.ask(tool, arguments)
            }
            outcome => outcome,
        }
    }

    /// A read of this window that came inside another answer.
    pub fn seen(&mut self, state: &Value) -> Result<Seen, Stop> {
        let bytes = serde_json::to_vec_pretty(state).map_err(anyhow::Error::from)?;
        self.seen_in(&RawAnswer::new(state.clone()), bytes)
    }

    fn seen_in(&mut self, answer: &RawAnswer, bytes: Vec<u8>) -> Result<Seen, Stop> {
        let mut tree = tree::parse(answer);
        let Window { pid, id } = self.window;
        if tree.pid.is_some_and(|it| it != pid) || tree.window_id.is_some_and(|it| it != id) {
            return Err(
                anyhow!("could not read the window: cua-driver answered for another one").into(),
            );
        }
        self.calls.run.mark(&mut tree.nodes)?;
        Ok(Seen { tree, bytes })
    }

    /// Windows of the same process that stand in front of this one, the front one first. Where the
    /// order is not known, all others.
    pub fn in_front(&mut self) -> Result<Vec<Window>, Stop> {
        let yes = self.ask(own("list_windows")?, &Map::new())?;
        Ok(app::in_front(self.window, &yes.answer))
    }

    /// Goes on in this window, also in the next command.
    pub fn stay(&mut self) -> Result<(), Stop> {
        remember(self.calls, self.window)
    }

    /// Whether the window still stands; the driver types into the app even when it does not.
    pub fn is_there(&mut self) -> Result<bool, Stop> {
        let yes = self.ask(own("list_windows")?, &Map::new())?;
        let windows = yes.answer.reveal().get("windows").and_then(Value::as_array);
        let same = |window: &Value| window.get("window_id") == Some(&json!(self.window.id));
        Ok(windows.is_some_and(|windows| windows.iter().any(same)))
    }

    /// Whether the app has no other window. With one, a text that is typed by token reaches either
    /// of them (0.37, Linux: half of the times the wrong one, whatever their titles and fields).
    pub fn is_alone(&mut self) -> Result<bool, Stop> {
        if !cfg!(target_os = "linux") {
            return Ok(true);
        }
        let yes = self.ask(own("list_windows")?, &Map::new())?;
        let windows = yes.answer.reveal().get("windows").and_then(Value::as_array);
        let of_app = |window: &&Value| window.get("pid") == Some(&json!(self.window.pid));
        Ok(windows.into_iter().flatten().filter(of_app).count() < 2)
    }

    /// Calls a tool on the window.
    pub fn ask(
        &mut self,
        tool: &'static Tool,
        arguments: &Map<String, Value>,
    ) -> Result<Yes, Stop> {
        self.calls.ask(tool, arguments, Some(self.window))
    }
}

/// One of desk's own tools.
pub fn own(name: &'static str) -> Result<&'static Tool, Stop> {
    let tool = tool(name);
    tool.ok_or_else(|| anyhow!("could not call {name}: it is not on the list").into())
}

/// Whether the driver says that there is no such window any more.
#[must_use]
pub fn is_gone(failure: &Failure) -> bool {
    [
        "window_gone",
        "window_id_not_found",
        "window_owner_pid_mismatch",
    ]
    .iter()
    .any(|code| failure.is(code))
}
