//! What is valid: the `jsonschema` crate, one validator a definition, made once.

use std::collections::HashMap;
use std::sync::OnceLock;

use jsonschema::Validator;
use serde_json::{Value, json};

use super::schema::Document;

/// The validators of a document's definitions.
#[derive(Debug)]
pub struct Oracle<'d> {
    document: &'d Document,
    validators: HashMap<String, OnceLock<Validator>>,
}

impl<'d> Oracle<'d> {
    /// Validators of `document`, made when first asked.
    #[must_use]
    pub fn new(document: &'d Document) -> Self {
        let validators = document
            .names()
            .map(|name| (name.to_owned(), OnceLock::new()))
            .collect();
        Self {
            document,
            validators,
        }
    }

    /// Whether `value` fits the definition.
    ///
    /// # Panics
    ///
    /// When there is no such definition, or `jsonschema` refuses the schema.
    #[must_use]
    pub fn accepts(&self, definition: &str, value: &Value) -> bool {
        self.validator(definition).is_valid(value)
    }

    /// Why `value` does not fit: the validator's own words.
    #[must_use]
    pub fn reason(&self, definition: &str, value: &Value) -> String {
        match self.validator(definition).validate(value) {
            Ok(()) => "valid".to_owned(),
            Err(error) => {
                let text = super::report::cut(&error.to_string(), 200);
                format!("{text} at {:?}", error.instance_path().to_string())
            }
        }
    }

    fn validator(&self, definition: &str) -> &Validator {
        let cell = self.validators.get(definition);
        let cell = cell.unwrap_or_else(|| panic!("{}: no {definition}", self.document.name));
        cell.get_or_init(|| compile(self.document, definition))
    }
}

fn compile(document: &Document, definition: &str) -> Validator {
    let key = document.key();
    let mut schema = json!({ "$ref": format!("#/{key}/{definition}") });
    if let Some(dialect) = document.root().get("$schema") {
        schema["$schema"] = dialect.clone();
    }
    schema[key] = document.root()[key].clone();
    // `format` is an annotation in 2020-12; the crate asserts it in older drafts.
    jsonschema::options()
        .should_validate_formats(false)
        .build(&schema)
        .unwrap_or_else(|e| panic!("{}#{definition} is no schema: {e}", document.name))
}
