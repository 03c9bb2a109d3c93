//! HTTP/1.1 as far as a page on the same machine needs it: one request, one answer, and the connection is closed.
//!
//! ```text
//! METHOD SP /path SP HTTP/1.x CRLF  *(name ":" value CRLF)  CRLF  body of Content-Length bytes
//! ```
//!
//! Everything else is refused with one line: other methods, paths that are not plain, folded or repeated headers that matter, bodies
//! in chunks, heads above [`MOST_HEAD`] and bodies above [`MOST_BODY`] bytes, and clients that take longer than their time.
//!
//! Not here: who may ask what (`guard`, `routes`).

use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

/// Most bytes of a request line with its headers.
pub(crate) const MOST_HEAD: usize = 16 * 1024;

/// Most bytes of a body.
pub(crate) const MOST_BODY: usize = 1024 * 1024;

/// Most bytes that are read and thrown away, so that a client sends to its end and then reads why it was refused.
const MOST_IGNORED: usize = 4 * MOST_BODY;

/// Time to send an answer to a client that reads.
const SENDING: Duration = Duration::from_secs(30);

/// The methods that are understood.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verb {
    Get,
    Head,
    Post,
}

/// A request, read to its end.
#[derive(Debug)]
pub(crate) struct Request {
    pub(crate) verb: Verb,
    /// The path as it was sent; nothing is decoded.
    pub(crate) path: String,
    headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Request {
    /// The value of a header, by its name in small letters.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(n, _)| n == name).map(|(_, value)| value.as_str())
    }
}

/// A request that is not answered: status and one line.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Refused {
    pub(crate) status: u16,
    pub(crate) why: String,
}

impl Refused {
    pub(crate) fn new(status: u16, why: impl Into<String>) -> Refused {
        Refused { status, why: why.into() }
    }
}

/// Reads a request within `patience`; `None` if the client sent nothing at all.
pub(crate) fn read(stream: &mut TcpStream, patience: Duration) -> Result<Option<Request>, Refused> {
    let mut source = Patient { stream, until: Instant::now() + patience };
    let mut bytes = Vec::new();
    let end = loop {
        if let Some(end) = head_end(&bytes) {
            break end;
        }
        if bytes.len() > MOST_HEAD {
            source.ignore(MOST_IGNORED);
            return Err(Refused::new(431, "the headers are too long"));
        }
        match source.more(&mut bytes)? {
            0 if bytes.is_empty() => return Ok(None),
            0 => return Err(Refused::new(400, "the request ends within its headers")),
            _ => {}
        }
    };
    if end > MOST_HEAD {
        source.ignore(MOST_IGNORED);
        return Err(Refused::new(431, "the headers are too long"));
    }
    let head = std::str::from_utf8(&bytes[..end]).map_err(|_| Refused::new(400, "the headers are no text"));
    let (mut request, length) = match head.and_then(parse_head) {
        Ok(parsed) => parsed,
        Err(refused) => {
            source.ignore(MOST_IGNORED);
            return Err(refused);
        }
    };
    if length > MOST_BODY {
        source.ignore(MOST_IGNORED);
        return Err(Refused::new(413, "the request is larger than 1 MB"));
    }
    let mut body = bytes.split_off(end);
    while body.len() < length {
        if source.more(&mut body)? == 0 {
            return Err(Refused::new(400, "the request ends before its body does"));
        }
    }
    if body.len() > length {
        return Err(Refused::new(400, "the body is longer than it says"));
    }
    request.body = body;
    Ok(Some(request))
}

/// Reads up to a moment.
struct Patient<'a> {
    stream: &'a mut TcpStream,
    until: Instant,
}

impl Patient<'_> {
    /// Some more bytes; 0 at the end.
    fn more(&mut self, bytes: &mut Vec<u8>) -> Result<usize, Refused> {
        let slow = || Refused::new(408, "the request took too long to arrive");
        let mut buffer = [0; 8192];
        loop {
            let left = self.until.saturating_duration_since(Instant::now());
            if left.is_zero() || self.stream.set_read_timeout(Some(left)).is_err() {
                return Err(slow());
            }
            match self.stream.read(&mut buffer) {
                Ok(n) => {
                    bytes.extend_from_slice(&buffer[..n]);
                    return Ok(n);
                }
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) if matches!(e.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut) => return Err(slow()),
                Err(_) => return Err(Refused::new(400, "the connection broke")),
            }
        }
    }

    /// Reads what was sent already and throws it away: a connection that is closed with bytes unread takes its answer with it.
    fn ignore(&mut self, most: usize) {
        let mut nothing = Vec::new();
        let mut seen = 0;
        self.until = self.until.min(Instant::now() + Duration::from_millis(300));
        while seen < most {
            match self.more(&mut nothing) {
                Ok(n) if n > 0 => seen += n,
                _ => return,
            }
            nothing.clear();
        }
    }
}

/// Where the body begins.
fn head_end(bytes: &[u8]) -> Option<usize> {
    bytes.windows(4).position(|w| w == b"\r\n\r\n").map(|at| at + 4)
}

/// The request line and the headers, with the length of the body.
pub(super) fn parse_head(head: &str) -> Result<(Request, usize), Refused> {
    let bad = |why: &str| Refused::new(400, why);
    let mut lines = head.trim_end_matches("\r\n").split("\r\n");
    let first = lines.next().unwrap_or_default();
    let words: Vec<&str> = first.split(' ').collect();
    let [verb, path, version] = words[..] else { return Err(bad("this is no HTTP request")) };
    if !matches!(version, "HTTP/1.1" | "HTTP/1.0") {
        return Err(bad("only HTTP/1.1 is spoken here"));
    }
    let verb = match verb {
        "GET" => Verb::Get,
        "HEAD" => Verb::Head,
        "POST" => Verb::Post,
        _ if !verb.is_empty() && verb.bytes().all(|b| b.is_ascii_uppercase()) => {
            return Err(Refused::new(405, "only GET, HEAD and POST are answered"));
        }
        _ => return Err(bad("this is no HTTP request")),
    };
    if !path.starts_with('/') || !path.bytes().all(|b| b.is_ascii_graphic()) {
        return Err(bad("this path is no path"));
    }
    let mut headers: Vec<(String, String)> = Vec::new();
    for line in lines {
        let Some((name, value)) = line.split_once(':') else { return Err(bad("a header has no name")) };
        let token = |b: u8| b.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&b);
        if name.is_empty() || !name.bytes().all(token) || value.bytes().any(|b| b.is_ascii_control() && b != b'\t') {
            return Err(bad("a header is malformed"));
        }
        let name = name.to_ascii_lowercase();
        let once = matches!(name.as_str(), "host" | "content-length" | "origin" | "content-type")
            || name.starts_with("sec-fetch-");
        if once && headers.iter().any(|(n, _)| *n == name) {
            return Err(bad("a header is given twice"));
        }
        headers.push((name, value.trim().to_owned()));
    }
    let request = Request { verb, path: path.to_owned(), headers, body: Vec::new() };
    if request.header("transfer-encoding").is_some() {
        return Err(Refused::new(411, "the body must say its length"));
    }
    let length = match request.header("content-length") {
        None if verb == Verb::Post => return Err(Refused::new(411, "the body must say its length")),
        None => 0,
        Some(text) if !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit()) => {
            text.parse().map_err(|_| Refused::new(413, "the request is larger than 1 MB"))?
        }
        Some(_) => return Err(bad("the length of the body is no number")),
    };
    Ok((request, length))
}

/// An answer.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) kind: &'static str,
    pub(crate) body: Vec<u8>,
    /// Headers besides those of every answer.
    pub(crate) more: Vec<(&'static str, String)>,
}

impl Answer {
    pub(crate) fn json(status: u16, text: String) -> Answer {
        Answer { status, kind: "application/json", body: text.into_bytes(), more: Vec::new() }
    }

    /// What was asked for is there.
    pub(crate) fn moved(to: String) -> Answer {
        Answer { more: vec![("Location", to)], ..Answer::json(308, "{}".to_owned()) }
    }

    /// `{"error": "sentence"}`.
    pub(crate) fn error(status: u16, why: &str) -> Answer {
        Answer::json(status, serde_json::json!({ "error": why }).to_string())
    }
}

/// Sends an answer; a client that went away is no error.
pub(crate) fn send(stream: &mut TcpStream, answer: &Answer, without_body: bool) {
    let mut head = format!(
        "HTTP/1.1 {} {}\r\nContent-Type: {}\r\nContent-Length: {}\r\nConnection: close\r\nCache-Control: no-store\r\n\
         X-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\nCross-Origin-Resource-Policy: same-origin\r\n",
        answer.status,
        reason(answer.status),
        answer.kind,
        answer.body.len()
    );
    for (name, value) in &answer.more {
        head += &format!("{name}: {value}\r\n");
    }
    head += "\r\n";
    let _ = stream.set_write_timeout(Some(SENDING));
    let _ = stream.write_all(head.as_bytes()).and_then(|()| match without_body {
        true => Ok(()),
        false => stream.write_all(&answer.body),
    });
    let _ = stream.flush();
    let _ = stream.shutdown(std::net::Shutdown::Write);
}

fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        308 => "Permanent Redirect",
        400 => "Bad Request",
        403 => "Forbidden",
        404 => "Not Found",
        405 => "Method Not Allowed",
        408 => "Request Timeout",
        411 => "Length Required",
        413 => "Content Too Large",
        415 => "Unsupported Media Type",
        421 => "Misdirected Request",
        431 => "Request Header Fields Too Large",
        503 => "Service Unavailable",
        507 => "Insufficient Storage",
        _ => "Internal Server Error",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(head: &str) -> u16 {
        parse_head(head).unwrap_err().status
    }

    #[test]
    fn a_plain_request_is_understood() {
        let (request, length) =
            parse_head("POST /a/api/run HTTP/1.1\r\nHost: localhost:1\r\nContent-Length: 12\r\n\r\n").unwrap();
        assert_eq!((request.verb, request.path.as_str(), length), (Verb::Post, "/a/api/run", 12));
        assert_eq!(request.header("host"), Some("localhost:1"));
        assert_eq!(request.header("origin"), None);
    }

    #[test]
    fn everything_else_is_refused() {
        assert_eq!(refused("GET /\r\n\r\n"), 400);
        assert_eq!(refused("GET  / HTTP/1.1\r\n\r\n"), 400);
        assert_eq!(refused("GET / HTTP/2\r\n\r\n"), 400);
        assert_eq!(refused("DELETE / HTTP/1.1\r\n\r\n"), 405);
        assert_eq!(refused("get / HTTP/1.1\r\n\r\n"), 400);
        assert_eq!(refused("GET http://a/ HTTP/1.1\r\n\r\n"), 400);
        assert_eq!(refused("GET / HTTP/1.1\r\nno colon\r\n\r\n"), 400);
        assert_eq!(refused("GET / HTTP/1.1\r\n folded: x\r\n\r\n"), 400);
        assert_eq!(refused("GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n"), 400);
        assert_eq!(refused("POST / HTTP/1.1\r\n\r\n"), 411);
        assert_eq!(refused("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n"), 411);
        assert_eq!(refused("POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n"), 400);
        assert_eq!(refused("POST / HTTP/1.1\r\nContent-Length: 99999999999999999999999\r\n\r\n"), 413);
    }
}
