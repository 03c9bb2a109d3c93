//! Requests about models are answered by worker processes, each with its time and its memory.
//!
//! A text can ask for equations that nobody has the memory for, and a run for a million steps. A worker is this program again: it reads
//! requests from its standard input and writes answers to its standard output (`frame`). It is ended when its time is over, when the client has gone, and by
//! itself when it needs more memory than it may have or the server is no more; the server goes on in all cases. At most [`AT_ONCE`] run at once, and at most
//! [`WAITING`] requests wait for one.
//!
//! A worker knows one text. It is kept after its answer, with the equations that it has derived, and is asked again about the same text alone; at most
//! [`KEPT`] wait so, and the one that waited longest makes room. One that breaks down while it was kept is replaced by a fresh one, so that nobody is
//! refused for what others asked before.

use crate::frame;
use std::ffi::OsString;
use std::io::{BufReader, Read};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Workers at once.
pub(crate) const AT_ONCE: usize = 2;

/// Requests that wait for a worker.
pub(crate) const WAITING: usize = 8;

/// Workers that wait for the next request about their text.
const KEPT: usize = 2;

/// Most bytes of an answer, and of what a worker says on standard error.
const MOST_ANSWER: u64 = 64 * 1024 * 1024;
const MOST_COMPLAINT: u64 = 64 * 1024;

/// Time between two looks at the clock and at the client.
const LOOK: Duration = Duration::from_millis(20);

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

/// What a worker is asked, and the text that it is about if it shall be kept for that.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Question<'a> {
    pub(crate) request: &'a str,
    pub(crate) about: Option<&'a str>,
}

#[derive(Debug, Default)]
struct Load {
    running: usize,
    waiting: usize,
    /// Workers with nothing to do and the texts that they know, those that waited longest first.
    kept: Vec<(String, Worker)>,
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

    /// The answer to a question, which waits for its turn first. `gone` says whether the client has gone.
    pub(crate) fn ask(&self, question: Question<'_>, gone: &dyn Fn() -> bool) -> Result<String, NoAnswer> {
        let _turn = self.turn(gone)?;
        let until = Instant::now() + self.budget.time;
        if let Some(mut worker) = question.about.and_then(|about| self.kept(about)) {
            match worker.ask(question.request, until, gone) {
                // it had less room and a longer life than a fresh one
                Err(NoAnswer::Memory | NoAnswer::Crash) => {}
                found => return self.keep(worker, question.about, found),
            }
        }
        let mut worker = Worker::start(&self.budget.command).ok_or(NoAnswer::Crash)?;
        let found = worker.ask(question.request, until, gone);
        self.keep(worker, question.about, found)
    }

    fn load(&self) -> MutexGuard<'_, Load> {
        self.load.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A worker that knows the text.
    fn kept(&self, about: &str) -> Option<Worker> {
        let kept = &mut self.load().kept;
        let place = kept.iter().position(|(known, _)| known == about)?;
        Some(kept.remove(place).1)
    }

    /// Keeps a worker that has answered.
    fn keep(&self, worker: Worker, about: Option<&str>, found: Result<String, NoAnswer>) -> Result<String, NoAnswer> {
        if let (Ok(_), Some(about)) = (&found, about) {
            let mut load = self.load();
            load.kept.push((about.to_owned(), worker));
            let more = load.kept.len().saturating_sub(KEPT);
            let ended: Vec<_> = load.kept.drain(..more).collect();
            drop(load);
            drop(ended);
        }
        found
    }

    fn turn(&self, gone: &dyn Fn() -> bool) -> Result<Turn<'_>, NoAnswer> {
        let mut load = self.load();
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
        self.0.load().running -= 1;
        self.0.free.notify_one();
    }
}

/// A process that answers, with what comes out of it.
#[derive(Debug)]
struct Worker {
    child: Child,
    stdin: ChildStdin,
    answers: Receiver<String>,
    complaint: Option<JoinHandle<Vec<u8>>>,
}

impl Worker {
    fn start(command: &[OsString]) -> Option<Worker> {
        let [program, arguments @ ..] = command else { return None };
        let piped = Command::new(program)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn();
        let mut child = piped.ok()?;
        let (stdin, stdout, stderr) = (child.stdin.take()?, child.stdout.take()?, child.stderr.take()?);
        // pipes hold little: both are read all the time, or both sides wait for each other
        let (send, answers) = channel();
        std::thread::spawn(move || {
            let mut stdout = BufReader::new(stdout);
            while let Some(answer) = frame::read(&mut stdout, MOST_ANSWER) {
                if send.send(answer).is_err() {
                    return;
                }
            }
        });
        let complaint = std::thread::spawn(move || {
            let mut bytes = Vec::new();
            let mut stderr = stderr;
            let _ = (&mut stderr).take(MOST_COMPLAINT).read_to_end(&mut bytes);
            let _ = std::io::copy(&mut stderr, &mut std::io::sink());
            bytes
        });
        Some(Worker { child, stdin, answers, complaint: Some(complaint) })
    }

    /// The answer to one request; without one the worker has ended.
    fn ask(&mut self, request: &str, until: Instant, gone: &dyn Fn() -> bool) -> Result<String, NoAnswer> {
        let Worker { child, stdin, answers, .. } = self;
        let found = std::thread::scope(|scope| {
            // a worker that does not read must not keep us from looking at the clock
            scope.spawn(move || frame::write(stdin, request));
            let found = loop {
                match answers.recv_timeout(LOOK) {
                    Ok(answer) => break Ok(answer),
                    Err(RecvTimeoutError::Disconnected) => break Err(NoAnswer::Crash),
                    Err(RecvTimeoutError::Timeout) if Instant::now() >= until => break Err(NoAnswer::Time),
                    Err(RecvTimeoutError::Timeout) if gone() => break Err(NoAnswer::Gone),
                    Err(RecvTimeoutError::Timeout) => {}
                }
            };
            if found.is_err() {
                let _ = child.kill();
            }
            found
        });
        match found {
            Err(NoAnswer::Crash) if self.complained_about_memory() => Err(NoAnswer::Memory),
            found => found,
        }
    }

    /// What an ended worker said last.
    fn complained_about_memory(&mut self) -> bool {
        let _ = self.child.wait();
        let complaint = self.complaint.take().and_then(|c| c.join().ok()).unwrap_or_default();
        String::from_utf8_lossy(&complaint).contains("memory allocation")
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn workers(script: &str, time: u64) -> Workers {
        let command = ["sh", "-c", script].map(OsString::from).to_vec();
        Workers::new(Budget { command, time: Duration::from_millis(time) })
    }

    /// Milliseconds in which every machine has started a shell.
    const LONG: u64 = 600_000;

    fn once(request: &str) -> Question<'_> {
        Question { request, about: None }
    }

    /// A worker that answers with the number of its process.
    const WHO: &str = "me=$$; while read n; do head -c $n >/dev/null; printf '%d\\n%s' ${#me} $me; done";

    #[test]
    fn a_worker_is_asked_again_about_its_own_text_alone() {
        let workers = workers(WHO, LONG);
        let ask = |about: Option<&str>| workers.ask(Question { request: "{}", about }, &|| false).unwrap();
        let (a, b) = (ask(Some("a")), ask(Some("b")));
        assert_ne!(a, b);
        assert_eq!((ask(Some("a")), ask(Some("b")), ask(Some("a"))), (a.clone(), b.clone(), a.clone()));
        assert!(![&a, &b].contains(&&ask(None)));
        // the third takes the place of the one that waited longest
        let c = ask(Some("c"));
        assert_ne!(ask(Some("b")), b);
        assert_eq!(ask(Some("c")), c);
    }

    #[test]
    fn a_kept_worker_that_breaks_down_is_replaced() {
        let workers = workers("read n; head -c $n >/dev/null; printf '2\\nok'; read n; exit 3", LONG);
        let ask = || workers.ask(Question { request: "{}", about: Some("a") }, &|| false);
        assert_eq!((ask(), ask(), ask()), (Ok("ok".into()), Ok("ok".into()), Ok("ok".into())));
    }

    #[test]
    fn a_worker_answers_what_it_is_asked() {
        let large = "x".repeat(300_000);
        assert_eq!(workers("cat", LONG).ask(once(&large), &|| false).unwrap(), large);
    }

    #[test]
    fn a_worker_that_fails_takes_nothing_with_it() {
        let ask = |script: &str, time| workers(script, time).ask(once("{}"), &|| false).unwrap_err();
        assert_eq!(ask("exec sleep 60", 100), NoAnswer::Time);
        assert_eq!(ask("echo 'memory allocation of 9 bytes failed' >&2; kill -6 $$", LONG), NoAnswer::Memory);
        assert_eq!(ask("exit 3", LONG), NoAnswer::Crash);
        assert_eq!(ask("kill -9 $$", LONG), NoAnswer::Crash);
        let nowhere = Budget { command: vec!["/nowhere/at/all".into()], time: Duration::from_secs(1) };
        assert_eq!(Workers::new(nowhere).ask(once("{}"), &|| false), Err(NoAnswer::Crash));
        assert_eq!(workers("exec sleep 60", 60_000).ask(once("{}"), &|| true), Err(NoAnswer::Gone));
    }

    /// Those who are turned away know it at once; the others are answered when the file is there that workers wait for.
    #[test]
    fn only_some_wait() {
        let go = std::env::temp_dir().join(format!("polhode-workers-{}", std::process::id()));
        let busy = workers(&format!("while [ ! -e '{}' ]; do sleep 0.01; done; exit 3", go.display()), LONG);
        let answers: Vec<NoAnswer> = std::thread::scope(|scope| {
            let ask = || busy.ask(once("{}"), &|| false).unwrap_err();
            let all: Vec<_> = (0..AT_ONCE + WAITING + 3).map(|_| scope.spawn(ask)).collect();
            while all.iter().filter(|a| a.is_finished()).count() < 3 {
                std::thread::sleep(Duration::from_millis(10));
            }
            std::fs::write(&go, "").unwrap();
            all.into_iter().map(|a| a.join().unwrap()).collect()
        });
        std::fs::remove_file(&go).unwrap();
        let count = |kind| answers.iter().filter(|a| **a == kind).count();
        assert_eq!((count(NoAnswer::Busy), count(NoAnswer::Crash)), (3, AT_ONCE + WAITING));
    }
}
