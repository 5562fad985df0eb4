//! A private X11 desktop with accessibility and a cua-driver, for one benchmark: a display, buses
//! and a home of its own. Everything it starts is a child that is ended by its pid.

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use tempfile::TempDir;

/// The desktop; it ends when it is dropped.
pub struct Desktop {
    root: TempDir,
    pub driver: PathBuf,
    env: Vec<(String, String)>,
    children: Vec<Child>,
}

impl Desktop {
    pub fn start(driver: PathBuf) -> Result<Self> {
        let root = tempfile::tempdir()?;
        let text = |name: &str| root.path().join(name).display().to_string();
        std::fs::create_dir(root.path().join("run"))?;
        let bus = format!("unix:path={}", text("bus"));
        let env = [
            ("HOME", text("home")),
            ("PATH", "/usr/bin:/bin".to_owned()),
            ("XDG_RUNTIME_DIR", text("run")),
            ("DBUS_SESSION_BUS_ADDRESS", bus.clone()),
            ("CUA_DRIVER_BIN", driver.display().to_string()),
            ("CUA_DRIVER_RS_TELEMETRY_ENABLED", "0".to_owned()),
            ("CUA_TELEMETRY_ENABLED", "false".to_owned()),
            ("GTK_MODULES", "gail:atk-bridge".to_owned()),
            ("NO_AT_BRIDGE", "0".to_owned()),
            ("GDK_BACKEND", "x11".to_owned()),
            ("GSETTINGS_BACKEND", "memory".to_owned()),
            ("LC_ALL", "C.UTF-8".to_owned()),
            ("DESK_GUARD", "off".to_owned()),
        ];
        std::fs::create_dir(root.path().join("home"))?;
        let env = env.map(|(name, value)| (name.to_owned(), value)).into();
        let mut desktop = Self {
            root,
            driver,
            env,
            children: Vec::new(),
        };
        let mut server = desktop.command("Xvfb");
        server.args([
            "-displayfd",
            "1",
            "-screen",
            "0",
            "1280x800x24",
            "-nolisten",
            "tcp",
        ]);
        let mut server = server
            .stdout(Stdio::piped())
            .spawn()
            .context("Xvfb is needed")?;
        let mut number = String::new();
        let stdout = server.stdout.take().context("a piped stdout is there")?;
        BufReader::new(stdout).read_line(&mut number)?;
        desktop.children.push(server);
        desktop
            .env
            .push(("DISPLAY".to_owned(), format!(":{}", number.trim())));
        let address = format!("--address={bus}");
        desktop.spawn(&[
            "dbus-daemon",
            "--session",
            "--nofork",
            "--nopidfile",
            &address,
        ])?;
        let socket = desktop.root.path().join("bus");
        until("the session bus", || socket.exists())?;
        desktop.spawn(&["openbox", "--sm-disable"])?;
        desktop.spawn(&["/usr/libexec/at-spi-bus-launcher", "--launch-immediately"])?;
        let owner = [
            "dbus-send",
            "--session",
            "--print-reply",
            "--dest=org.freedesktop.DBus",
            "/",
        ];
        let owner = [
            &owner[..],
            &["org.freedesktop.DBus.NameHasOwner", "string:org.a11y.Bus"],
        ]
        .concat();
        until("the accessibility bus", || {
            desktop.output(&owner).contains("true")
        })?;
        let binary = desktop.driver.display().to_string();
        desktop.spawn(&[&binary, "serve", "--no-overlay"])?;
        until("cua-driver", || {
            desktop.output(&[&binary, "status"]).contains("is running")
        })?;
        Ok(desktop)
    }

    pub fn folder(&self) -> &Path {
        self.root.path()
    }

    /// A program with this desktop's environment and nothing else.
    pub fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command
            .env_clear()
            .envs(self.env.iter().cloned())
            .current_dir(self.root.path())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        command
    }

    fn spawn(&mut self, words: &[&str]) -> Result<()> {
        let child = self.command(words[0]).args(&words[1..]).spawn();
        self.children
            .push(child.with_context(|| format!("{} is needed", words[0]))?);
        Ok(())
    }

    pub fn output(&self, words: &[&str]) -> String {
        let output = self
            .command(words[0])
            .args(&words[1..])
            .stdout(Stdio::piped())
            .output();
        let bytes = output.map(|output| output.stdout).unwrap_or_default();
        String::from_utf8_lossy(&bytes).into_owned()
    }
}

impl Drop for Desktop {
    fn drop(&mut self) {
        let binary = self.driver.display().to_string();
        self.output(&[&binary, "stop"]);
        for child in self.children.iter_mut().rev() {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// Waits for what comes up in its own time.
pub fn until(what: &str, ready: impl Fn() -> bool) -> Result<()> {
    let end = Instant::now() + Duration::from_secs(30);
    while !ready() {
        if Instant::now() > end {
            bail!("{what} did not come up");
        }
        thread::sleep(Duration::from_millis(30));
    }
    Ok(())
}
