//! What is where, behind the token.
//!
//! | path | method | answer |
//! | --- | --- | --- |
//! | `` | GET | the page |
//! | `api/catalogue` | GET | the built-in models |
//! | `picture/NAME` | GET | the picture of one |
//! | `api/model`, `api/run`, `api/equations`, `api/facts` | POST | what a worker says |
//!
//! Paths are looked up as they were sent: nothing is decoded and no file is opened, so that there is nothing to climb out of.

use super::guard::secret;
use super::http::{Answer, Request, Verb};
use super::workers::{Budget, Workers};
use crate::{catalogue, page, worker};
use serde_json::{Value, json};

/// What the page begins with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Opening {
    /// The gallery of the built-in models.
    Gallery,
    /// A built-in model.
    Builtin(String),
    /// A model file: its name and its text.
    File {
        /// What messages call it.
        name: String,
        /// The text.
        text: String,
    },
}

/// The name that the page has for the file that it was opened with.
const FILE: &str = "file";

/// What the page may do: run its one script, its engine, and ask this server.
fn policy(nonce: &str) -> String {
    format!(
        "default-src 'none'; script-src 'nonce-{nonce}' 'wasm-unsafe-eval'; style-src 'unsafe-inline'; \
         img-src 'self' data: blob:; font-src data:; connect-src 'self'; base-uri 'none'; form-action 'none'; \
         frame-ancestors 'none'"
    )
}

/// Everything that is answered.
#[derive(Debug)]
pub(crate) struct Routes {
    opening: Opening,
    workers: Workers,
}

impl Routes {
    pub(crate) fn new(opening: Opening, budget: Budget) -> Routes {
        Routes { opening, workers: Workers::new(budget) }
    }

    /// The answer to a request that was admitted; `gone` says whether its client has gone.
    pub(crate) fn answer(&self, request: &Request, path: &str, gone: &dyn Fn() -> bool) -> Answer {
        let nothing = || Answer::error(404, "there is nothing here");
        let post = request.verb == Verb::Post;
        match path {
            "" | "api/catalogue" if post => Answer::error(405, "this can only be read"),
            "" => self.page(),
            "api/catalogue" => Answer::json(200, catalogue::catalogue().to_string()),
            "api/model" | "api/run" | "api/equations" | "api/facts" if !post => {
                Answer::error(405, "this is asked with POST")
            }
            "api/model" | "api/run" | "api/equations" | "api/facts" => {
                self.ask(path.trim_start_matches("api/"), &request.body, gone)
            }
            _ => match path.strip_prefix("picture/").and_then(catalogue::picture) {
                Some(picture) if !post => {
                    Answer { status: 200, kind: picture.kind, body: picture.bytes.to_vec(), more: Vec::new() }
                }
                _ => nothing(),
            },
        }
    }

    fn page(&self) -> Answer {
        let data = match &self.opening {
            Opening::Gallery => json!({ "mode": "served", "start": "gallery" }),
            Opening::Builtin(name) => json!({ "mode": "served", "start": name }),
            Opening::File { .. } => json!({ "mode": "served", "start": FILE }),
        };
        let Ok(nonce) = secret() else { return Answer::error(500, "the system has no random numbers") };
        let more = vec![("Content-Security-Policy", policy(&nonce)), ("X-Frame-Options", "DENY".to_owned())];
        let body = page::with_data(&data).replacen("<script>", &format!("<script nonce=\"{nonce}\">"), 1).into_bytes();
        Answer { status: 200, kind: "text/html; charset=utf-8", body, more }
    }

    fn ask(&self, what: &str, body: &[u8], gone: &dyn Fn() -> bool) -> Answer {
        let Ok(mut request) = serde_json::from_slice::<Value>(body) else {
            return Answer::error(400, "the request is no JSON");
        };
        if let Opening::File { name, text } = &self.opening
            && request["name"] == FILE
        {
            request["name"] = json!(name);
            let own = request.get("text").is_some_and(Value::is_string);
            request["text"] = if own { request["text"].take() } else { json!(text) };
        }
        match self.workers.ask(&worker::request(what, &request), gone) {
            Ok(answer) => match answer.split_once('\n').map(|(status, text)| (status.parse(), text)) {
                Some((Ok(status), text)) => Answer::json(status, text.to_owned()),
                _ => Answer::error(500, "the computation gave no answer; this is a mistake in polhode"),
            },
            Err(why) => {
                let (status, sentence) = why.in_words(self.workers.time());
                Answer::error(status, &sentence)
            }
        }
    }
}
