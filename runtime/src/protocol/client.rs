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

/// Bytes of JSON of the capabilities that a session keeps as they came.
const KEPT: usize = 4 << 10;

/// What a session keeps of its client's capabilities. They may be as large as a message, and a session lives long.
pub(crate) struct Declared {
    pub(crate) kinds: InputKinds,
    /// As they came, in JSON, unless they are too long. As text they take the least room.
    whole: Option<Box<str>>,
}

impl Declared {
    pub(crate) fn of(capabilities: &JsonObject) -> Self {
        Self {
            kinds: input_kinds(capabilities),
            whole: serde_json::to_string(capabilities)
                .ok()
                .filter(|text| text.len() <= KEPT)
                .map(String::into_boxed_str),
        }
    }

    /// The capabilities, as far as they are kept.
    pub(crate) fn to_object(&self) -> JsonObject {
        self.whole
            .as_deref()
            .and_then(|text| serde_json::from_str(text).ok())
            .unwrap_or_else(|| as_capabilities(self.kinds))
    }
}

/// The capabilities that say no more than what the client can be asked.
fn as_capabilities(kinds: InputKinds) -> JsonObject {
    let marks = |marks: &[(&str, bool)]| {
        let set = marks.iter().filter(|(_, set)| *set);
        Value::Object(
            set.map(|(name, _)| ((*name).to_owned(), json!({})))
                .collect(),
        )
    };
    let all = [
        (
            "elicitation",
            kinds.form || kinds.url,
            marks(&[("form", kinds.form), ("url", kinds.url)]),
        ),
        (
            "sampling",
            kinds.sampling,
            marks(&[("tools", kinds.sampling_tools)]),
        ),
        ("roots", kinds.roots, json!({})),
    ];
    all.into_iter()
        .filter(|(_, declared, _)| *declared)
        .map(|(name, _, value)| (name.to_owned(), value))
        .collect()
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
    fn of_large_capabilities_only_what_can_be_asked_is_kept() {
        let object = |value: Value| value.as_object().unwrap().clone();
        let small = object(json!({"sampling": {}, "experimental": {"x": {"y": 1}}}));
        assert_eq!(Declared::of(&small).to_object(), small);
        for known in [
            json!({}),
            json!({"elicitation": {"form": {}}, "roots": {}}),
            json!({"elicitation": {"form": {}, "url": {}}, "sampling": {"tools": {}}}),
        ] {
            let known = object(known);
            let mut large = known.clone();
            large.insert("experimental".into(), json!({"x": "y".repeat(KEPT)}));
            let declared = Declared::of(&large);
            assert_eq!(declared.whole, None);
            assert_eq!(declared.kinds, input_kinds(&large));
            assert_eq!(declared.to_object(), known);
        }
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
