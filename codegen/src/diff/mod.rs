//! What changed between two schemas, in the protocol's terms, and whom it breaks.
//!
//! *Reader* is code that understands the old schema and is sent messages of the new one. *Writer* is code
//! that writes messages of the old schema to a peer that understands the new one. Narrowing what is
//! valid breaks writers, widening it breaks readers.

mod compare;
mod methods;
mod rename;
mod render;
mod unions;

use serde::Serialize;

pub use render::{json, markdown, text};

use crate::definitions::Definitions;
use crate::shapes::Shapes;

/// What kind of change it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// A request or notification that did not exist.
    MethodAdded,
    /// A request or notification that is gone.
    MethodRemoved,
    /// The same definition has another method name.
    MethodRenamed,
    /// A method is sent by another side or in another place.
    MethodMoved,
    /// A definition that did not exist.
    DefinitionAdded,
    /// A definition that is gone.
    DefinitionRemoved,
    /// The same content under another name.
    DefinitionRenamed,
    /// A member that did not exist.
    MemberAdded,
    /// A member that is gone.
    MemberRemoved,
    /// The same member under another name.
    MemberRenamed,
    /// A member that has to be present now.
    NowRequired,
    /// A member that can be absent now.
    NowOptional,
    /// Another type.
    Retyped,
    /// A union takes more.
    VariantsAdded,
    /// A union takes less.
    VariantsRemoved,
    /// An enum has more values.
    ValuesAdded,
    /// An enum has fewer values.
    ValuesRemoved,
    /// A fixed value is another one.
    ConstChanged,
    /// A bound or rule allows less.
    Tightened,
    /// A bound or rule allows more.
    Loosened,
    /// A rule is another one.
    RuleChanged,
    /// An annotation (format, default) that decides nothing.
    Annotation,
}

/// Whom a change breaks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Breaks {
    /// Code that understands the old schema and reads messages of the new one.
    pub reader: bool,
    /// Code that writes messages of the old schema for readers of the new one.
    pub writer: bool,
}

impl Breaks {
    /// No one.
    pub const NONE: Self = Self {
        reader: false,
        writer: false,
    };
    /// Readers only: more is valid than before.
    pub const READER: Self = Self {
        reader: true,
        writer: false,
    };
    /// Writers only: less is valid than before.
    pub const WRITER: Self = Self {
        reader: false,
        writer: true,
    };
    /// Both.
    pub const BOTH: Self = Self {
        reader: true,
        writer: true,
    };

    /// Whether anyone is broken.
    #[must_use]
    pub fn any(self) -> bool {
        self.reader || self.writer
    }

    fn or(self, other: Self) -> Self {
        Self {
            reader: self.reader || other.reader,
            writer: self.writer || other.writer,
        }
    }
}

/// One change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Change {
    /// What kind of change it is.
    pub kind: Kind,
    /// The definition (with its new name), or the method for changes of methods.
    pub subject: String,
    /// The place in the definition: `params.name`, `content[]`; empty for the definition itself.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub member: String,
    /// What was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub old: Option<String>,
    /// What is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub new: Option<String>,
    /// Whom it breaks.
    pub breaks: Breaks,
    /// Whether it concerns tasks or what they are built on.
    pub tasks: bool,
    /// What a changed type means in detail.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub details: Vec<Change>,
}

impl Change {
    fn new(kind: Kind, subject: &str, member: &str, breaks: Breaks) -> Self {
        Self {
            kind,
            subject: subject.to_owned(),
            member: member.to_owned(),
            old: None,
            new: None,
            breaks,
            tasks: false,
            details: Vec::new(),
        }
    }

    fn old(mut self, text: impl Into<String>) -> Self {
        self.old = Some(text.into());
        self
    }

    fn new_text(mut self, text: impl Into<String>) -> Self {
        self.new = Some(text.into());
        self
    }
}

/// Everything that changed from one schema to another.
#[derive(Clone, Debug, Serialize)]
pub struct Diff {
    /// Name of the old file.
    pub old: String,
    /// Name of the new file.
    pub new: String,
    /// How much changed.
    pub summary: Summary,
    /// Changes that concern tasks first; then by kind, subject and member.
    pub changes: Vec<Change>,
}

/// How much changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Summary {
    /// All changes.
    pub changes: usize,
    /// Those that break readers.
    pub breaking_for_readers: usize,
    /// Those that break writers.
    pub breaking_for_writers: usize,
    /// Those that concern tasks.
    pub tasks: usize,
}

/// Compares two schemas.
#[must_use]
pub fn diff(old: &Definitions, new: &Definitions) -> Diff {
    let (before, after) = (Shapes::new(old), Shapes::new(new));
    let renamed = rename::definitions(&before, &after);
    let mut changes = methods::changes(&before, &after);
    changes.extend(compare::definitions(&before, &after, &renamed));
    for change in &mut changes {
        change.tasks = concerns_tasks(change);
    }
    changes.sort_by(|a, b| {
        let key = |it: &Change| (!it.tasks, it.kind, it.subject.clone(), it.member.clone());
        key(a).cmp(&key(b))
    });
    changes.dedup();
    let count = |test: &dyn Fn(&Change) -> bool| changes.iter().filter(|it| test(it)).count();
    let summary = Summary {
        changes: changes.len(),
        breaking_for_readers: count(&|it| it.breaks.reader),
        breaking_for_writers: count(&|it| it.breaks.writer),
        tasks: count(&|it| it.tasks),
    };
    let name = |it: &Definitions| it.path.display().to_string();
    Diff {
        old: name(old),
        new: name(new),
        summary,
        changes,
    }
}

/// Words that tasks are made of: the handle's tag and the questions that a task asks.
const TASK_WORDS: [&str; 7] = [
    "task",
    "resulttype",
    "inputrequest",
    "inputrequired",
    "inputresponse",
    "requeststate",
    "pollinterval",
];

fn concerns_tasks(change: &Change) -> bool {
    let own = [
        Some(&change.subject),
        Some(&change.member),
        change.old.as_ref(),
        change.new.as_ref(),
    ];
    own.into_iter().flatten().any(|text| {
        let text = text.to_ascii_lowercase().replace('_', "");
        TASK_WORDS.iter().any(|word| text.contains(word))
    })
}
