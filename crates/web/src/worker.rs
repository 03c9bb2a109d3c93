//! What a worker does: one request about a model from text to text.
//!
//! ```text
//! {"ask": "model" | "run" | "equations" | "facts", "request": {…}}   →   status, newline, document
//! ```

use crate::document::{self, Mistaken, Wish};
use polhode::mechanics::Form;
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// Memory of a worker, in bytes.
pub const MEMORY: u64 = 1 << 30;

/// Time for one answer.
pub const TIME: Duration = Duration::from_secs(10);

/// The part of its time that a worker may spend on the motion: what it has then is an answer, if not the whole one.
const RUNNING: f64 = 0.6;

/// Gives this process at most so much memory, and processor time beyond its budget; after that it ends by itself. Where the system has no such
/// limits, the server's clock is the only one.
pub fn limit(memory: u64, time: Duration) {
    #[cfg(unix)]
    {
        let seconds = time.as_secs() + 2;
        let _ = rlimit::setrlimit(rlimit::Resource::AS, memory, memory);
        let _ = rlimit::setrlimit(rlimit::Resource::CPU, seconds, seconds);
        // a crash is told by its exit status
        let _ = rlimit::setrlimit(rlimit::Resource::CORE, 0, 0);
    }
    #[cfg(not(unix))]
    let _ = (memory, time);
}

/// The request for a worker.
pub(crate) fn request(ask: &str, request: &Value) -> String {
    json!({ "ask": ask, "request": request }).to_string()
}

/// The answer to a request: a status and a document.
pub fn answer(input: &str, time: Duration) -> String {
    let begin = Instant::now();
    let (status, document) = match serde_json::from_str::<Value>(input) {
        Ok(input) => answered(&input, begin + time.mul_f64(RUNNING)),
        Err(_) => (400, json!({ "error": "the request is no JSON" })),
    };
    format!("{status}\n{document}")
}

fn answered(input: &Value, deadline: Instant) -> (u16, Value) {
    let request = &input["request"];
    let mut wish = match Wish::from_json(request) {
        Ok(wish) => wish,
        Err(bad) => return (400, json!({ "error": bad.to_string() })),
    };
    wish.deadline = Some(deadline);
    let found = match input["ask"].as_str() {
        Some("model") => document::page_document(&wish),
        Some("run") => document::recorded_document(&wish),
        Some("facts") => document::facts_document(&wish),
        Some("equations") => {
            let form = request["form"].as_str().unwrap_or(Form::Voronets.name());
            match form.parse() {
                Ok(form) => document::equations_document(&wish, form),
                Err(()) => return (400, json!({ "error": format!("there is no form `{form}`") })),
            }
        }
        _ => return (404, json!({ "error": "nothing of this name can be asked" })),
    };
    (200, found.unwrap_or_else(|mistaken: Mistaken| mistaken.document(&wish)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask(what: &str, request: Value) -> (u16, Value) {
        let text = answer(&super::request(what, &request), Duration::from_secs(600));
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
        assert!(answer("}{", TIME).starts_with("400\n"));
    }
}
