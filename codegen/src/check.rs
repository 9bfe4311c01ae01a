//! Whether the disk holds what would be generated: each file that differs, with the first lines that do,
//! each that is missing and each that is left over; and whether everything is described.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use serde::Serialize;

use crate::coverage::{self, Gap};
use crate::plan::Plan;

/// Lines of a difference that are shown on each side.
const SHOWN: usize = 5;

/// What a check found.
#[derive(Clone, Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Report {
    /// Files that are not as they would be generated.
    pub files: Vec<Finding>,
    /// What is not described.
    pub undocumented: BTreeSet<Gap>,
    /// What is described and does not exist.
    pub strays: Vec<Gap>,
}

/// A file that is not as it would be generated.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Finding {
    /// The file.
    pub path: PathBuf,
    /// What is the matter with it.
    pub state: State,
    /// First line that differs, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    /// The first lines that differ: as they are (`-`) and as they would be (`+`).
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub lines: Vec<String>,
}

/// What is the matter with a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum State {
    /// It has another content.
    Differs,
    /// It does not exist or cannot be read.
    Missing,
    /// A former run wrote it, and it would not be written any more.
    Stale,
}

impl State {
    /// The word for it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Differs => "differs",
            Self::Missing => "missing",
            Self::Stale => "stale",
        }
    }
}

impl Report {
    /// Whether there is nothing to object to.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        self.files.is_empty() && self.undocumented.is_empty() && self.strays.is_empty()
    }
}

/// Compares `plan` with the disk.
#[must_use]
pub fn check(plan: &Plan) -> Report {
    let mut files = Vec::new();
    for (path, wanted) in &plan.files {
        let Ok(found) = fs::read(path) else {
            let (line, lines) = (None, Vec::new());
            files.push(Finding {
                path: path.clone(),
                state: State::Missing,
                line,
                lines,
            });
            continue;
        };
        if found != wanted.as_bytes() {
            let (line, lines) = first_difference(&String::from_utf8_lossy(&found), wanted);
            let line = Some(line);
            files.push(Finding {
                path: path.clone(),
                state: State::Differs,
                line,
                lines,
            });
        }
    }
    for path in plan.stale() {
        files.push(Finding {
            path,
            state: State::Stale,
            line: None,
            lines: Vec::new(),
        });
    }
    Report {
        files,
        undocumented: coverage::undocumented(&plan.model),
        strays: coverage::strays(&plan.model, &plan.docs),
    }
}

/// The line at which two texts part, and a few lines of both up to where they meet again.
fn first_difference(found: &str, wanted: &str) -> (usize, Vec<String>) {
    let (found, wanted): (Vec<&str>, Vec<&str>) =
        (found.split('\n').collect(), wanted.split('\n').collect());
    let same = found
        .iter()
        .zip(&wanted)
        .take_while(|(a, b)| a == b)
        .count();
    let (found, wanted) = (&found[same..], &wanted[same..]);
    let tail = found
        .iter()
        .rev()
        .zip(wanted.iter().rev())
        .take_while(|(a, b)| a == b)
        .count();
    let side = |lines: &[&str], mark: char| {
        let middle = &lines[..lines.len() - tail.min(lines.len())];
        let mut out: Vec<String> = middle
            .iter()
            .take(SHOWN)
            .map(|line| format!("{mark} {line}"))
            .collect();
        if middle.len() > SHOWN {
            out.push(format!("{mark} ({} more lines)", middle.len() - SHOWN));
        }
        out
    };
    let mut lines = side(found, '-');
    lines.extend(side(wanted, '+'));
    (same + 1, lines)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_difference_shows_both_sides_of_the_lines_that_differ() {
        let (line, lines) = first_difference("a\nb\nc\n", "a\nx\ny\nc\n");
        assert_eq!(line, 2);
        assert_eq!(lines, ["- b", "+ x", "+ y"]);
    }

    #[test]
    fn a_missing_line_feed_at_the_end_is_a_difference() {
        let (line, lines) = first_difference("a", "a\n");
        assert_eq!((line, lines), (2, vec!["+ ".to_owned()]));
    }

    #[test]
    fn long_differences_are_cut() {
        let long = "x\n".repeat(100);
        let (line, lines) = first_difference("", &long);
        assert_eq!(line, 1);
        assert!(lines.len() < 10 && lines.last().is_some_and(|it| it.contains("more lines")));
    }
}
