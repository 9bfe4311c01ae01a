//! A text as messages: one JSON document, or one on each line.

use serde_json::Value;

/// A message, and where it stands.
#[derive(Debug)]
pub struct Message {
    /// Line it begins on, from 1, if the text holds one message a line.
    pub line: Option<usize>,
    /// The message, or why it is not JSON.
    pub value: Result<Value, String>,
}

/// The messages in `text`. A text that is one JSON document is one message; otherwise each line that is
/// not blank is one.
#[must_use]
pub fn messages(text: &str) -> Vec<Message> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let whole = match serde_json::from_str(text) {
        Ok(value) => {
            return vec![Message {
                line: None,
                value: Ok(value),
            }];
        }
        Err(error) => format!("is not JSON: {error}"),
    };
    let lines: Vec<Message> = text
        .lines()
        .enumerate()
        .filter(|(_, line)| !line.trim().is_empty())
        .map(|(index, line)| Message {
            line: Some(index + 1),
            value: serde_json::from_str(line)
                .map_err(|error| format!("is not JSON: {}", column(&error))),
        })
        .collect();
    // A broken document of several lines is better told as one.
    if lines.iter().filter(|it| it.value.is_ok()).count() * 2 < lines.len() || lines.len() < 2 {
        return vec![Message {
            line: None,
            value: Err(whole),
        }];
    }
    lines
}

/// The error without its line, which is always the first.
fn column(error: &serde_json::Error) -> String {
    error.to_string().replace(" at line 1 column", " at column")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_document_is_one_message_however_many_lines_it_has() {
        assert_eq!(messages("{\n\"a\": 1\n}\n").len(), 1);
        assert_eq!(messages("{\n\"a\": 1,\n\"b\"\n").len(), 1);
        assert_eq!(messages("").len(), 1);
    }

    #[test]
    fn a_broken_line_does_not_hide_the_others() {
        let all = messages("{}\n\n{oops\n[]\n");
        let lines: Vec<_> = all.iter().map(|it| (it.line, it.value.is_ok())).collect();
        assert_eq!(lines, [(Some(1), true), (Some(3), false), (Some(4), true)]);
    }
}
