//! Who may ask: only a page that came from here.
//!
//! The server listens on the loopback alone, but every page in a browser on this machine can send requests there. So a request must know the
//! token of this run, which stands in its path; must call the server by the name it has (a foreign name that resolves to 127.0.0.1 is the trick
//! of DNS rebinding); and, where the browser says where it comes from, must come from our own page. Only the page itself may be opened from
//! elsewhere, as a page of its own: the address is printed in a terminal, and terminals are pages too.

use super::http::{Refused, Request, Verb};

/// Bytes that nobody can guess.
const BYTES: usize = 16;

/// As many random bytes as nobody can guess, from the operating system, as text.
pub(crate) fn secret() -> std::io::Result<String> {
    let mut bytes = [0; BYTES];
    getrandom::fill(&mut bytes).map_err(std::io::Error::other)?;
    Ok(bytes.iter().map(|b| format!("{b:02x}")).collect())
}

/// What a request must know and say.
#[derive(Clone, Debug)]
pub(crate) struct Guard {
    token: String,
    port: u16,
}

impl Guard {
    /// With a token of its own.
    pub(crate) fn new(port: u16) -> std::io::Result<Guard> {
        Ok(Guard { token: secret()?, port })
    }

    /// Where the page is.
    pub(crate) fn address(&self) -> String {
        format!("http://127.0.0.1:{}/{}/", self.port, self.token)
    }

    /// The path behind the token, of a request that may be answered.
    pub(crate) fn admit<'a>(&self, request: &'a Request) -> Result<&'a str, Refused> {
        let names = [format!("127.0.0.1:{}", self.port), format!("localhost:{}", self.port)];
        match request.header("host") {
            Some(host) if names.iter().any(|n| n.eq_ignore_ascii_case(host)) => {}
            _ => return Err(Refused::new(421, "this server is called 127.0.0.1")),
        }
        if let Some(origin) = request.header("origin") {
            let own = origin.strip_prefix("http://").is_some_and(|o| names.iter().any(|n| n.eq_ignore_ascii_case(o)));
            if !own {
                return Err(Refused::new(403, "only the page of this server may ask"));
            }
        }
        let (token, rest) = request.path[1..].split_once('/').unwrap_or((&request.path[1..], ""));
        if let Some(site) = request.header("sec-fetch-site")
            && !matches!(site, "same-origin" | "none")
            && !(rest.is_empty() && is_followed_link(request))
        {
            return Err(Refused::new(403, "only the page of this server may ask"));
        }
        if !same(token, &self.token) {
            return Err(Refused::new(403, "the address does not have the token that `polhode view` printed"));
        }
        // a form of another page can send text, but no JSON without asking first
        let json =
            |kind: &str| kind.split(';').next().unwrap_or_default().trim().eq_ignore_ascii_case("application/json");
        if request.verb == Verb::Post && !request.header("content-type").is_some_and(json) {
            return Err(Refused::new(415, "the body must be JSON"));
        }
        Ok(rest)
    }
}

/// Whether somebody follows a link: the answer is shown in a window of its own, and the page with the link cannot read it.
fn is_followed_link(request: &Request) -> bool {
    let says = |name: &str, value: &str| request.header(name) == Some(value);
    request.verb == Verb::Get && says("sec-fetch-mode", "navigate") && says("sec-fetch-dest", "document")
}

/// Equality that takes the same time wherever two texts of the same length differ.
fn same(a: &str, b: &str) -> bool {
    a.len() == b.len() && a.bytes().zip(b.bytes()).fold(0, |rest, (a, b)| rest | (a ^ b)) == 0
}

#[cfg(test)]
mod tests {
    use super::super::http::parse_head;
    use super::*;

    #[test]
    fn tokens_differ_from_run_to_run() {
        let (a, b) = (Guard::new(1).unwrap(), Guard::new(1).unwrap());
        assert_eq!(a.token.len(), 2 * BYTES);
        assert_ne!(a.token, b.token);
        assert!(a.address().contains(&a.token));
    }

    /// The status with which a request is refused; 200 if it is not.
    fn status(guard: &Guard, first: &str, headers: &[(&str, &str)]) -> u16 {
        let mut head = format!("{first} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\n", guard.port);
        headers.iter().for_each(|(name, value)| head += &format!("{name}: {value}\r\n"));
        let (request, _) = parse_head(&format!("{head}\r\n")).expect("a request");
        guard.admit(&request).map_or_else(|refused| refused.status, |_| 200)
    }

    #[test]
    fn a_link_elsewhere_leads_to_the_page_and_nowhere_else() {
        let guard = Guard::new(8000).unwrap();
        let page = format!("GET /{}/", guard.token);
        let [mode, dest] = [("Sec-Fetch-Mode", "navigate"), ("Sec-Fetch-Dest", "document")];
        for site in ["cross-site", "same-site"] {
            let site = ("Sec-Fetch-Site", site);
            let link = [site, mode, dest];
            assert_eq!(status(&guard, &page, &link), 200);
            assert_eq!(status(&guard, page.trim_end_matches('/'), &link), 200);
            // whoever does not know the token, or says another name
            assert_eq!(status(&guard, &format!("GET /{}/", "0".repeat(2 * BYTES)), &link), 403);
            assert_eq!(status(&guard, &page, &[link.as_slice(), &[("Origin", "https://a.example")]].concat()), 403);
            // frames, pictures, scripts and what a script reads
            for (mode, dest) in [
                ("navigate", "iframe"),
                ("navigate", "embed"),
                ("no-cors", "document"),
                ("no-cors", "image"),
                ("no-cors", "script"),
                ("cors", "empty"),
            ] {
                let other = [site, ("Sec-Fetch-Mode", mode), ("Sec-Fetch-Dest", dest)];
                assert_eq!(status(&guard, &page, &other), 403, "{mode} {dest}");
            }
            assert_eq!(status(&guard, &page, &[site, mode]), 403);
            assert_eq!(status(&guard, &page, &[site, dest]), 403);
            // everything behind the page
            for path in ["api/catalogue", "api/model", "picture/rolling-disk", "x", "/"] {
                assert_eq!(status(&guard, &format!("{page}{path}"), &link), 403, "{path}");
            }
            let json = [site, mode, dest, ("Content-Type", "application/json"), ("Content-Length", "2")];
            for path in ["", "api/model", "api/run", "api/equations", "api/facts"] {
                assert_eq!(status(&guard, &format!("POST /{}/{path}", guard.token), &json), 403, "{path}");
            }
            assert_eq!(status(&guard, &format!("HEAD /{}/", guard.token), &link), 403);
        }
        // what the page itself asks
        let own = [("Sec-Fetch-Site", "same-origin"), ("Sec-Fetch-Mode", "cors"), ("Sec-Fetch-Dest", "empty")];
        assert_eq!(status(&guard, &format!("{page}api/catalogue"), &own), 200);
    }

    #[test]
    fn texts_are_compared_whole() {
        assert!(same("abc", "abc"));
        assert!(!same("abc", "abd"));
        assert!(!same("abc", "abcd"));
        assert!(!same("", "a"));
    }
}
