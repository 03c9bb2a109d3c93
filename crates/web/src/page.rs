//! The page: one file with everything in it, and the data at its placeholder.
//!
//! The sources are in `viewer/`; what is built of them is kept in `assets/`, so that nobody needs Node to build this program. Data is
//! JSON inside of a script element of its own, where nothing but `</script` or `<!--` could end it: every `<` is written `\u003c`.
//!
//! A page that is sent around has its script in the format of zlib (RFC 1950), in base64, and a few lines that unpack it in the browser: what is
//! saved is room for the motion.

use crate::base64;
use serde_json::{Value, json};

/// The page without data.
const PAGE: &str = include_str!("../assets/page.html");

/// Where the data goes.
const PLACEHOLDER: &str = "<!--POLHODE-DATA-->";

/// The page with these data.
pub fn with_data(data: &Value) -> String {
    let text = data.to_string().replace('<', "\\u003c");
    let element = format!("<script type=\"application/json\" id=\"polhode-data\">{text}</script>");
    match PAGE.split_once(PLACEHOLDER) {
        Some((before, after)) => format!("{before}{element}{after}"),
        None => format!("{PAGE}{element}"),
    }
}

/// A page that needs no server: documents with everything in them.
pub fn alone(documents: Vec<Value>) -> String {
    packed(&with_data(&json!({ "mode": "alone", "documents": documents })))
}

/// What unpacks the script in the browser.
const UNPACK: &str = include_str!("../assets/unpack.js");

/// How hard the script is packed, from 0 to 10.
const EFFORT: u8 = 9;

/// The same page with its script packed: the first script without attributes, and the last element of the page.
fn packed(page: &str) -> String {
    const BEGIN: &str = "<script>";
    const END: &str = "</script>";
    let Some((before, rest)) = page.split_once(BEGIN) else { return page.to_owned() };
    let Some((script, after)) = rest.rsplit_once(END) else { return page.to_owned() };
    let bytes = miniz_oxide::deflate::compress_to_vec_zlib(script.as_bytes(), EFFORT);
    let text = base64::encode(&bytes);
    format!("{before}<script type=\"application/zlib\" id=\"polhode-script\">{text}{END}\n{BEGIN}{UNPACK}{END}{after}")
}

/// A report: a document, and sections of text around it.
pub fn report(document: Value, sections: Vec<Value>) -> String {
    with_data(&json!({ "mode": "report", "documents": [document], "sections": sections }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_script_comes_out_as_it_went_in() {
        let (plain, small) = (with_data(&json!({ "mode": "alone", "documents": [] })), alone(Vec::new()));
        let mark = "id=\"polhode-script\">";
        let begin = small.find(mark).unwrap() + mark.len();
        let text = &small[begin..begin + small[begin..].find('<').unwrap()];
        let bytes = base64::decode(text);
        let script = miniz_oxide::inflate::decompress_to_vec_zlib(&bytes).unwrap();
        let script = String::from_utf8(script).unwrap();
        assert!(plain.contains(&format!("<script>{script}</script>")));
        assert!(script.len() > 500_000, "all of it: {}", script.len());
        assert!(small.len() < plain.len() * 2 / 3, "{} of {}", small.len(), plain.len());
        assert!(small.ends_with("</html>\n"));
    }

    #[test]
    fn data_cannot_leave_its_element() {
        let page = with_data(&json!({ "text": "</script><script>alert(1)</script><!--" }));
        let begin = page.find("id=\"polhode-data\">").unwrap();
        let rest = &page[begin..];
        let element = &rest[..rest.find("</script>").unwrap()];
        assert!(element.contains("\\u003c/script>\\u003cscript>alert(1)"), "{element}");
        let json = &element[element.find('{').unwrap()..];
        assert_eq!(serde_json::from_str::<Value>(json).unwrap()["text"], "</script><script>alert(1)</script><!--");
    }
}
