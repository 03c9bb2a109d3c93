//! Commands of this program as processes, each with its time.

use crate::Refusal;
use crate::args::ModelOptions;
use std::ffi::OsString;
use std::io::Read;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Characters of a line on the page.
const WIDTH: &str = "100";

/// Time between two looks at a command.
const LOOK: Duration = Duration::from_millis(5);

/// Commands about one model.
pub(super) struct Commands {
    program: PathBuf,
    /// The model with `--set` and `--init`.
    model: Vec<String>,
    time: Duration,
}

impl Commands {
    pub(super) fn new(options: &ModelOptions, time: Duration) -> Result<Commands, Refusal> {
        let program = std::env::current_exe().map_err(|e| format!("error: cannot find this program: {e}\n"))?;
        let mut model = vec![options.model.clone()];
        for (flag, items) in [("--set", &options.changes.set), ("--init", &options.changes.init)] {
            model.extend(items.iter().flat_map(|item| [flag.to_owned(), item.clone()]));
        }
        Ok(Commands { program, model, time })
    }

    /// The command that prints the model file.
    pub(super) fn show(&self) -> String {
        format!("polhode show {}", quoted(&self.model[0]))
    }

    /// The command as it is typed.
    pub(super) fn shown(&self, name: &str, flags: &[&str]) -> String {
        let words = self.model.iter().map(String::as_str).chain(flags.iter().copied()).map(quoted);
        format!("polhode {name} {}", words.collect::<Vec<_>>().join(" "))
    }

    /// What a command prints, or a sentence about why it does not.
    pub(super) fn answer(&self, name: &str, flags: &[&str]) -> Result<String, String> {
        let mut child = Command::new(&self.program)
            .arg(name)
            .args(self.model.iter().map(OsString::from).chain(flags.iter().map(OsString::from)))
            .env("COLUMNS", WIDTH)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|e| format!("this could not be computed: {e}"))?;
        let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
        let until = Instant::now() + self.time;
        std::thread::scope(|scope| {
            let said = scope.spawn(move || read(stdout));
            let complained = scope.spawn(move || read(stderr));
            let status = loop {
                match child.try_wait() {
                    Ok(Some(status)) => break Some(status),
                    Ok(None) if Instant::now() < until => std::thread::sleep(LOOK),
                    _ => {
                        let _ = child.kill();
                        let _ = child.wait();
                        break None;
                    }
                }
            };
            let (said, complained) = (said.join().unwrap_or_default(), complained.join().unwrap_or_default());
            match status {
                None => Err(format!("left out: it took longer than {} s (--time-limit)", self.time.as_secs())),
                // a run that stopped early has something to show all the same
                Some(status) if status.success() || !said.trim().is_empty() => Ok(said),
                Some(_) => Err(complained.trim().trim_start_matches("error: ").to_owned()),
            }
        })
    }
}

/// A word as a shell takes it.
fn quoted(word: &str) -> String {
    let plain = word.chars().all(|c| c.is_ascii_alphanumeric() || "-_./=,:+".contains(c));
    if plain { word.to_owned() } else { format!("\"{word}\"") }
}

fn read(pipe: Option<impl Read>) -> String {
    let mut bytes = Vec::new();
    if let Some(mut pipe) = pipe {
        let _ = pipe.read_to_end(&mut bytes);
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
