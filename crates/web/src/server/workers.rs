//! Requests about models are answered by worker processes, each with its time and its memory.
//!
//! A text can ask for equations that nobody has the memory for, and a run for a million steps. A worker is this program again: it reads one
//! request from its standard input and writes one answer to its standard output. It is ended when its time is over, when the client has gone, and by
//! itself when it needs more memory than it may have; the server goes on in all cases. At most [`AT_ONCE`] run at once, and at most
//! [`WAITING`] requests wait for one.

use std::ffi::OsString;
use std::io::{Read, Write};
use std::process::{Child, Command, Stdio};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Workers at once.
pub(crate) const AT_ONCE: usize = 2;

/// Requests that wait for a worker.
pub(crate) const WAITING: usize = 8;

/// Most bytes of an answer, and of what a worker says on standard error.
const MOST_ANSWER: u64 = 64 * 1024 * 1024;
const MOST_COMPLAINT: u64 = 64 * 1024;

/// Time between two looks at a worker.
const LOOK: Duration = Duration::from_millis(4);

/// How workers are started, and what they may use.
#[derive(Clone, Debug)]
pub struct Budget {
    /// The program and its arguments.
    pub command: Vec<OsString>,
    /// Time for one answer.
    pub time: Duration,
}

/// Why there is no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NoAnswer {
    /// Too many requests wait already.
    Busy,
    /// Its time was over.
    Time,
    /// It needed too much memory.
    Memory,
    /// It ended without an answer.
    Crash,
    /// Nobody waits for the answer any more.
    Gone,
}

impl NoAnswer {
    /// Status and sentence.
    pub(crate) fn in_words(self, time: Duration) -> (u16, String) {
        match self {
            NoAnswer::Busy => (503, "too many requests at once; try again in a moment".into()),
            NoAnswer::Time => {
                let hint = "`polhode` on the command line has no such limit";
                (408, format!("this took longer than {} s and was ended; {hint}", time.as_secs_f64()))
            }
            NoAnswer::Memory => {
                (507, "this needed more memory than it may have and was ended; `polhode` on the command line has no such limit".into())
            }
            NoAnswer::Crash => (500, "the computation broke down; this is a mistake in polhode".into()),
            NoAnswer::Gone => (408, "nobody waited for the answer".into()),
        }
    }
}

#[derive(Debug, Default)]
struct Load {
    running: usize,
    waiting: usize,
}

/// The workers of a server.
#[derive(Debug)]
pub(crate) struct Workers {
    budget: Budget,
    load: Mutex<Load>,
    free: Condvar,
}

impl Workers {
    pub(crate) fn new(budget: Budget) -> Workers {
        Workers { budget, load: Mutex::default(), free: Condvar::new() }
    }

    /// The time of one answer.
    pub(crate) fn time(&self) -> Duration {
        self.budget.time
    }

    /// The answer to a request, which waits for its turn first. `gone` says whether the client has gone.
    pub(crate) fn ask(&self, request: &str, gone: &dyn Fn() -> bool) -> Result<String, NoAnswer> {
        let _turn = self.turn(gone)?;
        let [program, arguments @ ..] = &self.budget.command[..] else { return Err(NoAnswer::Crash) };
        let child = Command::new(program)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|_| NoAnswer::Crash)?;
        follow(child, request, Instant::now() + self.budget.time, gone)
    }

    fn turn(&self, gone: &dyn Fn() -> bool) -> Result<Turn<'_>, NoAnswer> {
        let mut load = self.load.lock().unwrap_or_else(PoisonError::into_inner);
        if load.running >= AT_ONCE && load.waiting >= WAITING {
            return Err(NoAnswer::Busy);
        }
        load.waiting += 1;
        while load.running >= AT_ONCE {
            let patience = Duration::from_millis(100);
            load = self.free.wait_timeout(load, patience).unwrap_or_else(PoisonError::into_inner).0;
            if gone() {
                load.waiting -= 1;
                return Err(NoAnswer::Gone);
            }
        }
        load.waiting -= 1;
        load.running += 1;
        Ok(Turn(self))
    }
}

/// A place among the workers that run.
struct Turn<'a>(&'a Workers);

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        self.0.load.lock().unwrap_or_else(PoisonError::into_inner).running -= 1;
        self.0.free.notify_one();
    }
}

/// Gives a worker its request and waits for the answer.
fn follow(mut child: Child, request: &str, until: Instant, gone: &dyn Fn() -> bool) -> Result<String, NoAnswer> {
    let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    std::thread::scope(|scope| {
        // pipes hold little: all three at once, or both sides wait for each other
        scope.spawn(move || stdin.map(|mut pipe| pipe.write_all(request.as_bytes())));
        let answer = scope.spawn(move || read(stdout, MOST_ANSWER));
        let complaint = scope.spawn(move || read(stderr, MOST_COMPLAINT));
        let ended = loop {
            match child.try_wait() {
                Ok(Some(status)) => break Ok(status),
                Ok(None) if Instant::now() >= until => break Err(NoAnswer::Time),
                Ok(None) if gone() => break Err(NoAnswer::Gone),
                Ok(None) => std::thread::sleep(LOOK),
                Err(_) => break Err(NoAnswer::Crash),
            }
        };
        if ended.is_err() {
            let _ = child.kill();
            let _ = child.wait();
        }
        let answer = answer.join().unwrap_or_default();
        let complaint = complaint.join().unwrap_or_default();
        match ended? {
            status if status.success() => String::from_utf8(answer).map_err(|_| NoAnswer::Crash),
            _ if String::from_utf8_lossy(&complaint).contains("memory allocation") => Err(NoAnswer::Memory),
            _ => Err(NoAnswer::Crash),
        }
    })
}

fn read(pipe: Option<impl Read>, most: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    if let Some(pipe) = pipe {
        let _ = pipe.take(most).read_to_end(&mut bytes);
    }
    bytes
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn workers(script: &str, time: u64) -> Workers {
        let command = ["sh", "-c", script].map(OsString::from).to_vec();
        Workers::new(Budget { command, time: Duration::from_millis(time) })
    }

    #[test]
    fn a_worker_answers_what_it_is_asked() {
        let large = "x".repeat(300_000);
        assert_eq!(workers("cat", 20_000).ask(&large, &|| false).unwrap(), large);
    }

    #[test]
    fn a_worker_that_fails_takes_nothing_with_it() {
        let ask = |script: &str, time| workers(script, time).ask("{}", &|| false).unwrap_err();
        assert_eq!(ask("exec sleep 60", 100), NoAnswer::Time);
        assert_eq!(ask("echo 'memory allocation of 9 bytes failed' >&2; kill -6 $$", 20_000), NoAnswer::Memory);
        assert_eq!(ask("exit 3", 20_000), NoAnswer::Crash);
        assert_eq!(ask("kill -9 $$", 20_000), NoAnswer::Crash);
        let nowhere = Budget { command: vec!["/nowhere/at/all".into()], time: Duration::from_secs(1) };
        assert_eq!(Workers::new(nowhere).ask("{}", &|| false), Err(NoAnswer::Crash));
        assert_eq!(workers("exec sleep 60", 60_000).ask("{}", &|| true), Err(NoAnswer::Gone));
    }

    #[test]
    fn only_some_wait() {
        let busy = workers("exec sleep 60", 1500);
        std::thread::scope(|scope| {
            let all: Vec<_> =
                (0..AT_ONCE + WAITING + 3).map(|_| scope.spawn(|| busy.ask("{}", &|| false).unwrap_err())).collect();
            std::thread::sleep(Duration::from_millis(500));
            let turned_away = all.iter().filter(|a| a.is_finished()).count();
            assert_eq!(turned_away, 3);
        });
    }
}
