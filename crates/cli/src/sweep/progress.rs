//! A bar for sweeps, and Ctrl-C.

use std::io::{IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Sweeps shorter than this have no bar.
const PATIENCE: Duration = Duration::from_millis(400);

/// Time between two pictures of the bar.
const REFRESH: Duration = Duration::from_millis(100);

/// Characters of the bar.
const WIDTH: usize = 30;

/// Set by Ctrl-C, and when there is nothing more to do.
static STOP: AtomicBool = AtomicBool::new(false);

/// Begins to listen to Ctrl-C: what tells motions to stop.
pub(super) fn listen() -> &'static AtomicBool {
    // Without a handler Ctrl-C ends the program at once, as everywhere.
    let _ = ctrlc::set_handler(|| STOP.store(true, Ordering::Relaxed));
    &STOP
}

/// Follows a sweep.
pub(super) struct Progress {
    total: u64,
    /// Motions that were there at the beginning.
    before: u64,
    visible: bool,
    begin: Instant,
    shown: Option<Instant>,
}

impl Progress {
    /// Nothing is shown when standard error is no terminal, or beside JSON.
    pub(super) fn new(total: u64, before: u64, silent: bool) -> Progress {
        let visible = std::io::stderr().is_terminal() && !silent;
        Progress { total, before, visible, begin: Instant::now(), shown: None }
    }

    /// So many are done, of which some were there before.
    pub(super) fn done(&mut self, done: u64) {
        let due = self.begin.elapsed() > PATIENCE && self.shown.is_none_or(|last| last.elapsed() > REFRESH);
        if self.visible && due {
            self.shown = Some(Instant::now());
            self.draw(done);
        }
    }

    fn draw(&self, done: u64) {
        let part = done as f64 / self.total.max(1) as f64;
        let full = (part * WIDTH as f64) as usize;
        let passed = self.begin.elapsed().as_secs_f64();
        let made = (done - self.before) as f64;
        let left = if made > 0.0 {
            format!("{} left", duration(passed * (self.total - done) as f64 / made))
        } else {
            String::new()
        };
        let bar = format!("{}{}", "━".repeat(full), "─".repeat(WIDTH - full.min(WIDTH)));
        let _ = write!(
            std::io::stderr(),
            "\r\x1b[2K  {bar} {:3.0} %  {done} of {} motions  {left}  (Ctrl-C keeps what is done)",
            100.0 * part,
            self.total
        );
        let _ = std::io::stderr().flush();
    }

    /// Takes the bar away.
    pub(super) fn end(&self) {
        if self.shown.is_some() {
            let _ = write!(std::io::stderr(), "\r\x1b[2K");
        }
    }
}

/// A time as people say it.
pub(super) fn duration(seconds: f64) -> String {
    match seconds {
        s if s < 0.1 => format!("{:.1} ms", 1e3 * s),
        s if s < 100.0 => format!("{s:.1} s"),
        s if s < 6000.0 => format!("{:.0} min", s / 60.0),
        s => format!("{:.1} h", s / 3600.0),
    }
}
