//! What can be wrong with a schema, with the JSON pointer of the place and a hint.

/// Why a schema cannot become Rust.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{input}: {pointer}: {kind}")]
pub struct ModelError {
    /// Name of the input (`2025-11-25`, or the file's name).
    pub input: String,
    /// JSON pointer into the schema file.
    pub pointer: String,
    /// What is wrong there, and what to do.
    pub kind: Box<Problem>,
}

impl ModelError {
    pub(super) fn is_contradiction(&self) -> bool {
        matches!(*self.kind, Problem::Contradiction { .. })
    }
}

/// What is wrong at a place of a schema, and what to do about it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    /// The file holds no definitions.
    #[error("no `$defs` or `definitions` here; hand in a schema file of the specification")]
    NoDefinitions,
    /// Something other than a schema stands where one belongs.
    #[error("{found} stands where a schema (an object, true or false) belongs")]
    NotASchema {
        /// JSON type of what was found.
        found: &'static str,
    },
    /// A keyword's value has the wrong form.
    #[error("`{keyword}` must be {expected}")]
    Malformed {
        /// The keyword.
        keyword: String,
        /// What it must be.
        expected: &'static str,
    },
    /// `$ref` to something that does not exist.
    #[error(
        "`$ref` points to `{target}`, which does not exist; check the spelling or add the definition"
    )]
    DanglingRef {
        /// Target as written.
        target: String,
    },
    /// `$ref` to something other than a definition of the same file.
    #[error(
        "`$ref` to `{target}` is not supported; refer to a definition of the same file (`#/$defs/NAME`)"
    )]
    ForeignRef {
        /// Target as written.
        target: String,
    },
    /// A definition that includes itself.
    #[error(
        "{path} includes itself, so no value could be built; break the cycle with an object member or an array"
    )]
    Cycle {
        /// Definitions on the way round.
        path: String,
    },
    /// A keyword that says what is valid and that the generator cannot express.
    #[error("`{keyword}` cannot be expressed in Rust types here; {hint}")]
    Unsupported {
        /// The keyword or construct.
        keyword: String,
        /// What to do instead.
        hint: String,
    },
    /// Parts of an `allOf` that no value can meet together.
    #[error("no value can be both {left} and {right}; remove one of the two")]
    Contradiction {
        /// First part.
        left: String,
        /// Second part.
        right: String,
    },
    /// Two definitions get the same Rust name.
    #[error(
        "`{first}` and `{second}` both become the Rust name `{name}`; pin one of them under [names] in the manifest"
    )]
    SameName {
        /// The first definition.
        first: String,
        /// The second definition.
        second: String,
        /// The Rust name.
        name: String,
    },
    /// Two members of an object get the same Rust name.
    #[error(
        "the members `{first}` and `{second}` both become the field `{name}`; pin one as `TYPE.MEMBER` under [names] in the manifest"
    )]
    SameField {
        /// The first member.
        first: String,
        /// The second member.
        second: String,
        /// The Rust name.
        name: String,
    },
    /// A name that cannot stand in Rust.
    #[error("the name `{name}` {problem}")]
    BadName {
        /// The name.
        name: String,
        /// What is wrong with it, and what to do.
        problem: &'static str,
    },
    /// A relaxation or rename of the manifest that fits nothing.
    #[error("{what} of the manifest fits nothing in the schemas; remove it or correct it")]
    Unused {
        /// The entry.
        what: String,
    },
}
