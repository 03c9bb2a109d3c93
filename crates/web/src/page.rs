//! The page: one file with everything in it, and the data at its placeholder.
//!
//! The sources are in `viewer/`; what is built of them is kept in `viewer/dist/`, so that nobody needs Node to build this program. Data is
//! JSON inside of a script element of its own, where nothing but `</script` or `<!--` could end it: every `<` is written `\u003c`.

use serde_json::{Value, json};

/// The page without data.
const PAGE: &str = include_str!("../../../viewer/dist/page.html");

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
    with_data(&json!({ "mode": "alone", "documents": documents }))
}

/// A report: a document, and sections of text around it.
pub fn report(document: Value, sections: Vec<Value>) -> String {
    with_data(&json!({ "mode": "report", "documents": [document], "sections": sections }))
}

#[cfg(test)]
mod tests {
    use super::*;

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
