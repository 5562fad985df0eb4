//! A private X11 desktop with accessibility and a real cua-driver, for the tests that need one:
//! its own display, its own buses, its own home. Every process is a child that is ended by its
//! pid; apps end with their display.

use std::ffi::OsString;
use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use crate::context::TestContext;
use crate::observe::Run;

/// The desktop of one test. Its home is the test's home: that is what isolates the driver.
pub struct Desktop {
    pub driver: PathBuf,
    env: Vec<(OsString, OsString)>,
    /// Oldest first; ended in the other direction.
    children: Vec<Child>,
}

impl Desktop {
    /// Starts everything and waits until it answers. Fails with a clear line when a part is
    /// missing.
    pub fn start(ctx: &TestContext) -> Self {
        let driver = std::env::var_os("LCU_TEST_CUA_DRIVER").expect(
            "LCU_TEST_CUA_DRIVER must name the native cua-driver binary; .ci/run installs it",
        );
        Self::start_with(ctx, driver.into())
    }

    /// The same with another driver.
    pub fn start_with(ctx: &TestContext, driver: PathBuf) -> Self {
        let run = ctx.root().join("run");
        fs::create_dir(&run).unwrap();
        private(&run);
        let mut desktop = Self {
            driver,
            env: env(ctx, &run),
            children: Vec::new(),
        };
        desktop.display();
        let bus = format!("--address=unix:path={}", run.join("bus").display());
        let dbus = ["dbus-daemon", "--session", "--nofork", "--nopidfile", &bus];
        desktop.spawn(&dbus);
        until("the session bus", || run.join("bus").exists());
        desktop.spawn(&["openbox", "--sm-disable"]);
        desktop.spawn(&["/usr/libexec/at-spi-bus-launcher", "--launch-immediately"]);
        // Asking the accessibility bus itself would start a second launcher.
        until("the accessibility bus", || {
            let name = "string:org.a11y.Bus";
            let said = desktop.say(
                "org.freedesktop.DBus",
                "/",
                "org.freedesktop.DBus.NameHasOwner",
                &[name],
            );
            said.contains("true")
        });
        let set = [
            "string:org.a11y.Status",
            "string:IsEnabled",
            "variant:boolean:true",
        ];
        desktop.say(
            "org.a11y.Bus",
            "/org/a11y/bus",
            "org.freedesktop.DBus.Properties.Set",
            &set,
        );
        let binary = desktop.driver.clone();
        desktop.spawn(&[binary.to_str().unwrap(), "serve", "--no-overlay"]);
        until("cua-driver", || desktop.ask(&["status"]).is_some());
        desktop
    }

    /// A display that the server picks itself, so that desktops never meet.
    fn display(&mut self) {
        let words = [
            "-displayfd",
            "1",
            "-screen",
            "0",
            "1280x800x24",
            "-nolisten",
            "tcp",
            "-noreset",
        ];
        let mut server = self.command("Xvfb");
        server.args(words).stdout(Stdio::piped());
        let mut server = server
            .spawn()
            .expect("Xvfb must be installed; .ci/run does it");
        let mut number = String::new();
        BufReader::new(server.stdout.take().unwrap())
            .read_line(&mut number)
            .unwrap();
        self.children.push(server);
        self.env
            .push(("DISPLAY".into(), format!(":{}", number.trim()).into()));
    }

    /// A program with this desktop's environment and nothing else.
    pub fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command.env_clear().envs(self.env.iter().cloned());
        command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        command
    }

    /// Starts a program that ends with the desktop.
    pub fn spawn(&mut self, words: &[&str]) {
        let child = self.command(words[0]).args(&words[1..]).spawn();
        let child = child
            .unwrap_or_else(|e| panic!("{} must be installed; .ci/run does it: {e}", words[0]));
        self.children.push(child);
    }

    /// What a process needs to find this desktop and its driver.
    pub fn env(&self) -> Vec<(OsString, OsString)> {
        let driver = ("CUA_DRIVER_BIN".into(), self.driver.clone().into());
        self.env.iter().cloned().chain([driver]).collect()
    }

    /// A call of the binary under test, on this desktop.
    pub fn run(&self, run: Run) -> Run {
        self.env().iter().fold(run, |run, (name, value)| {
            run.env(name.to_str().unwrap(), value)
        })
    }

    /// What a program prints, if it ends well.
    pub fn output(&self, words: &[&str]) -> Option<String> {
        let mut command = self.command(words[0]);
        let output = command
            .args(&words[1..])
            .stdout(Stdio::piped())
            .output()
            .unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        output.status.success().then_some(text)
    }

    /// What the driver prints, past the tool under test.
    pub fn ask(&self, words: &[&str]) -> Option<String> {
        let driver = self.driver.to_str().unwrap();
        let words: Vec<_> = [driver].into_iter().chain(words.iter().copied()).collect();
        self.output(&words)
    }

    fn say(&self, to: &str, path: &str, method: &str, arguments: &[&str]) -> String {
        let to = format!("--dest={to}");
        let words = ["dbus-send", "--session", "--print-reply", &to, path, method];
        let words: Vec<_> = words.iter().chain(arguments).copied().collect();
        self.output(&words).unwrap_or_default()
    }

    /// Texts of the app's controls of this role, as another accessibility client sees them.
    pub fn judged(&self, app: &str, role: &str) -> Vec<String> {
        self.judge(&[app, role])
    }

    /// Names of those that are ticked.
    pub fn ticked(&self, app: &str, role: &str) -> Vec<String> {
        self.judge(&[app, role, "ticked"])
    }

    fn judge(&self, arguments: &[&str]) -> Vec<String> {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/judge/texts.py");
        let words = [&["/usr/bin/python3", script.to_str().unwrap()], arguments].concat();
        let said = self.output(&words).expect(
            "the judge must run: /usr/bin/python3 with python3-gi and gir1.2-atspi-2.0; .ci/run installs them",
        );
        serde_json::from_str(&said).unwrap()
    }
}

impl Drop for Desktop {
    fn drop(&mut self) {
        // Whoever started it: the tool under test may have.
        self.ask(&["stop"]);
        for child in self.children.iter_mut().rev() {
            let pid = Pid::from_child(child);
            let _ = kill_process(pid, Signal::TERM);
            let end = Instant::now() + Duration::from_secs(10);
            while child.try_wait().unwrap().is_none() {
                if Instant::now() > end {
                    let _ = child.kill();
                }
                thread::sleep(Duration::from_millis(20));
            }
        }
    }
}

/// Pids of living processes of this test, by the home in their environment, with their names.
pub fn processes(ctx: &TestContext) -> Vec<(u32, String)> {
    let home = format!("HOME={}", ctx.home.display());
    let mut found = Vec::new();
    for entry in fs::read_dir("/proc").unwrap().flatten() {
        let Some(pid) = entry
            .file_name()
            .to_str()
            .and_then(|name| name.parse().ok())
        else {
            continue;
        };
        let environ = fs::read(entry.path().join("environ")).unwrap_or_default();
        if environ
            .split(|byte| *byte == 0)
            .any(|line| line == home.as_bytes())
        {
            let name = fs::read_to_string(entry.path().join("comm")).unwrap_or_default();
            found.push((pid, name.trim().to_owned()));
        }
    }
    found
}

/// Waits for what starts in its own time.
pub fn until(what: &str, ready: impl Fn() -> bool) {
    let end = Instant::now() + Duration::from_secs(30);
    while !ready() {
        assert!(Instant::now() < end, "{what} did not come up");
        thread::sleep(Duration::from_millis(30));
    }
}

fn env(ctx: &TestContext, run: &Path) -> Vec<(OsString, OsString)> {
    let bus = format!("unix:path={}", run.join("bus").display());
    let fixed = [
        ("CUA_DRIVER_RS_TELEMETRY_ENABLED", "0"),
        ("CUA_TELEMETRY_ENABLED", "false"),
        ("GTK_MODULES", "gail:atk-bridge"),
        ("NO_AT_BRIDGE", "0"),
        ("GTK_A11Y", "atspi"),
        ("GDK_BACKEND", "x11"),
        // No settings that outlive an app, so none asks whether to restore its last session.
        ("GSETTINGS_BACKEND", "memory"),
        ("XDG_CURRENT_DESKTOP", "X-Generic"),
        ("DBUS_SESSION_BUS_ADDRESS", &bus),
    ];
    let fixed = fixed
        .iter()
        .map(|(name, value)| (OsString::from(name), OsString::from(value)));
    let own = ctx
        .env()
        .into_iter()
        .map(|(name, value)| (name.into(), value.into()));
    let folder = ("XDG_RUNTIME_DIR".into(), run.into());
    own.chain(fixed).chain([folder]).collect()
}

fn private(folder: &Path) {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(folder, fs::Permissions::from_mode(0o700)).unwrap();
}
