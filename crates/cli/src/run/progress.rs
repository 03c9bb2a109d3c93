//! A bar for long runs, and Ctrl-C.

use std::io::{IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Runs shorter than this have no bar.
const PATIENCE: Duration = Duration::from_millis(400);

/// Time between two pictures of the bar.
const REFRESH: Duration = Duration::from_millis(100);

/// Steps between two looks at the clock.
const STEPS: u32 = 64;

/// Characters of the bar.
const WIDTH: usize = 30;

/// Set by Ctrl-C.
static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// Follows a run.
pub(crate) struct Progress {
    until: f64,
    visible: bool,
    begin: Instant,
    shown: Option<Instant>,
    steps: u32,
}

impl Progress {
    /// Begins to listen to Ctrl-C. Nothing is shown when standard error is no terminal, or beside JSON.
    pub(crate) fn new(until: f64, silent: bool) -> Progress {
        // Without a handler Ctrl-C ends the program at once, as everywhere.
        let _ = ctrlc::set_handler(|| INTERRUPTED.store(true, Ordering::Relaxed));
        let visible = std::io::stderr().is_terminal() && !silent;
        Progress { until, visible, begin: Instant::now(), shown: None, steps: 0 }
    }

    /// A step reached this time. `false` after Ctrl-C.
    pub(crate) fn step(&mut self, t: f64) -> bool {
        self.steps += 1;
        if self.visible && self.steps.is_multiple_of(STEPS) && self.begin.elapsed() > PATIENCE {
            let due = self.shown.is_none_or(|last| last.elapsed() > REFRESH);
            if due {
                self.shown = Some(Instant::now());
                self.draw(t);
            }
        }
        !INTERRUPTED.load(Ordering::Relaxed)
    }

    fn draw(&self, t: f64) {
        let part = if self.until == 0.0 { 1.0 } else { (t / self.until).clamp(0.0, 1.0) };
        let full = (part * WIDTH as f64) as usize;
        let passed = self.begin.elapsed().as_secs_f64();
        let left = if part > 0.0 { format!("{:.0} s left", passed * (1.0 - part) / part) } else { String::new() };
        let bar = format!("{}{}", "━".repeat(full), "─".repeat(WIDTH - full));
        let _ = write!(
            std::io::stderr(),
            "\r\x1b[2K  {bar} {:3.0} %  t = {t:.4}  {left}  (Ctrl-C keeps what is done)",
            100.0 * part
        );
        let _ = std::io::stderr().flush();
    }

    /// Takes the bar away.
    pub(crate) fn end(&self) {
        if self.shown.is_some() {
            let _ = write!(std::io::stderr(), "\r\x1b[2K");
        }
    }
}
