//! Our own documentation, read from the TOML files of one directory (`schema/docs`). Every type,
//! field, variant and method is described once; a second description is an error that names both
//! places. What is described but does not exist, or exists but is not described, is found elsewhere.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::fs;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use toml::Spanned;

/// All documentation, by name.
#[derive(Clone, Debug, Default)]
pub struct Docs {
    /// By definition name as in the schema, or by the generated name of an inline object.
    pub types: BTreeMap<String, TypeDoc>,
    /// By method name, notifications included.
    pub methods: BTreeMap<String, MethodDoc>,
}

/// Documentation of one definition.
#[derive(Clone, Debug, Default)]
pub struct TypeDoc {
    /// What it is.
    pub doc: String,
    /// Page of the specification, below the revision's address.
    pub spec: Option<String>,
    /// By the member's name on the wire.
    pub fields: BTreeMap<String, String>,
    /// By the value on the wire, or by the member type's name for unions without a tag.
    pub variants: BTreeMap<String, String>,
    /// File and line of the entry.
    pub place: Place,
}

/// Documentation of one method or notification.
#[derive(Clone, Debug, Default)]
pub struct MethodDoc {
    /// What it does.
    pub doc: String,
    /// Page of the specification, below the revision's address.
    pub spec: Option<String>,
    /// File and line of the entry.
    pub place: Place,
}

/// A line of a documentation file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// The file.
    pub file: PathBuf,
    /// The line, from 1.
    pub line: usize,
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}", self.file.display(), self.line)
    }
}

/// Why the documentation could not be read.
#[derive(Debug, thiserror::Error)]
pub enum DocsError {
    /// A file or the directory cannot be read.
    #[error("{}: cannot be read: {cause}", path.display())]
    Io {
        /// The file or directory.
        path: PathBuf,
        /// What the operating system said.
        cause: io::Error,
    },
    /// Not TOML, an unknown key, or a missing `doc`.
    #[error("{place}: {message}")]
    Syntax {
        /// Where.
        place: Place,
        /// What is wrong.
        message: String,
    },
    /// The same thing is described twice.
    #[error("{second}: {what} is documented a second time, first at {first}; keep one")]
    Twice {
        /// Type or method, with its name.
        what: String,
        /// The first entry.
        first: Place,
        /// The second entry.
        second: Place,
    },
    /// A description without words.
    #[error("{place}: the `doc` of {what} is empty; write a sentence")]
    Empty {
        /// Type, field, variant or method.
        what: String,
        /// The entry.
        place: Place,
    },
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawType {
    doc: String,
    #[serde(default)]
    spec: Option<String>,
    #[serde(default)]
    fields: BTreeMap<String, String>,
    #[serde(default)]
    variants: BTreeMap<String, String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawMethod {
    doc: String,
    #[serde(default)]
    spec: Option<String>,
}

impl Docs {
    /// Reads every `*.toml` file of `dir`, in the order of their names.
    ///
    /// # Errors
    /// Fails on the first file that cannot be read or understood, and on a second description.
    pub fn read(dir: &Path) -> Result<Self, DocsError> {
        let unreadable = |path: &Path| {
            let path = path.to_owned();
            move |cause| DocsError::Io { path, cause }
        };
        let mut files = Vec::new();
        for entry in fs::read_dir(dir).map_err(unreadable(dir))? {
            let path = entry.map_err(unreadable(dir))?.path();
            if path
                .extension()
                .is_some_and(|extension| extension == "toml")
            {
                files.push(path);
            }
        }
        files.sort();
        let mut docs = Self::default();
        for file in files {
            let text = fs::read_to_string(&file).map_err(unreadable(&file))?;
            docs.add(&file, &text)?;
        }
        Ok(docs)
    }

    /// Adds one file's entries.
    ///
    /// # Errors
    /// Fails when the text is not understood or describes something a second time.
    pub fn add(&mut self, file: &Path, text: &str) -> Result<(), DocsError> {
        let place = |span: Range<usize>| Place {
            file: file.to_owned(),
            line: text[..span.start.min(text.len())].matches('\n').count() + 1,
        };
        let syntax = |error: toml::de::Error, fallback: Range<usize>| DocsError::Syntax {
            place: place(error.span().filter(|span| span.end > 0).unwrap_or(fallback)),
            message: error.message().to_owned(),
        };
        // Two steps: a file is a table of tables first, so that an error inside an entry is reported
        // with the entry's own line.
        let entries: BTreeMap<Spanned<String>, Spanned<toml::Value>> =
            toml::from_str(text).map_err(|error| syntax(error, 0..0))?;
        for (name, entry) in entries {
            let at = name.span();
            if name.get_ref() == "methods" {
                let methods: BTreeMap<String, RawMethod> = entry
                    .into_inner()
                    .try_into()
                    .map_err(|error| syntax(error, at.clone()))?;
                for (method, raw) in methods {
                    let line = line_of_method(text, &method).unwrap_or(place(at.clone()).line);
                    let place = Place {
                        file: file.to_owned(),
                        line,
                    };
                    self.add_method(method, raw, place)?;
                }
            } else {
                let raw: RawType =
                    entry
                        .into_inner()
                        .try_into()
                        .map_err(|error: toml::de::Error| DocsError::Syntax {
                            place: place(at.clone()),
                            message: format!("in `{}`: {}", name.get_ref(), error.message()),
                        })?;
                self.add_type(name.into_inner(), raw, place(at))?;
            }
        }
        Ok(())
    }

    fn add_type(&mut self, name: String, raw: RawType, place: Place) -> Result<(), DocsError> {
        let what = format!("`{name}`");
        let parts = raw.fields.iter().chain(&raw.variants);
        let empty = parts
            .map(|(part, doc)| (format!("`{name}`.`{part}`"), doc))
            .chain([(what.clone(), &raw.doc)])
            .find(|(_, doc)| doc.trim().is_empty());
        if let Some((what, _)) = empty {
            return Err(DocsError::Empty { what, place });
        }
        match self.types.entry(name) {
            Entry::Occupied(first) => Err(DocsError::Twice {
                what,
                first: first.get().place.clone(),
                second: place,
            }),
            Entry::Vacant(free) => {
                free.insert(TypeDoc {
                    doc: raw.doc,
                    spec: raw.spec,
                    fields: raw.fields,
                    variants: raw.variants,
                    place,
                });
                Ok(())
            }
        }
    }

    fn add_method(&mut self, name: String, raw: RawMethod, place: Place) -> Result<(), DocsError> {
        let what = format!("the method `{name}`");
        if raw.doc.trim().is_empty() {
            return Err(DocsError::Empty { what, place });
        }
        match self.methods.entry(name) {
            Entry::Occupied(first) => Err(DocsError::Twice {
                what,
                first: first.get().place.clone(),
                second: place,
            }),
            Entry::Vacant(free) => {
                free.insert(MethodDoc {
                    doc: raw.doc,
                    spec: raw.spec,
                    place,
                });
                Ok(())
            }
        }
    }
}

/// Methods stand in one table, whose span is its first line; the header of a method has its own.
fn line_of_method(text: &str, method: &str) -> Option<usize> {
    let header = format!("[methods.\"{method}\"]");
    text.lines()
        .position(|line| line.trim_start().starts_with(&header))
        .map(|index| index + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOOLS: &str = r#"
[Tool]
doc = "A tool."
spec = "server/tools"
[Tool.fields]
name = "What it is called."

[methods."tools/call"]
doc = "Calls a tool."
"#;

    fn read(text: &str) -> Result<Docs, String> {
        let mut docs = Docs::default();
        docs.add(Path::new("a.toml"), text)
            .map_err(|error| error.to_string())?;
        Ok(docs)
    }

    #[test]
    fn types_fields_and_methods_are_read() {
        let docs = read(TOOLS).expect("valid");
        assert_eq!(docs.types["Tool"].fields["name"], "What it is called.");
        assert_eq!(docs.types["Tool"].place.line, 2);
        assert_eq!(docs.methods["tools/call"].doc, "Calls a tool.");
        assert_eq!(docs.methods["tools/call"].place.line, 8);
    }

    #[test]
    fn an_unknown_key_is_an_error_at_its_entry() {
        let error = read("\n\n[Tool]\ndoc = 'x'\nspek = 'y'").expect_err("refused");
        assert!(
            error.starts_with("a.toml:") && error.contains("`Tool`"),
            "{error}"
        );
        assert!(error.contains("spek") && error.contains("spec"), "{error}");
    }

    #[test]
    fn a_second_description_names_both_places() {
        let mut docs = read(TOOLS).expect("valid");
        let error = docs
            .add(Path::new("b.toml"), "[Tool]\ndoc = 'Again.'")
            .expect_err("refused")
            .to_string();
        assert!(
            error.contains("b.toml:1") && error.contains("a.toml:2"),
            "{error}"
        );
        let error = docs
            .add(
                Path::new("c.toml"),
                "[methods.'tools/call']\ndoc = 'Again.'",
            )
            .expect_err("refused")
            .to_string();
        assert!(
            error.contains("tools/call") && error.contains("a.toml:8"),
            "{error}"
        );
    }

    #[test]
    fn a_repeated_key_and_broken_toml_have_a_line() {
        assert!(
            read("[A]\ndoc='x'\n[A]\ndoc='y'")
                .expect_err("refused")
                .starts_with("a.toml:3:")
        );
        assert!(
            read("[A]\ndoc=")
                .expect_err("refused")
                .starts_with("a.toml:2:")
        );
    }

    #[test]
    fn an_empty_description_is_refused() {
        let error = read("[A]\ndoc='x'\n[A.fields]\nb=' '").expect_err("refused");
        assert!(error.contains("`A`.`b`"), "{error}");
    }
}
