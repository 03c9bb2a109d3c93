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
use super::workers::{Budget, NoAnswer, Question, Workers};
use crate::{catalogue, page, worker};
use serde_json::{Value, json};
use std::sync::OnceLock;

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
    /// What is changed in the model it begins with.
    given: Value,
    workers: Workers,
    /// What a worker says about the model that the page begins with: it is asked before the page asks.
    first: OnceLock<Result<String, NoAnswer>>,
}

impl Routes {
    pub(crate) fn new(opening: Opening, given: Value, budget: Budget) -> Routes {
        Routes { opening, given, workers: Workers::new(budget), first: OnceLock::new() }
    }

    /// Asks for the model that the page begins with, which is then there when the page wants it.
    pub(crate) fn prepare(&self) {
        if let Some(request) = self.first_request() {
            self.first_answer(&request);
        }
    }

    /// What the page asks for at first.
    fn first_request(&self) -> Option<Value> {
        match &self.opening {
            Opening::Gallery => None,
            Opening::Builtin(name) => Some(json!({ "name": name })),
            Opening::File { .. } => Some(json!({ "name": FILE })),
        }
    }

    /// Its answer; whoever comes while it is computed waits for it.
    fn first_answer(&self, request: &Value) -> &Result<String, NoAnswer> {
        self.first.get_or_init(|| self.asked("model", request.clone(), &|| false))
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
        let start = match &self.opening {
            Opening::Gallery => "gallery",
            Opening::Builtin(name) => name,
            Opening::File { .. } => FILE,
        };
        let Ok(nonce) = secret() else { return Answer::error(500, "the system has no random numbers") };
        let more = vec![
            ("Content-Security-Policy", policy(&nonce)),
            ("X-Frame-Options", "DENY".to_owned()),
            // whoever opened it keeps no hold of its window
            ("Cross-Origin-Opener-Policy", "same-origin".to_owned()),
        ];
        let mut body = page::with_data(&json!({ "mode": "served", "start": start }));
        body = body.replacen("<script>", &format!("<script nonce=\"{nonce}\">"), 1);
        if let Some(request) = self.first_request() {
            body = body.replacen("<head>", &format!("<head><script nonce=\"{nonce}\">{}</script>", early(&request)), 1);
        }
        Answer { status: 200, kind: "text/html; charset=utf-8", body: body.into_bytes(), more }
    }

    fn ask(&self, what: &str, body: &[u8], gone: &dyn Fn() -> bool) -> Answer {
        let Ok(request) = serde_json::from_slice::<Value>(body) else {
            return Answer::error(400, "the request is no JSON");
        };
        let first = self.first_request().filter(|first| what == "model" && *first == request);
        // a failure may have had to do with the moment: it is no answer to those who try again
        let ready = first.and_then(|first| self.first_answer(&first).clone().ok());
        match ready.map_or_else(|| self.asked(what, request, gone), Ok) {
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

    /// What a worker answers.
    fn asked(&self, what: &str, mut request: Value, gone: &dyn Fn() -> bool) -> Result<String, NoAnswer> {
        // formulas are what the command line gives: a page has numbers
        if let Some(request) = request.as_object_mut() {
            request.remove("given");
        }
        let own = self.first_request().is_some_and(|first| first["name"] == request["name"]);
        if own && !self.given.is_null() {
            request["given"] = self.given.clone();
        }
        if let Opening::File { name, text } = &self.opening
            && request["name"] == FILE
        {
            request["name"] = json!(name);
            let own = request.get("text").is_some_and(Value::is_string);
            request["text"] = if own { request["text"].take() } else { json!(text) };
        }
        // motions are asked for again and again; equations and facts once, and they leave much behind
        let about = matches!(what, "model" | "run").then(|| json!([request["name"], request["text"]]).to_string());
        self.workers.ask(Question { request: &worker::request(what, &request), about: about.as_deref() }, gone)
    }
}

/// A script that asks for the first model while the page is still on its way.
fn early(request: &Value) -> String {
    let body = json!(request.to_string()).to_string().replace('<', "\\u003c");
    format!(
        "window.polhodeFirst={{body:{body},answer:fetch('api/model',{{method:'POST',\
         headers:{{'content-type':'application/json'}},body:{body}}})}};polhodeFirst.answer.catch(()=>{{}})"
    )
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::time::Duration;

    /// What a worker is asked when a page asks this.
    fn question(opening: Opening, given: Value, request: Value) -> Value {
        let command = ["sh", "-c", "cat"].map(Into::into).to_vec();
        let routes = Routes::new(opening, given, Budget { command, time: Duration::from_secs(600) });
        let echo = routes.asked("run", request, &|| false).expect("an echo");
        serde_json::from_str::<Value>(&echo).expect("JSON")["request"].clone()
    }

    #[test]
    fn formulas_are_given_by_the_command_line_alone() {
        let disk = || Opening::Builtin("rolling-disk".to_owned());
        let own = json!({ "set": [["r", "1/2"]], "init": [], "until": null });
        let sent = json!({ "set": [["r", "1+".repeat(100_000)]] });
        let asked = |name: &str| json!({ "name": name, "set": { "g": 2 }, "given": sent.clone() });
        let plain = |name: &str| json!({ "name": name, "set": { "g": 2 } });
        assert_eq!(question(disk(), Value::Null, asked("rolling-disk")), plain("rolling-disk"));
        assert_eq!(question(disk(), own.clone(), asked("suslov")), plain("suslov"));
        assert_eq!(question(disk(), own.clone(), asked("rolling-disk"))["given"], own);
        assert_eq!(question(Opening::Gallery, Value::Null, asked("suslov")), plain("suslov"));
        let file = Opening::File { name: "mine".to_owned(), text: "title = \"x\"".to_owned() };
        assert_eq!(question(file, Value::Null, asked(FILE))["given"], Value::Null);
        assert_eq!(question(disk(), own, json!([1])), json!([1]));
    }
}
