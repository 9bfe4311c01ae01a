//! Whether messages fit a definition, and where not: first the schema by a validator, then the rules of
//! tasks that a schema cannot say.

mod explain;
mod messages;
mod rules;

use serde::Serialize;
use serde_json::{Map, Value, json};

pub use messages::{Message, messages};

use crate::definitions::{Definitions, closest};
use crate::shapes;

/// Decides on messages of one definition.
#[derive(Debug)]
pub struct Checker {
    definition: String,
    validator: jsonschema::Validator,
}

/// Why a message does not fit.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Fault {
    /// JSON pointer into the message; empty for the message itself.
    pub pointer: String,
    /// What is wrong there.
    pub message: String,
}

/// Why no checker could be made.
#[derive(Debug, thiserror::Error)]
pub enum CheckerError {
    /// There is no such definition or method.
    #[error("{file} has no definition or method `{name}`; {hint}")]
    Unknown {
        /// The schema file.
        file: String,
        /// What was asked for.
        name: String,
        /// A near name, or how to list them.
        hint: String,
    },
    /// The validator does not take the schema.
    #[error("{file}: is not a schema that can be validated against: {message}")]
    Schema {
        /// The schema file.
        file: String,
        /// What the validator says.
        message: String,
    },
}

impl Checker {
    /// A checker for messages of the definition `name`, or of the method of that name.
    ///
    /// # Errors
    /// Fails when there is no such definition, or the validator refuses the schema.
    pub fn new(definitions: &Definitions, name: &str) -> Result<Self, CheckerError> {
        let file = definitions.path.display().to_string();
        let definition = find(definitions, name)?;
        let mut root = Map::new();
        if let Some(dialect) = &definitions.dialect {
            root.insert("$schema".to_owned(), json!(dialect));
        }
        let all: Map<String, Value> = definitions.all.clone().into_iter().collect();
        root.insert(
            "$ref".to_owned(),
            json!(format!("#{}", definitions.pointer(&definition))),
        );
        root.insert(definitions.key.to_owned(), Value::Object(all));
        let validator = jsonschema::validator_for(&Value::Object(root)).map_err(|error| {
            CheckerError::Schema {
                file,
                message: error.to_string(),
            }
        })?;
        Ok(Self {
            definition,
            validator,
        })
    }

    /// The definition that messages are held against.
    #[must_use]
    pub fn definition(&self) -> &str {
        &self.definition
    }

    /// What is wrong with `message`; nothing if it fits.
    #[must_use]
    pub fn check(&self, message: &Value) -> Vec<Fault> {
        let mut faults = Vec::new();
        for error in self.validator.iter_errors(message) {
            explain::explain(&error, &mut faults);
        }
        // The rules speak of messages that have the right shape.
        if faults.is_empty() {
            rules::check(&self.definition, message, &mut faults);
        }
        faults.sort();
        faults.dedup();
        faults
    }
}

/// The definition called `name`, or the one of the message of that method.
fn find(definitions: &Definitions, name: &str) -> Result<String, CheckerError> {
    if definitions.all.contains_key(name) {
        return Ok(name.to_owned());
    }
    let methods = shapes::methods(definitions);
    if let Some(first) = methods
        .get(name)
        .and_then(|method| method.definitions.first())
    {
        return Ok(first.clone());
    }
    let names = definitions
        .all
        .keys()
        .chain(methods.keys())
        .map(String::as_str);
    let hint = match closest(name, names) {
        Some(other) => format!("did you mean `{other}`?"),
        None => "`mcp-codegen list` shows them".to_owned(),
    };
    let file = definitions.path.display().to_string();
    Err(CheckerError::Unknown {
        file,
        name: name.to_owned(),
        hint,
    })
}
