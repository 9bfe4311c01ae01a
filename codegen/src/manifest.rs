//! `schema/manifest.toml`: which schema files make which module, how definitions are spread over
//! files, names that are pinned, renames between revisions, relaxations and provenance. Declares
//! only; nothing here reads a schema.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use indexmap::IndexMap;
use serde::Deserialize;

use crate::modules;

/// Where the manifest is looked for, from the working directory upwards.
pub const DEFAULT_PATH: &str = "schema/manifest.toml";

/// The whole manifest.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Manifest {
    /// Where the manifest was read from; paths in it are relative to its directory.
    #[serde(skip)]
    pub path: PathBuf,
    /// What is written, and where.
    #[serde(default)]
    pub output: Output,
    /// The schema files, in the order in which shared definitions are looked for.
    #[serde(default, rename = "input")]
    pub inputs: Vec<Input>,
    /// Domain file -> the definitions in it, by name or with `*` at either end. The first match wins,
    /// an exact name goes before a pattern.
    #[serde(default)]
    pub domains: IndexMap<String, Vec<String>>,
    /// Definition -> the Rust name it gets instead of the derived one.
    #[serde(default)]
    pub names: BTreeMap<String, String>,
    /// Members that changed their name between two revisions.
    #[serde(default, rename = "rename")]
    pub renames: Vec<Rename>,
    /// Places where generated types accept more than the schema says.
    #[serde(default, rename = "relax")]
    pub relaxations: Vec<Relaxation>,
    /// Numbers that the types hold otherwise than JSON does.
    #[serde(default, rename = "limit")]
    pub limits: Vec<Limit>,
}

/// What is written, and where.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Output {
    /// Directory of the generated crate.
    pub types: PathBuf,
    /// Directory of our own documentation.
    pub docs: PathBuf,
    /// File for the facts that the attribute macro checks against.
    #[serde(default)]
    pub macro_spec: Option<PathBuf>,
}

/// One schema file and the module it becomes.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Input {
    /// Short name: `2025-11-25`, `ext-tasks`.
    pub name: String,
    /// The facts file.
    pub file: PathBuf,
    /// Rust module.
    pub module: String,
    /// Cargo feature that switches the module on.
    pub feature: String,
    /// Features that `feature` needs.
    #[serde(default)]
    pub needs: Vec<String>,
    /// Start of the specification pages that the documentation's `spec` entries continue.
    #[serde(default)]
    pub spec: Option<String>,
    /// Keys with a prefix that the specification's text has and its schema lacks, with our words on each.
    #[serde(default)]
    pub keys: BTreeMap<String, String>,
    /// Where the file comes from.
    #[serde(default)]
    pub upstream: Option<Upstream>,
}

/// Provenance of a facts file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Upstream {
    /// Address of the repository.
    #[serde(default)]
    pub repository: Option<String>,
    /// Path of the official file in it.
    #[serde(default)]
    pub path: Option<String>,
    /// Commit that the file was taken from.
    #[serde(default)]
    pub commit: Option<String>,
    /// SHA-256 of the official file.
    pub sha256: String,
    /// SPDX expression of the upstream licence.
    #[serde(default)]
    pub licence: Option<String>,
}

/// A member with two names in two revisions.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Rename {
    /// Definitions it holds for, by name or with `*`.
    pub types: Vec<String>,
    /// Input with the first name, and that name.
    pub from: Member,
    /// Input with the second name, and that name.
    pub to: Member,
}

/// A member of a revision.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Member {
    /// Name of the input.
    pub input: String,
    /// Name of the member on the wire.
    pub member: String,
}

/// A place where generated types accept more than the schema says.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Relaxation {
    /// Inputs it applies to; all where the pointer exists if left out.
    #[serde(default)]
    pub inputs: Vec<String>,
    /// JSON pointer of the schema that is relaxed.
    pub at: String,
    /// JSON types that are accepted there as well, or `any`.
    pub accept: Vec<String>,
    /// Why exactness would hurt.
    pub reason: String,
}

/// Numbers that a schema allows and the generated types hold otherwise. The types always do so; the entry declares it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Limit {
    /// Which numbers.
    pub numbers: Numbers,
    /// What becomes of them.
    pub effect: Effect,
    /// Why exactness would cost too much.
    pub reason: String,
}

/// Numbers that are not held exactly.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub enum Numbers {
    /// Of the type `integer`, and too large for 64 bits.
    #[serde(rename = "integers-past-64-bits")]
    IntegersPast64Bits,
    /// Of the type `number`, written as integers, and between two doubles.
    #[serde(rename = "numbers-past-53-bits")]
    NumbersPast53Bits,
}

/// What becomes of a number that is not held exactly.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Effect {
    /// It is an error.
    Refused,
    /// It becomes the nearest that can be held.
    Rounded,
}

/// Why a manifest could not be used.
#[derive(Debug, thiserror::Error)]
pub enum ManifestError {
    /// No manifest above the working directory.
    #[error(
        "no {DEFAULT_PATH} here or in a directory above; run this in the project, name one with \
         --manifest, or generate from files with --schema FILE --out DIR"
    )]
    NotFound,
    /// The file cannot be read or written.
    #[error("{}: {cause}", path.display())]
    Io {
        /// The manifest.
        path: PathBuf,
        /// What the operating system said.
        cause: io::Error,
    },
    /// Not TOML, an unknown key, or a missing one.
    #[error("{}: {message}", path.display())]
    Syntax {
        /// The manifest.
        path: PathBuf,
        /// What is wrong, with line and column.
        message: String,
    },
    /// Two entries contradict each other.
    #[error("{}: {message}", path.display())]
    Conflict {
        /// The manifest.
        path: PathBuf,
        /// The entries.
        message: String,
    },
}

impl Manifest {
    /// Finds [`DEFAULT_PATH`] in `start` or above it.
    ///
    /// # Errors
    /// Fails when there is none.
    pub fn find(start: &Path) -> Result<PathBuf, ManifestError> {
        start
            .ancestors()
            .map(|dir| dir.join(DEFAULT_PATH))
            .find(|path| path.is_file())
            .ok_or(ManifestError::NotFound)
    }

    /// Reads the manifest at `path`.
    ///
    /// # Errors
    /// Fails when the file cannot be read, is not what a manifest looks like, or contradicts itself.
    pub fn read(path: &Path) -> Result<Self, ManifestError> {
        let text = fs::read_to_string(path).map_err(|cause| ManifestError::Io {
            path: path.to_owned(),
            cause,
        })?;
        Self::parse(path, &text)
    }

    /// Parses a manifest's text; `path` says where it lies.
    ///
    /// # Errors
    /// As [`Manifest::read`], without those of the file system.
    pub fn parse(path: &Path, text: &str) -> Result<Self, ManifestError> {
        let mut manifest: Self = toml::from_str(text).map_err(|error| ManifestError::Syntax {
            path: path.to_owned(),
            message: error.to_string().trim_end().to_owned(),
        })?;
        manifest.path = path.to_owned();
        manifest.check_names()?;
        Ok(manifest)
    }

    /// A path of the manifest, seen from the working directory.
    #[must_use]
    pub fn resolve(&self, relative: &Path) -> PathBuf {
        let joined = self.path.parent().unwrap_or(Path::new("")).join(relative);
        tidy(&joined)
    }

    /// The input called `name`.
    #[must_use]
    pub fn input(&self, name: &str) -> Option<&Input> {
        self.inputs.iter().find(|input| input.name == name)
    }

    /// The domain of a definition, if one claims it.
    #[must_use]
    pub fn domain_of(&self, definition: &str) -> Option<&str> {
        let find = |fits: &dyn Fn(&str) -> bool| {
            self.domains
                .iter()
                .find(|(_, patterns)| patterns.iter().any(|pattern| fits(pattern)))
                .map(|(domain, _)| domain.as_str())
        };
        find(&|pattern| pattern == definition)
            .or_else(|| find(&|pattern| matches(pattern, definition)))
    }

    fn check_names(&self) -> Result<(), ManifestError> {
        let conflict = |message| ManifestError::Conflict {
            path: self.path.clone(),
            message,
        };
        let unfit = |what: &str, name: &str, taken: &[&str]| {
            let problem = modules::problem(name, taken)?;
            Some(conflict(format!("the {what} `{name}` {problem}")))
        };
        for domain in self.domains.keys() {
            if let Some(error) = unfit("domain", domain, modules::OF_INPUT) {
                return Err(error);
            }
        }
        for (index, input) in self.inputs.iter().enumerate() {
            if let Some(error) = unfit("module", &input.module, modules::OF_CRATE) {
                return Err(error);
            }
            if modules::FEATURES.contains(&input.feature.as_str()) {
                return Err(conflict(format!(
                    "the feature `{}` is one that generated crates have already; choose another",
                    input.feature
                )));
            }
            for earlier in &self.inputs[..index] {
                for (what, one, other) in [
                    ("name", &earlier.name, &input.name),
                    ("module", &earlier.module, &input.module),
                    ("feature", &earlier.feature, &input.feature),
                ] {
                    if one == other {
                        return Err(conflict(format!(
                            "two inputs have the {what} `{one}`; give one of them another"
                        )));
                    }
                }
            }
        }
        let mut exact: BTreeMap<&str, &str> = BTreeMap::new();
        for (domain, patterns) in &self.domains {
            for pattern in patterns.iter().filter(|pattern| !pattern.contains('*')) {
                if let Some(first) = exact.insert(pattern, domain) {
                    return Err(conflict(format!(
                        "`{pattern}` is in the domains `{first}` and `{domain}`; keep one"
                    )));
                }
            }
        }
        for (index, limit) in self.limits.iter().enumerate() {
            let effect = match limit.numbers {
                Numbers::IntegersPast64Bits => Effect::Refused,
                Numbers::NumbersPast53Bits => Effect::Rounded,
            };
            if limit.effect != effect {
                return Err(conflict(format!(
                    "the limit {}: these are {effect:?} by the generated types; correct `effect`",
                    index + 1
                )));
            }
        }
        for member in self
            .renames
            .iter()
            .flat_map(|rename| [&rename.from, &rename.to])
        {
            if self.input(&member.input).is_none() {
                return Err(conflict(format!(
                    "a rename speaks of the input `{}`, which does not exist",
                    member.input
                )));
            }
        }
        Ok(())
    }
}

/// Whether `name` fits `pattern`, where `*` stands for any text.
#[must_use]
pub fn matches(pattern: &str, name: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == name,
        Some((start, rest)) => name.strip_prefix(start).is_some_and(|tail| {
            if rest.is_empty() {
                return true;
            }
            (0..=tail.len())
                .filter(|at| tail.is_char_boundary(*at))
                .any(|at| matches(rest, &tail[at..]))
        }),
    }
}

/// Removes `x/..` and `.` from a path by its text, so that messages show short paths.
pub(crate) fn tidy(path: &Path) -> PathBuf {
    use std::path::Component;
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir
                if matches!(out.components().next_back(), Some(Component::Normal(_))) =>
            {
                out.pop();
            }
            other => out.push(other),
        }
    }
    if out.as_os_str().is_empty() {
        PathBuf::from(".")
    } else {
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_stand_for_any_text() {
        for (pattern, name, fits) in [
            ("Task", "Task", true),
            ("Task", "Tasks", false),
            ("*Task*", "CancelTaskRequest", true),
            ("List*Result", "ListToolsResult", true),
            ("List*Result", "ListToolsResultResponse", false),
            ("*", "", true),
        ] {
            assert_eq!(matches(pattern, name), fits, "{pattern} {name}");
        }
    }

    #[test]
    fn an_exact_name_goes_before_a_pattern() {
        let text = "[domains]\ntools = ['*Tool*']\ncontent = ['ToolUseContent']";
        let manifest = Manifest::parse(Path::new("m.toml"), text).expect("valid");
        assert_eq!(manifest.domain_of("ToolUseContent"), Some("content"));
        assert_eq!(manifest.domain_of("ListToolsResult"), Some("tools"));
        assert_eq!(manifest.domain_of("Role"), None);
    }

    #[test]
    fn an_unknown_key_is_named_with_its_line() {
        let error = Manifest::parse(
            Path::new("m.toml"),
            "\n[output]\ntypes='a'\ndocs='b'\nfoo=1",
        )
        .expect_err("refused")
        .to_string();
        assert!(
            error.contains("m.toml") && error.contains("line 5") && error.contains("foo"),
            "{error}"
        );
    }

    #[test]
    fn a_definition_in_two_domains_is_refused() {
        let error = Manifest::parse(Path::new("m.toml"), "[domains]\na = ['X']\nb = ['X']")
            .expect_err("refused")
            .to_string();
        assert!(
            error.contains("`X` is in the domains `a` and `b`"),
            "{error}"
        );
    }

    #[test]
    fn a_limit_says_what_the_types_do() {
        let parse = |numbers: &str, effect: &str| {
            let text = format!("[[limit]]\nnumbers='{numbers}'\neffect='{effect}'\nreason='x'");
            Manifest::parse(Path::new("m.toml"), &text).map(|it| it.limits[0].numbers)
        };
        let numbers = parse("integers-past-64-bits", "refused").expect("valid");
        assert_eq!(numbers, Numbers::IntegersPast64Bits);
        for (numbers, effect, part) in [
            ("integers-past-64-bits", "rounded", "Refused"),
            ("numbers-past-53-bits", "refused", "Rounded"),
            ("numbers", "refused", "integers-past-64-bits"),
        ] {
            let error = parse(numbers, effect).expect_err("refused").to_string();
            assert!(error.contains(part), "{error}");
        }
    }

    #[test]
    fn paths_are_relative_to_the_manifest() {
        let manifest = Manifest::parse(Path::new("schema/manifest.toml"), "").expect("valid");
        assert_eq!(
            manifest.resolve(Path::new("../generated")),
            Path::new("generated")
        );
        assert_eq!(
            manifest.resolve(Path::new("docs")),
            Path::new("schema/docs")
        );
    }
}
