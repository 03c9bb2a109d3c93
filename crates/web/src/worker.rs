//! What a worker does: requests about a model, from text to text.
//!
//! ```text
//! {"ask": "model" | "run" | "equations" | "facts", "request": {…}}   →   status, newline, document
//! ```

use crate::document::{self, Mistaken, Warm, Wish};
use crate::frame;
use polhode::mechanics::Form;
use serde_json::{Value, json};
use std::io::{self, BufReader, Read, Write};
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// Memory of a worker, in bytes.
pub const MEMORY: u64 = 1 << 30;

/// Time for one answer.
pub const TIME: Duration = Duration::from_secs(10);

/// The part of its time that a worker may spend on the motion: what it has then is an answer, if not the whole one.
const RUNNING: f64 = 0.6;

/// The same for facts, which are looked for beside the motion.
const LOOKING: f64 = 0.85;

/// How much longer than its time an answer may take before the worker ends by itself; the server ends it earlier.
const GRACE: Duration = Duration::from_secs(2);

/// Most bytes of a request: that of a page, with a text around it.
const MOST_REQUEST: u64 = 8 * 1024 * 1024;

/// Gives this process at most so much memory; with more it ends by itself. Where the system has no such limits, nothing does that.
pub fn limit(memory: u64) {
    #[cfg(unix)]
    {
        let _ = rlimit::setrlimit(rlimit::Resource::AS, memory, memory);
        // a crash is told by its exit status
        let _ = rlimit::setrlimit(rlimit::Resource::CORE, 0, 0);
    }
    #[cfg(not(unix))]
    let _ = memory;
}

/// Answers requests until there are no more of them, and ends the process then: at once, also in the middle of an answer that nobody waits for.
pub fn serve(input: impl Read + Send + 'static, output: &mut impl Write, time: Duration) -> io::Result<()> {
    let (send, requests) = channel();
    std::thread::spawn(move || {
        let mut input = BufReader::new(input);
        while let Some(request) = frame::read(&mut input, MOST_REQUEST) {
            if send.send(request).is_err() {
                return;
            }
        }
        std::process::exit(0);
    });
    let clock = Clock::start();
    let mut worker = Worker::default();
    for request in requests {
        clock.set(Some(Instant::now() + time + GRACE));
        let answer = worker.answer(&request, time);
        clock.set(None);
        frame::write(output, &answer)?;
    }
    Ok(())
}

/// Ends the process when an answer takes too long and the server does not.
#[derive(Clone)]
struct Clock(Arc<Mutex<Option<Instant>>>);

impl Clock {
    fn start() -> Clock {
        let clock = Clock(Arc::default());
        let watched = clock.clone();
        std::thread::spawn(move || {
            while watched.0.lock().is_ok_and(|end| end.is_none_or(|end| Instant::now() < end)) {
                std::thread::sleep(GRACE / 4);
            }
            std::process::exit(1);
        });
        clock
    }

    fn set(&self, end: Option<Instant>) {
        if let Ok(mut own) = self.0.lock() {
            *own = end;
        }
    }
}

/// The request for a worker.
pub(crate) fn request(ask: &str, request: &Value) -> String {
    json!({ "ask": ask, "request": request }).to_string()
}

/// Answers requests, and keeps what it derived for the next one.
#[derive(Debug, Default)]
pub struct Worker {
    warm: Warm,
}

impl Worker {
    /// The answer to a request: a status and a document.
    pub fn answer(&mut self, input: &str, time: Duration) -> String {
        let begin = Instant::now();
        let (status, document) = match serde_json::from_str::<Value>(input) {
            Ok(input) => {
                let part = if input["ask"] == "facts" { LOOKING } else { RUNNING };
                self.answered(&input, begin + time.mul_f64(part))
            }
            Err(_) => (400, json!({ "error": "the request is no JSON" })),
        };
        format!("{status}\n{document}")
    }

    fn answered(&mut self, input: &Value, deadline: Instant) -> (u16, Value) {
        let request = &input["request"];
        let mut wish = match Wish::from_json(request) {
            Ok(wish) => wish,
            Err(bad) => return (400, json!({ "error": bad.to_string() })),
        };
        wish.deadline = Some(deadline);
        if input["ask"] == "run" {
            wish = wish.following();
        }
        let found = match input["ask"].as_str() {
            Some("model") => self.warm.page_document(&wish),
            Some("run") if request["place"] == true => match Wish::unchanged(request) {
                Ok(engine) => self.warm.placed_document(&wish, &engine),
                Err(bad) => return (400, json!({ "error": bad.to_string() })),
            },
            Some("run") => self.warm.recorded_document(&wish),
            Some("facts") => document::facts_document(&wish),
            Some("equations") => {
                let form = request["form"].as_str().unwrap_or(Form::Voronets.name());
                match form.parse::<Form>() {
                    Ok(form) => document::equations_document(&wish, form),
                    Err(unknown) => return (400, json!({ "error": unknown.to_string() })),
                }
            }
            _ => return (404, json!({ "error": "nothing of this name can be asked" })),
        };
        (200, found.unwrap_or_else(|mistaken: Mistaken| mistaken.document(&wish)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask(what: &str, request: Value) -> (u16, Value) {
        asked(&mut Worker::default(), what, request)
    }

    fn asked(worker: &mut Worker, what: &str, request: Value) -> (u16, Value) {
        let text = worker.answer(&super::request(what, &request), Duration::from_secs(600));
        let (status, document) = text.split_once('\n').unwrap();
        (status.parse().unwrap(), serde_json::from_str(document).unwrap())
    }

    #[test]
    fn a_model_is_answered_with_its_document() {
        let (status, document) = ask("model", json!({ "name": "rolling-disk", "until": 1 }));
        assert_eq!((status, &document["ok"]), (200, &json!(true)));
        assert_eq!(document["summary"], "5 coordinates · 2 constraints · 3 degrees of freedom");
        assert_eq!(document["until"].as_f64(), Some(1.0));
        assert!(document["recorded"]["count"].as_u64().unwrap() >= 601);
    }

    #[test]
    fn mistakes_are_answered_with_their_places() {
        let text = "[coordinates]\nx = \"real\"\n[lagrangian]\nkinetic = \"m/2*x'^2\"\n";
        let (status, document) = ask("model", json!({ "text": text }));
        assert_eq!((status, &document["ok"]), (200, &json!(false)));
        let first = &document["diagnostics"][0];
        assert_eq!((&first["code"], &first["line"], &first["column"]), (&json!("unknown-name"), &json!(4), &json!(12)));
        let (_, document) = ask("model", json!({ "name": "rolling-disk", "set": { "r": -1 } }));
        assert_eq!(document["format"], 1);
        let (_, document) = ask("model", json!({ "name": "rolling-disk", "start": { "thta": 1 } }));
        assert_eq!((&document["ok"], &document["diagnostics"][0]["line"]), (&json!(false), &Value::Null));
    }

    #[test]
    fn a_model_without_a_start_says_so() {
        let text = "[coordinates]\nx = \"real\"\n[lagrangian]\nkinetic = \"x'^2\"\n";
        let (_, document) = ask("model", json!({ "text": text }));
        assert_eq!(document["diagnostics"][0]["code"], "no-initial-state");
    }

    #[test]
    fn what_is_no_request_is_refused() {
        assert_eq!(ask("model", json!({ "name": "nothing" })).0, 400);
        assert_eq!(ask("equations", json!({ "name": "suslov", "form": "newton" })).0, 400);
        assert_eq!(ask("everything", json!({ "name": "suslov" })).0, 404);
        assert!(Worker::default().answer("}{", TIME).starts_with("400\n"));
    }

    #[test]
    fn a_worker_that_knows_the_text_answers_as_a_fresh_one() {
        // a start that follows a parameter, a wall, modes that are entered on the way, numbers that are refused, and other texts in between
        let wishes = [
            (true, json!({ "name": "ball-in-cylinder", "until": 1 })),
            (true, json!({ "name": "ball-in-cylinder", "set": { "W": 1.4 }, "until": 1 })),
            (true, json!({ "name": "ball-rough-wall", "until": 2 })),
            (true, json!({ "name": "ball-rough-wall", "set": { "restitution": 0.5 }, "until": 2 })),
            (true, json!({ "name": "ball-rough-wall", "set": { "alpha": 0.7 }, "until": 2 })),
            (true, json!({ "name": "tippe-top", "until": 0.5 })),
            (true, json!({ "name": "tippe-top", "set": { "s": 140 }, "until": 0.5 })),
            (true, json!({ "name": "tippe-top", "set": { "mu": 0.2 }, "until": 0.5 })),
            (true, json!({ "name": "rolling-disk", "set": { "r": 0.5 }, "until": 1 })),
            (true, json!({ "name": "rolling-disk", "set": { "r": 0.6 }, "start": { "theta": 0.9 }, "until": 1 })),
            (false, json!({ "name": "rolling-disk", "start": { "theta": 9 }, "until": 1 })),
            (false, json!({ "name": "rolling-disk", "set": { "q": 1 }, "until": 1 })),
            (true, json!({ "name": "rolling-disk", "set": { "r": 0.6 }, "until": 1 })),
        ];
        let mut worker = Worker::default();
        for (accepted, wish) in wishes {
            let (own, fresh) = (asked(&mut worker, "run", wish.clone()), ask("run", wish.clone()));
            assert_eq!(own.1["recorded"].is_object(), accepted, "{wish}: {}", own.1["diagnostics"]);
            assert_eq!(own, fresh, "{wish}");
        }
        assert_eq!(worker.warm.reused(), 7);
    }

    #[test]
    fn a_page_with_an_engine_is_told_where_the_bodies_are() {
        let mut worker = Worker::default();
        for (model, changes) in [
            ("rattleback", json!({ "start": { "touching[1]": 0.5, "Omega[1]": 0.25 } })),
            ("ball-in-cylinder", json!({ "set": { "W": 1.4 } })),
            ("ball-on-ball", json!({ "start": { "lower.touching[1]": 0.1 } })),
        ] {
            let mut wish = changes;
            (wish["name"], wish["until"]) = (json!(model), json!(0.01));
            let whole = asked(&mut worker, "run", wish.clone()).1;
            wish["place"] = json!(true);
            let placed = asked(&mut worker, "run", wish.clone()).1;
            assert!(placed["recorded"].is_null() && !placed["start"].as_object().unwrap().is_empty());
            assert_eq!(placed["placed"], whole["placed"], "{model}");
            let motion = document::Motion::of(&Wish::from_json(&wish).unwrap()).unwrap().trajectory;
            let columns = &motion.compiled().program.report.outputs;
            let told = columns.iter().enumerate().filter_map(|(k, c)| Some((k, placed["start"][&c.name].as_f64()?)));
            let told: Vec<(usize, f64)> = told.collect();
            assert!(told.len() >= 12, "{model}");
            for (k, x) in told {
                let first = motion.samples[0].number(k);
                assert!((x - first).abs() <= 1e-15 * x.abs().max(1.0), "{model}, {}: {x} {first}", columns[k].name);
            }
        }
    }

    #[test]
    fn where_the_equations_are_others_a_page_is_given_the_motion() {
        // with another sign they were derived otherwise
        let mut worker = Worker::default();
        let wish = json!({ "name": "rolling-disk", "set": { "g": -9.81 }, "until": 0.1, "place": true });
        let (_, answer) = asked(&mut worker, "run", wish);
        assert!(answer["recorded"].is_object() && answer["start"].is_null());
    }
}
