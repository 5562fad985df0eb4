//! A real npm registry on the loopback interface, which knows no other. In goes a folder for what it
//! holds, out comes its address. Ends when dropped, and with the tests' process.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

const CONFIG: &str = "storage: ./storage
auth: { htpasswd: { file: ./htpasswd, max_users: -1 } }
uplinks: {}
packages: { '**': { access: $all, publish: $all } }
log: { type: stdout, format: json, level: warn }
";

/// The running registry.
pub struct Registry {
    keeper: Option<Child>,
    pub url: String,
    /// Where its packages lie.
    pub storage: PathBuf,
}

impl Registry {
    /// Starts it on a port that is free.
    pub fn start(folder: &Path) -> Self {
        let program = program();
        fs::create_dir_all(folder).unwrap();
        fs::write(folder.join("config.yaml"), CONFIG).unwrap();
        let url = format!("http://127.0.0.1:{}/", free_port());
        // Ends with the pipe, whatever becomes of this process.
        let line = r#""$0" "$1" -c config.yaml -l "$2" & read _; kill $!; wait"#;
        let mut keeper = Command::new("/bin/sh")
            .args(["-c", line])
            .args([super::node(), program.as_path()])
            .arg(url.trim_start_matches("http://").trim_end_matches('/'))
            .current_dir(folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let said = BufReader::new(keeper.stdout.take().unwrap());
        let mut lines = said.lines().map_while(Result::ok);
        let up = lines.any(|line| line.contains("http address"));
        assert!(up, "verdaccio did not start in {}", folder.display());
        // It writes on, and a pipe that nobody reads would stop it.
        std::thread::spawn(move || lines.for_each(drop));
        Self {
            keeper: Some(keeper),
            url,
            storage: folder.join("storage"),
        }
    }

    /// From here on nobody answers.
    pub fn stop(&mut self) {
        if let Some(mut keeper) = self.keeper.take() {
            drop(keeper.stdin.take());
            let _ = keeper.wait();
        }
    }
}

impl Drop for Registry {
    fn drop(&mut self) {
        self.stop();
    }
}

/// Its absence is a failure, never a skip.
fn program() -> PathBuf {
    let Some(path) = std::env::var_os("LCU_TEST_VERDACCIO").map(PathBuf::from) else {
        panic!("LCU_TEST_VERDACCIO is not set: .ci/run installs verdaccio and sets it");
    };
    assert!(
        path.is_file(),
        "LCU_TEST_VERDACCIO names no file: run .ci/run again"
    );
    path
}

fn free_port() -> u16 {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    listener.local_addr().unwrap().port()
}
