//! What a client declared that it can do.

use serde_json::{Value, json};

use crate::{JsonObject, context::InputKinds, types::ext_tasks::keys::TASKS};

/// Whether the client declares the tasks extension.
pub(crate) fn declares_tasks(capabilities: &JsonObject) -> bool {
    capabilities
        .get("extensions")
        .and_then(|all| all.get(TASKS))
        .is_some_and(Value::is_object)
}

/// What the client can be asked. The same in both eras: an empty `elicitation` means forms.
pub(crate) fn input_kinds(capabilities: &JsonObject) -> InputKinds {
    let object = |name: &str| capabilities.get(name).and_then(Value::as_object);
    let mut kinds = InputKinds::default();
    if let Some(elicitation) = object("elicitation") {
        kinds.url = elicitation.contains_key("url");
        kinds.form = elicitation.contains_key("form") || !kinds.url;
    }
    if let Some(sampling) = object("sampling") {
        kinds.sampling = true;
        kinds.sampling_tools = sampling.contains_key("tools");
    }
    kinds.roots = object("roots").is_some();
    kinds
}

/// `requiredCapabilities` for a capability by its dotted name (`elicitation.url`).
pub(crate) fn required(capability: &str) -> Value {
    capability
        .rsplit('.')
        .fold(json!({}), |inner, name| json!({ name: inner }))
}

/// `requiredCapabilities` for the tasks extension.
pub(crate) fn required_tasks() -> Value {
    json!({ "extensions": { TASKS: {} } })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(value: Value) -> InputKinds {
        input_kinds(value.as_object().unwrap())
    }

    /// covers: M-UPD-4
    #[test]
    fn kinds_of_input_are_read_from_the_capabilities() {
        assert_eq!(kinds(json!({})), InputKinds::default());
        assert!(kinds(json!({"elicitation": {}})).form);
        assert!(!kinds(json!({"elicitation": {}})).url);
        assert!(!kinds(json!({"elicitation": {"url": {}}})).form);
        assert!(kinds(json!({"elicitation": {"url": {}, "form": {}}})).form);
        assert!(!kinds(json!({"sampling": {}})).sampling_tools);
        assert_eq!(
            kinds(
                json!({"elicitation": {"url": {}, "form": {}}, "sampling": {"tools": {}}, "roots": {}})
            ),
            InputKinds::ALL
        );
    }

    #[test]
    fn a_dotted_name_becomes_nested_objects() {
        assert_eq!(required("sampling"), json!({"sampling": {}}));
        assert_eq!(
            required("elicitation.url"),
            json!({"elicitation": {"url": {}}})
        );
    }
}
