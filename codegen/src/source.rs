//! Reads one schema file from disk: size, UTF-8, JSON syntax and outline are checked here, so that
//! everything behind this point can count on an object with definitions. Nothing is interpreted.

use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

/// Schema files above this size are refused: the official ones are below 0.2 MB.
pub const MAX_BYTES: u64 = 16 * 1024 * 1024;

/// One schema file as it lies on disk.
#[derive(Clone, Debug)]
pub struct Source {
    /// Where it was read from.
    pub path: PathBuf,
    /// The parsed document: an object with `$defs` or `definitions`.
    pub value: Value,
    /// SHA-256 of the file's bytes, in hexadecimal.
    pub sha256: String,
}

/// Why a schema file could not be read.
#[derive(Debug, thiserror::Error)]
pub enum SourceError {
    /// The file does not exist.
    #[error("{}: no such file; check the path", .0.display())]
    Missing(PathBuf),
    /// The path is a directory.
    #[error("{}: is a directory; name the schema file in it", .0.display())]
    Directory(PathBuf),
    /// The operating system refused.
    #[error("{}: cannot be read: {cause}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the operating system said.
        cause: io::Error,
    },
    /// The file is larger than [`MAX_BYTES`].
    #[error(
        "{}: is {megabytes} MB and the limit is {} MB; schemas of this protocol are below 1 MB, \
         so check that this is the schema file", path.display(), MAX_BYTES / (1024 * 1024)
    )]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// Its size, rounded up.
        megabytes: u64,
    },
    /// The bytes are not UTF-8.
    #[error(
        "{}: is not UTF-8 text (line {line}, byte {offset}); save it as UTF-8", path.display()
    )]
    Encoding {
        /// The file.
        path: PathBuf,
        /// Line of the first bad byte, from 1.
        line: usize,
        /// Offset of the first bad byte.
        offset: usize,
    },
    /// The file ends before the document does.
    #[error(
        "{}: ends in the middle of the document (line {line}); it was cut off or is empty, so \
         download it again", path.display()
    )]
    Truncated {
        /// The file.
        path: PathBuf,
        /// Last line.
        line: usize,
    },
    /// The file is not JSON.
    #[error("{}:{line}:{column}: is not valid JSON: {message}", path.display())]
    Syntax {
        /// The file.
        path: PathBuf,
        /// Line, from 1.
        line: usize,
        /// Column, from 1.
        column: usize,
        /// What is wrong there.
        message: String,
    },
    /// The document is JSON but not a schema file.
    #[error("{}: {message}", path.display())]
    Outline {
        /// The file.
        path: PathBuf,
        /// What was found and what is needed.
        message: String,
    },
}

/// Reads and parses the schema file at `path`.
///
/// # Errors
/// Fails when the file cannot be read, is too large, is not UTF-8 or JSON, or holds no definitions.
pub fn read(path: &Path) -> Result<Source, SourceError> {
    let bytes = read_bytes(path)?;
    let value = parse(path, &bytes)?;
    Ok(Source {
        path: path.to_owned(),
        value,
        sha256: sha256(&bytes),
    })
}

/// Parses the bytes of a schema file; `path` is used for messages only.
///
/// # Errors
/// As [`read`], without those of the file system.
pub fn parse(path: &Path, bytes: &[u8]) -> Result<Value, SourceError> {
    let text = std::str::from_utf8(bytes).map_err(|error| SourceError::Encoding {
        path: path.to_owned(),
        line: line_of(bytes, error.valid_up_to()),
        offset: error.valid_up_to(),
    })?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let value: Value = serde_json::from_str(text).map_err(|error| {
        let path = path.to_owned();
        if error.is_eof() {
            SourceError::Truncated {
                path,
                line: error.line(),
            }
        } else {
            SourceError::Syntax {
                path,
                line: error.line(),
                column: error.column(),
                message: without_position(&error),
            }
        }
    })?;
    outline(&value).map_err(|message| SourceError::Outline {
        path: path.to_owned(),
        message,
    })?;
    Ok(value)
}

/// The name of the member that holds the definitions (`$defs` or `definitions`) and its content.
#[must_use]
pub fn definitions(schema: &Value) -> Option<(&'static str, &Map<String, Value>)> {
    ["$defs", "definitions"].into_iter().find_map(|key| {
        schema
            .get(key)
            .and_then(Value::as_object)
            .map(|defs| (key, defs))
    })
}

/// SHA-256 in hexadecimal.
#[must_use]
pub fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

fn read_bytes(path: &Path) -> Result<Vec<u8>, SourceError> {
    let unreadable = |cause: io::Error| match cause.kind() {
        io::ErrorKind::NotFound => SourceError::Missing(path.to_owned()),
        _ => SourceError::Unreadable {
            path: path.to_owned(),
            cause,
        },
    };
    let file = fs::File::open(path).map_err(unreadable)?;
    let metadata = file.metadata().map_err(unreadable)?;
    if metadata.is_dir() {
        return Err(SourceError::Directory(path.to_owned()));
    }
    let mut bytes = Vec::new();
    // One byte more than allowed tells a file of exactly the limit from a larger one, pipes included.
    file.take(MAX_BYTES + 1)
        .read_to_end(&mut bytes)
        .map_err(unreadable)?;
    if bytes.len() as u64 > MAX_BYTES {
        let size = metadata.len().max(bytes.len() as u64);
        let megabytes = size.div_ceil(1024 * 1024);
        return Err(SourceError::TooLarge {
            path: path.to_owned(),
            megabytes,
        });
    }
    Ok(bytes)
}

fn outline(value: &Value) -> Result<(), String> {
    let Some(root) = value.as_object() else {
        return Err(format!(
            "a schema file is a JSON object with `$defs` or `definitions`, and this is {}",
            kind_of(value)
        ));
    };
    for key in ["$defs", "definitions"] {
        match root.get(key) {
            Some(Value::Object(_)) => return Ok(()),
            Some(other) => {
                return Err(format!(
                    "`/{key}` must be an object of definitions, and it is {}",
                    kind_of(other)
                ));
            }
            None => {}
        }
    }
    Err(
        "has neither `$defs` nor `definitions`; name a protocol schema, such as the official \
         schema.json of a revision"
            .to_owned(),
    )
}

/// A JSON value's kind, with its article, for messages.
#[must_use]
pub fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

fn line_of(bytes: &[u8], offset: usize) -> usize {
    bytes[..offset]
        .iter()
        .filter(|byte| **byte == b'\n')
        .count()
        + 1
}

/// serde_json appends ` at line L column C`, which the caller puts in front instead.
fn without_position(error: &serde_json::Error) -> String {
    let text = error.to_string();
    match text.rfind(" at line ") {
        Some(end) => text[..end].to_owned(),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failure(bytes: &[u8]) -> String {
        parse(Path::new("s.json"), bytes)
            .expect_err("refused")
            .to_string()
    }

    #[test]
    fn a_cut_off_file_is_told_from_a_broken_one() {
        assert!(failure(b"{\"$defs\": {").contains("ends in the middle"));
        assert!(failure(b"").contains("ends in the middle"));
        let broken = failure(b"{\n  oops\n}");
        assert!(
            broken.starts_with("s.json:2:3: is not valid JSON: key must be"),
            "{broken}"
        );
    }

    #[test]
    fn a_document_without_definitions_is_named_for_what_it_is() {
        assert!(failure(b"[]").contains("this is an array"));
        assert!(failure(b"{}").contains("neither `$defs` nor `definitions`"));
        assert!(failure(b"{\"$defs\": 3}").contains("it is a number"));
    }

    #[test]
    fn bytes_that_are_not_text_are_located() {
        assert!(failure(b"{\n\xff}").contains("line 2, byte 2"));
    }

    #[test]
    fn nesting_without_end_is_an_error() {
        let deep = format!("{{\"$defs\": {}", "[".repeat(100_000));
        assert!(failure(deep.as_bytes()).contains("recursion limit"));
    }
}
