//! Decodes JSON into a generated type, by the type's name, and encodes it again.

use mcp_tasks_types::{ext_tasks, v2025_11_25, v2026_07_28};
use serde::{Deserialize, Serialize};

/// Which module of the generated types is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Revision {
    /// The core protocol of the legacy era.
    #[value(name = "2025-11-25")]
    V2025_11_25,
    /// The core protocol of the modern era.
    #[value(name = "2026-07-28")]
    V2026_07_28,
    /// The tasks extension of the modern era.
    #[value(name = "ext-tasks")]
    ExtTasks,
}

/// One line in: a JSON text and the definition that it is an instance of.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Question {
    /// The definition's name, as in the schema.
    pub def: String,
    /// The JSON text.
    pub json: String,
}

/// One line out.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct Answer {
    /// Whether the text was decoded and encoded again.
    pub ok: bool,
    /// What it was encoded to.
    pub json: Option<String>,
    /// Why it was refused.
    pub error: Option<String>,
    /// There is no Rust type of that name.
    pub skip: bool,
}

/// Answers one line of input.
pub fn answer(revision: Revision, line: &str) -> Answer {
    let reencoded = match serde_json::from_str::<Question>(line) {
        Ok(Question { def, json }) => reencode(revision, &def, &json),
        Err(error) => Some(Err(format!("the line is not {{def, json}}: {error}"))),
    };
    Answer {
        ok: matches!(reencoded, Some(Ok(_))),
        skip: reencoded.is_none(),
        error: reencoded
            .as_ref()
            .and_then(|done| done.as_ref().err().cloned()),
        json: reencoded.and_then(Result::ok),
    }
}

/// Decodes and encodes; `None` if there is no Rust type of that name.
pub fn reencode(revision: Revision, def: &str, json: &str) -> Option<Result<String, String>> {
    let done = match revision {
        Revision::V2025_11_25 => v2025_11_25::registry::reencode(def, json),
        Revision::V2026_07_28 => v2026_07_28::registry::reencode(def, json),
        Revision::ExtTasks => ext_tasks::registry::reencode(def, json),
    };
    done.map(|result| result.map_err(|error| error.to_string()))
}
