//! Errors: what says which values are known, what has no counterpart, and the path of the member in an error of decoding.

use std::fmt;

use super::DecodeError;

/// A string that is not in the list of an enum.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownValue {
    found: String,
    known: &'static [&'static str],
}

impl UnknownValue {
    /// The values that are in the list.
    #[must_use]
    pub fn known(&self) -> &'static [&'static str] {
        self.known
    }
}

/// Which of the `known` values the text is.
pub(crate) fn listed(text: &str, known: &'static [&'static str]) -> Result<usize, UnknownValue> {
    let index = known.iter().position(|name| *name == text);
    index.ok_or_else(|| UnknownValue {
        found: text.to_owned(),
        known,
    })
}

impl fmt::Display for UnknownValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` is none of ", self.found)?;
        for (index, name) in self.known.iter().enumerate() {
            f.write_str(if index == 0 { "" } else { ", " })?;
            f.write_str(name)?;
        }
        Ok(())
    }
}

impl std::error::Error for UnknownValue {}

/// A value that has no counterpart in the other revision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConversionError {
    member: &'static str,
    reason: String,
}

impl ConversionError {
    #[allow(dead_code)] // where no two revisions are on there is nothing to convert
    pub(crate) fn new(member: &'static str, reason: String) -> Self {
        Self { member, reason }
    }

    /// The member of the source that does not fit.
    #[must_use]
    pub fn member(&self) -> &'static str {
        self.member
    }
}

impl fmt::Display for ConversionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.member, self.reason)
    }
}

impl std::error::Error for ConversionError {}

/// Puts the member's name before the path that an error already carries. Errors of JSON syntax stay as they are: they
/// say where they are by line and column, and callers tell them apart.
#[cold]
#[inline(never)]
pub(crate) fn at<E: DecodeError>(name: &str, error: E) -> E {
    const DATA: [&str; 7] = [
        "invalid type",
        "invalid value",
        "invalid length",
        "missing field",
        "unknown variant",
        "unknown field",
        "duplicate field",
    ];
    let text = error.to_string();
    let is_plain = DATA.iter().any(|start| text.starts_with(start));
    if is_plain {
        return E::custom(format!("{name}: {text}"));
    }
    let has_path = text
        .match_indices(": ")
        .any(|(end, _)| DATA.iter().any(|start| text[end + 2..].starts_with(start)));
    match (has_path, text.starts_with('[')) {
        (false, _) => error,
        (true, true) => E::custom(format!("{name}{text}")),
        (true, false) => E::custom(format!("{name}.{text}")),
    }
}
