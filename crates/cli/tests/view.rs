//! `polhode view` through its socket: what it answers, what it refuses, and that nothing takes it down.

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;

fn polhode(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_polhode")).args(arguments).output().expect("the program runs")
}

/// A server of its own; it ends with the test.
struct Server {
    child: Child,
    port: u16,
    token: String,
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// An answer: status, headers, body.
#[derive(Debug)]
struct Answer {
    status: u16,
    head: String,
    body: Vec<u8>,
}

impl Answer {
    fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|e| panic!("{e}: {}", String::from_utf8_lossy(&self.body)))
    }

    fn error(&self) -> String {
        self.json()["error"].as_str().expect("a sentence").to_owned()
    }
}

/// A server that has not answered by then is stuck, on the slowest of machines.
const PATIENCE: Duration = Duration::from_secs(600);

impl Server {
    fn start(arguments: &[&str]) -> Server {
        let mut child = Command::new(env!("CARGO_BIN_EXE_polhode"))
            .args(["view", "--no-open"])
            .args(arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the program runs");
        let mut line = String::new();
        let mut out = BufReader::new(child.stdout.take().expect("a pipe"));
        out.read_line(&mut line).expect("an address");
        let rest = line.trim().strip_prefix("http://127.0.0.1:").unwrap_or_else(|| panic!("{line}"));
        let (port, token) = rest.trim_end_matches('/').split_once('/').expect("a token");
        Server { port: port.parse().expect("a port"), token: token.to_owned(), child }
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(("127.0.0.1", self.port)).expect("the server listens");
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream
    }

    /// Sends bytes as they are.
    fn raw(&self, bytes: &[u8]) -> Answer {
        let mut stream = self.connect();
        // a server that refuses early may close before everything is sent
        let _ = stream.write_all(bytes);
        read(&mut stream)
    }

    fn request(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Answer {
        let mut text = format!("{method} {path} HTTP/1.1\r\n");
        if !headers.iter().any(|(n, _)| *n == "Host") {
            text += &format!("Host: 127.0.0.1:{}\r\n", self.port);
        }
        headers.iter().for_each(|(name, value)| text += &format!("{name}: {value}\r\n"));
        if method == "POST" {
            text += &format!("Content-Type: application/json\r\nContent-Length: {}\r\n", body.len());
        }
        self.raw(format!("{text}\r\n{body}").as_bytes())
    }

    fn get(&self, path: &str) -> Answer {
        self.request("GET", &format!("/{}/{path}", self.token), &[], "")
    }

    fn post(&self, path: &str, body: &Value) -> Answer {
        self.request("POST", &format!("/{}/{path}", self.token), &[], &body.to_string())
    }
}

fn read(stream: &mut TcpStream) -> Answer {
    let mut bytes = Vec::new();
    let _ = stream.read_to_end(&mut bytes);
    let end = bytes.windows(4).position(|w| w == b"\r\n\r\n").unwrap_or_else(|| panic!("no answer: {bytes:?}"));
    let head = String::from_utf8(bytes[..end].to_vec()).expect("text");
    let status = head.split(' ').nth(1).and_then(|s| s.parse().ok()).expect("a status");
    Answer { status, head, body: bytes[end + 4..].to_vec() }
}

/// The numbers behind `{"f64": base64}`.
fn doubles(value: &Value) -> Vec<f64> {
    let digit = |b: u8| match b {
        b'A'..=b'Z' => b - b'A',
        b'a'..=b'z' => b - b'a' + 26,
        b'0'..=b'9' => b - b'0' + 52,
        b'+' => 62,
        _ => 63,
    };
    let letters: Vec<u8> = value["f64"].as_str().expect("base64").bytes().filter(|b| *b != b'=').collect();
    let mut bytes = Vec::new();
    for group in letters.chunks(4) {
        let word = group.iter().fold(0u32, |w, b| w << 6 | u32::from(digit(*b))) << (6 * (4 - group.len()));
        bytes.extend(&word.to_be_bytes()[1..group.len()]);
    }
    bytes.chunks_exact(8).map(|b| f64::from_le_bytes(b.try_into().expect("eight"))).collect()
}

#[test]
fn the_page_and_the_catalogue_are_served() {
    let server = Server::start(&[]);
    let page = server.get("");
    assert_eq!(page.status, 200);
    let text = String::from_utf8(page.body).unwrap();
    assert!(text.contains("id=\"polhode-data\">{\"mode\":\"served\",\"start\":\"gallery\"}</script>"));
    let head = page.head.to_lowercase();
    for wanted in ["content-security-policy: default-src 'none'", "nosniff", "no-referrer", "no-store"] {
        assert!(head.contains(wanted), "{head}");
    }
    let list = server.get("api/catalogue").json();
    assert!(list.as_array().unwrap().iter().any(|m| m["name"] == "rolling-disk" && m["title"] != ""));
    let only_head = server.request("HEAD", &format!("/{}/", server.token), &[], "");
    assert_eq!((only_head.status, only_head.body.len()), (200, 0));
}

#[test]
fn what_does_not_come_from_the_page_is_refused() {
    let server = Server::start(&["rolling-disk"]);
    let page = format!("/{}/", server.token);
    let get = |path: &str, headers: &[(&str, &str)]| server.request("GET", path, headers, "").status;
    // the token
    assert_eq!(get("/", &[]), 403);
    assert_eq!(get(&format!("/{}/", "0".repeat(32)), &[]), 403);
    assert_eq!(get(&format!("/{}x/", server.token), &[]), 403);
    // the name, which is that of another site when its owner lets it resolve to this machine
    assert_eq!(get(&page, &[("Host", "evil.example")]), 421);
    assert_eq!(get(&page, &[("Host", &format!("127.0.0.1:{}", server.port ^ 1))]), 421);
    assert_eq!(get(&page, &[("Host", &format!("LOCALHOST:{}", server.port))]), 200);
    assert_eq!(server.raw(format!("GET {page} HTTP/1.1\r\n\r\n").as_bytes()).status, 421);
    // where it comes from
    assert_eq!(get(&page, &[("Origin", "https://evil.example")]), 403);
    assert_eq!(get(&page, &[("Origin", "null")]), 403);
    assert_eq!(get(&page, &[("Origin", &format!("http://127.0.0.1:{}", server.port))]), 200);
    assert_eq!(get(&page, &[("Sec-Fetch-Site", "cross-site")]), 403);
    assert_eq!(get(&page, &[("Sec-Fetch-Site", "none")]), 200);
    let link = [("Sec-Fetch-Site", "cross-site"), ("Sec-Fetch-Mode", "navigate"), ("Sec-Fetch-Dest", "document")];
    assert_eq!(get(&page, &link), 200, "a terminal in the browser has the address as a link");
    assert_eq!(get(&format!("{page}api/catalogue"), &link), 403);
    assert_eq!(get("/", &link), 403);
    // methods and kinds
    assert_eq!(server.request("DELETE", &page, &[], "").status, 405);
    assert_eq!(server.request("OPTIONS", &page, &[], "").status, 405);
    assert_eq!(server.post("", &json!({})).status, 405);
    assert_eq!(server.get("api/model").status, 405);
    let plain = format!(
        "POST {page}api/model HTTP/1.1\r\nHost: localhost:{}\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\n{{}}",
        server.port
    );
    assert_eq!(server.raw(plain.as_bytes()).status, 415);
}

#[test]
fn there_is_nothing_to_climb_out_of() {
    let server = Server::start(&[]);
    for path in [
        "../",
        "../../etc/passwd",
        "%2e%2e/%2e%2e/etc/passwd",
        "..%2f..%2fetc%2fpasswd",
        "picture/../../Cargo.toml",
        "api/../",
        "picture/",
        "api",
        "?a=b",
    ] {
        let answer = server.get(path);
        assert_eq!(answer.status, 404, "{path}");
        assert!(!String::from_utf8_lossy(&answer.body).contains("root:"));
    }
    assert_eq!(server.request("GET", "/../../etc/passwd", &[], "").status, 403);
    assert_eq!(server.raw(b"GET ../../etc/passwd HTTP/1.1\r\n\r\n").status, 400);
}

#[test]
fn malformed_and_oversized_requests_are_refused() {
    let server = Server::start(&[]);
    let page = format!("/{}/", server.token);
    let host = format!("Host: 127.0.0.1:{}\r\n", server.port);
    let status = |text: String| server.raw(text.as_bytes()).status;
    assert_eq!(status("hello\r\n\r\n".into()), 400);
    assert_eq!(status(format!("GET {page} HTTP/9.9\r\n{host}\r\n")), 400);
    assert_eq!(status(format!("GET {page} HTTP/1.1\r\n{host}{host}\r\n")), 400);
    assert_eq!(status(format!("GET {page} HTTP/1.1\r\n{host}: nothing\r\n\r\n")), 400);
    assert_eq!(status(format!("GET {page} HTTP/1.1\r\n{host}X: {}\r\n\r\n", "a".repeat(20_000))), 431);
    assert_eq!(status(format!("GET /{} HTTP/1.1\r\n{host}\r\n", "a".repeat(20_000))), 431);
    let post = |length: usize, body: &str| {
        let head = format!("POST {page}api/model HTTP/1.1\r\n{host}Content-Type: application/json\r\n");
        status(format!("{head}Content-Length: {length}\r\n\r\n{body}"))
    };
    assert_eq!(post(2_000_000, &"x".repeat(2_000_000)), 413);
    assert_eq!(post(3, "abc"), 400);
    assert_eq!(post(1, "abc"), 400);
    let chunked = format!("POST {page}api/model HTTP/1.1\r\n{host}Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n");
    assert_eq!(status(chunked), 411);
    assert_eq!(server.raw(&[0xff, 0xfe, 0x00, b'\r', b'\n', b'\r', b'\n']).status, 400);
    assert_eq!(server.get("").status, 200);
}

#[test]
fn slow_clients_and_garbage_do_not_keep_others_waiting() {
    let server = Server::start(&[]);
    let mut slow = server.connect();
    slow.write_all(b"GET / HTTP/1.1\r\n").unwrap();
    for k in 0..100u32 {
        let mut stream = server.connect();
        let bytes: Vec<u8> = (0..500).map(|i| (i * 31 + k * 17) as u8).collect();
        let _ = stream.write_all(&bytes);
        let _ = stream.shutdown(if k % 2 == 0 { Shutdown::Both } else { Shutdown::Write });
    }
    assert_eq!(server.get("").status, 200);
    // it is told off in the end, though it sends a byte now and then
    let mut dripping = server.connect();
    std::thread::spawn(move || {
        for _ in 0..20 {
            if dripping.write_all(b"G").is_err() {
                return;
            }
            std::thread::sleep(Duration::from_millis(500));
        }
    });
    assert_eq!(read(&mut slow).status, 408);
    assert_eq!(server.get("").status, 200);
}

#[test]
fn a_document_has_the_numbers_of_a_run() {
    let server = Server::start(&["--time-limit", "120"]);
    let request = json!({ "name": "rolling-disk", "set": { "r": 0.5 }, "start": { "theta'": 0.1 }, "until": 2 });
    let answer = server.post("api/model", &request);
    assert_eq!(answer.status, 200);
    let document = answer.json();
    assert_eq!(document["ok"], true, "{}", document["diagnostics"]);
    let run = polhode(&[
        "run",
        "rolling-disk",
        "--set",
        "r=0.5",
        "--init",
        "theta'=0.1",
        "--until",
        "2",
        "--samples",
        "1201",
        "--json",
    ]);
    let run: Value = serde_json::from_slice(&run.stdout).expect("JSON");
    let columns = document["columns"].as_array().unwrap();
    let place = |name: &str| columns.iter().position(|c| c["name"] == name).unwrap_or_else(|| panic!("no {name}"));
    let (t, values) = (doubles(&document["recorded"]["t"]), doubles(&document["recorded"]["values"]));
    assert_eq!(t.len() * columns.len(), values.len());
    for sample in run["samples"].as_array().unwrap() {
        let own = t.iter().position(|x| Some(*x) == sample["t"].as_f64()).expect("the same times");
        for (name, group) in
            [("theta", "state"), ("phi'", "state"), ("x", "state"), ("energy", "derived"), ("mu_required", "derived")]
        {
            assert_eq!(Some(values[own * columns.len() + place(name)]), sample[group][name].as_f64(), "{name}");
        }
    }
    // the motion alone is the same
    let again = server.post("api/run", &request).json();
    assert_same_motion(&again, &document);
}

/// Every sample of the one is among those of the other, which has more of them.
fn assert_same_motion(one: &Value, other: &Value) {
    let rows = |document: &Value| -> Vec<(f64, Vec<f64>)> {
        let (t, values) = (doubles(&document["recorded"]["t"]), doubles(&document["recorded"]["values"]));
        let width = values.len() / t.len();
        t.into_iter().zip(values.chunks_exact(width).map(<[f64]>::to_vec)).collect()
    };
    let (few, many) = (rows(one), rows(other));
    assert!(few.len() > 600 && many.len() > few.len());
    assert!(few.iter().all(|row| many.contains(row)), "a sample differs");
}

#[test]
fn rolling_bodies_start_where_the_page_says() {
    let server = Server::start(&["--time-limit", "120"]);
    let run = server.post("api/run", &json!({ "name": "rattleback", "start": { "Omega[3]": 4 }, "until": 0.5 })).json();
    let same = server
        .post(
            "api/model",
            &json!({ "name": "rattleback", "start": { "Omega[1]": 0, "Omega[2]": 0, "Omega[3]": 4 }, "until": 0.5 }),
        )
        .json();
    assert_same_motion(&run, &same);
    let wrong = server.post("api/run", &json!({ "name": "rattleback", "start": { "Omga[3]": 4 } })).json();
    assert_eq!(wrong["ok"], false);
    assert!(wrong["diagnostics"][0]["message"].as_str().unwrap().contains("Omga"), "{wrong}");
}

#[test]
fn mistakes_and_questions_are_answered() {
    let server = Server::start(&["--time-limit", "120"]);
    let text = "title = \"x\"\n[coordinates]\nx = \"real\"\n[lagrangian]\nkinetic = \"m*x'^2\"\n";
    let rejected = server.post("api/model", &json!({ "text": text })).json();
    let first = &rejected["diagnostics"][0];
    assert_eq!((&rejected["ok"], &first["code"], &first["line"]), (&json!(false), &json!("unknown-name"), &json!(5)));
    let equations = server.post("api/equations", &json!({ "name": "chaplygin-sleigh", "form": "hamel" })).json();
    assert_eq!((&equations["applies"], &equations["form"]), (&json!(true), &json!("hamel")));
    let facts = server.post("api/facts", &json!({ "name": "chaplygin-sleigh" })).json();
    assert!(!facts["conserved"].as_array().unwrap().is_empty());
    let unknown = server.post("api/model", &json!({ "name": "nothing" }));
    assert_eq!(unknown.status, 400);
    assert!(unknown.error().contains("nothing"));
}

/// A chain of so many rods that nobody has the time and the memory for its equations.
fn endless() -> String {
    let mut text = String::from("title = \"chain\"\n[coordinates]\n");
    let n = 40;
    (1..=n).for_each(|k| text += &format!("a{k} = \"angle\"\n"));
    text += "[define]\n";
    for k in 1..=n {
        let before = if k == 1 { "[0, 0]".to_owned() } else { format!("p{}", k - 1) };
        text += &format!("p{k} = \"{before} + [sin(a{k}), -cos(a{k})]\"\n");
    }
    let kinetic: Vec<String> = (1..=n).map(|k| format!("norm2(dt(p{k}))/2")).collect();
    let potential: Vec<String> = (1..=n).map(|k| format!("p{k}[2]")).collect();
    text +=
        &format!("[lagrangian]\nkinetic = \"{}\"\npotential = \"{}\"\n", kinetic.join(" + "), potential.join(" + "));
    text += "[initial]\nposition = { a1 = 1 }\nvelocity = { a1 = 1 }\n";
    text
}

#[test]
fn a_text_that_takes_too_long_costs_nobody_anything() {
    let server = Server::start(&["--time-limit", "2"]);
    let answer = server.post("api/equations", &json!({ "text": endless(), "form": "hamilton" }));
    assert_eq!(answer.status, 408, "{}", String::from_utf8_lossy(&answer.body));
    assert!(answer.error().contains("longer than 2 s"), "{}", answer.error());
    assert_eq!(server.get("").status, 200);
}

#[test]
#[cfg(target_os = "linux")]
fn a_text_that_needs_too_much_memory_is_ended_alone() {
    let server = Server::start(&["--time-limit", "60", "--memory-limit", "64"]);
    let small = server.post("api/equations", &json!({ "name": "chaplygin-sleigh", "form": "hamel" }));
    assert_eq!(small.status, 200);
    let answer = server.post("api/equations", &json!({ "text": endless(), "form": "hamilton" }));
    assert_eq!(answer.status, 507, "{}", String::from_utf8_lossy(&answer.body));
    assert!(answer.error().contains("memory"), "{}", answer.error());
    assert_eq!(server.get("").status, 200);
}

#[test]
fn files_and_wrong_names() {
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("view-files");
    std::fs::create_dir_all(&folder).unwrap();
    let file = folder.join("mine.toml");
    std::fs::write(&file, "title = \"</script>\"\n").unwrap();
    let server = Server::start(&[file.to_str().unwrap()]);
    let page = String::from_utf8(server.get("").body).unwrap();
    assert!(page.contains("{\"mode\":\"served\",\"start\":\"file\"}"));
    let own = server.post("api/model", &json!({ "name": "file" })).json();
    assert_eq!((&own["ok"], &own["model"]["name"]), (&json!(false), &json!("mine")));
    assert_eq!(own["model"]["text"], "title = \"</script>\"\n");
    let wrong = polhode(&["view", "roling-disk"]);
    assert_eq!(wrong.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&wrong.stderr).contains("did you mean `rolling-disk`?"));
    let taken = polhode(&["view", "--no-open", "--port", &server.port.to_string()]);
    assert_eq!(taken.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&taken.stderr).contains("leave --port out"));
}

#[test]
fn an_address_without_its_last_slash_leads_to_the_page() {
    let server = Server::start(&[]);
    let answer = server.request("GET", &format!("/{}", server.token), &[], "");
    assert_eq!(answer.status, 308);
    assert!(answer.head.ends_with(&format!("\r\nLocation: /{}/", server.token)), "{}", answer.head);
    assert_eq!(server.request("GET", &format!("/{}", "0".repeat(32)), &[], "").status, 403);
}

#[test]
fn many_who_say_nothing_keep_nobody_waiting() {
    let server = Server::start(&[]);
    // A busy machine may keep all of them waiting until the server tells the idle ones off; not every time.
    let answered_before_them = |_| {
        let idle: Vec<TcpStream> = (0..200).map(|_| server.connect()).collect();
        assert_eq!(server.get("api/catalogue").status, 200);
        idle.iter().all(|stream| {
            stream.set_nonblocking(true).unwrap();
            stream.peek(&mut [0]).is_err_and(|e| e.kind() == ErrorKind::WouldBlock)
        })
    };
    assert!((0..10).any(answered_before_them), "others had to be told off first");
}

#[test]
fn a_client_that_has_said_everything_is_answered() {
    let server = Server::start(&["--time-limit", "120"]);
    let body = json!({ "name": "chaplygin-sleigh", "until": 1 }).to_string();
    let mut stream = server.connect();
    let head = format!("POST /{}/api/run HTTP/1.1\r\nHost: 127.0.0.1:{}\r\n", server.token, server.port);
    let head = format!("{head}Content-Type: application/json\r\nContent-Length: {}\r\n\r\n", body.len());
    stream.write_all(format!("{head}{body}").as_bytes()).unwrap();
    stream.shutdown(Shutdown::Write).unwrap();
    assert_eq!(read(&mut stream).status, 200);
}

#[test]
fn a_hundred_mistakes_are_enough() {
    let server = Server::start(&["--time-limit", "120"]);
    let sum: Vec<String> = (0..500).map(|k| format!("unknown{k}")).collect();
    let text = format!("[coordinates]\nx = \"real\"\n[lagrangian]\nkinetic = \"x'^2 + {}\"\n", sum.join(" + "));
    let rejected = server.post("api/model", &json!({ "text": text })).json();
    assert_eq!(rejected["diagnostics"].as_array().unwrap().len(), 100);
    assert!(rejected["more_diagnostics"].as_u64().unwrap() >= 400, "{}", rejected["more_diagnostics"]);
}

/// The processes that a process has started.
#[cfg(target_os = "linux")]
fn children(parent: u32) -> Vec<u32> {
    let all = std::fs::read_dir("/proc").unwrap().flatten();
    let numbers = all.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    let parent_of = |process: &u32| {
        let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
        status.lines().find_map(|l| l.strip_prefix("PPid:"))?.trim().parse::<u32>().ok()
    };
    numbers.filter(|process| parent_of(process) == Some(parent)).collect()
}

#[test]
#[cfg(target_os = "linux")]
fn workers_end_with_their_server() {
    let mut server = Server::start(&["--time-limit", "60"]);
    let mut stream = server.connect();
    let body = json!({ "text": endless(), "form": "hamilton" }).to_string();
    let head = format!("POST /{}/api/equations HTTP/1.1\r\nHost: 127.0.0.1:{}\r\n", server.token, server.port);
    let head = format!("{head}Content-Type: application/json\r\nContent-Length: {}\r\n\r\n", body.len());
    stream.write_all(format!("{head}{body}").as_bytes()).unwrap();
    let wait = |what: &dyn Fn() -> bool| {
        while !what() {
            std::thread::sleep(Duration::from_millis(20));
        }
    };
    let parent = server.child.id();
    wait(&|| !children(parent).is_empty());
    let workers = children(parent);
    // the server is killed: nobody tells its workers
    server.child.kill().unwrap();
    server.child.wait().unwrap();
    let ended = |worker: &u32| {
        let status = std::fs::read_to_string(format!("/proc/{worker}/status")).unwrap_or_default();
        status.is_empty() || status.contains("State:\tZ")
    };
    wait(&|| workers.iter().all(ended));
}

#[test]
fn the_page_asks_for_its_model_at_once() {
    let server = Server::start(&["chaplygin-sleigh", "--time-limit", "120"]);
    let page = String::from_utf8(server.get("").body).unwrap();
    let early = page.find("window.polhodeFirst=").expect("a question");
    assert!(early < page.find("<style>").unwrap());
    let first = server.post("api/model", &json!({ "name": "chaplygin-sleigh" })).json();
    let again = server.post("api/model", &json!({ "name": "chaplygin-sleigh" })).json();
    let fresh = server.post("api/model", &json!({ "name": "chaplygin-sleigh", "until": 10 })).json();
    assert_eq!((&first["ok"], &first), (&json!(true), &again));
    assert_eq!(first["columns"], fresh["columns"]);
    assert!(!String::from_utf8(Server::start(&[]).get("").body).unwrap().contains("window.polhodeFirst="));
}

#[test]
fn a_model_opens_with_other_numbers() {
    let changes = ["rattleback", "--set", "g=9.81/2", "--init", "Omega=[0, 0.5, -2*2]", "--until", "1/2"];
    let server = Server::start(&changes);
    let document = server.post("api/model", &json!({ "name": "rattleback" })).json();
    let find = |list: &str, name: &str| {
        let all = document[list].as_array().expect("a list");
        all.iter().find(|p| p["name"] == name).unwrap_or_else(|| panic!("no {name}"))["value"].clone()
    };
    assert_eq!((find("parameters", "g"), find("starts", "Omega[2]")), (json!(4.905), json!(0.5)));
    assert_eq!(document["until"], 0.5);
    let given = json!({
        "set": [["g", "9.81/2"]], "init": [["Omega", "[0, 0.5, -2*2]"]], "until": 0.5,
        "flags": [], "run": { "until": ["1/2"] },
    });
    assert_eq!((&document["given"], &document["model"]["argument"]), (&given, &json!("rattleback")));
    // a slider moves one number of what was given
    let run = server.post("api/run", &json!({ "name": "rattleback", "start": { "touching[1]": 0.25 } })).json();
    assert_eq!(run["placed"], json!({ "touching[1]": 0.25, "touching[2]": 0.0, "touching[3]": 0.0 }));
    // formulas are not taken from pages
    let forged = json!({ "name": "rattleback", "given": { "set": [["g", "1"]] } });
    assert_eq!(server.post("api/model", &forged).json()["given"], given);
    // other models are as they are
    assert_eq!(server.post("api/model", &json!({ "name": "suslov" })).json()["given"]["set"], json!([]));
}

#[test]
fn mistakes_in_other_numbers_are_those_of_a_run() {
    for flags in
        [["--set", "r=2*"], ["--set", "radius=2"], ["--init", "theta=4"], ["--init", "omega=1"], ["--until", "abc"]]
    {
        let said = |command: &str| {
            let out = polhode(&[&[command, "rolling-disk"], &flags[..]].concat());
            assert_eq!(out.status.code(), Some(2), "{command} {flags:?}");
            String::from_utf8(out.stderr).expect("text")
        };
        assert_eq!(said("view"), said("run"), "{flags:?}");
    }
    let out = polhode(&["view", "--set", "r=1"]);
    assert_eq!(out.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&out.stderr).contains("polhode view rolling-disk --set r=0.5"));
}
