//! Rust names from the specification's.

use heck::{ToPascalCase, ToSnakeCase};

/// Names that the language, the prelude or the generated crate itself uses.
const TAKEN: &[&str] = &[
    "Beside",
    "Both",
    "Box",
    "BTreeMap",
    "Candidate",
    "Clone",
    "Closed",
    "Constant",
    "Content",
    "ConversionError",
    "Cow",
    "Debug",
    "Decode",
    "DecodeError",
    "DecodeKind",
    "DecodeObject",
    "Default",
    "Deserialize",
    "Deserializer",
    "Double",
    "EncodeObject",
    "Eq",
    "Err",
    "Error",
    "Fill",
    "FillSlots",
    "From",
    "Future",
    "Into",
    "JsonObject",
    "May",
    "MayNumber",
    "Members",
    "Method",
    "MethodInfo",
    "MethodKind",
    "Must",
    "MustNumber",
    "None",
    "Ok",
    "Open",
    "Option",
    "Parts",
    "Record",
    "Replay",
    "Rest",
    "Result",
    "Self",
    "Send",
    "Sender",
    "Serialize",
    "SerializeMap",
    "Serializer",
    "Slot",
    "Slots",
    "Some",
    "String",
    "Sync",
    "TaskHandler",
    "TaskRequest",
    "TaskResponse",
    "TryFrom",
    "Unexpected",
    "UnknownValue",
    "Value",
    "Values",
    "Vec",
];

/// Names beside the markers of methods.
const BESIDE_MARKERS: &[&str] = &[
    "BTreeMap",
    "JsonObject",
    "Method",
    "MethodInfo",
    "MethodKind",
    "Option",
    "Sender",
    "String",
    "Value",
    "Vec",
];

/// The Rust name of a definition or of a part of one: `JSONRPCRequest` -> `JsonRpcRequest`, `tools/call` -> `ToolsCall`.
pub(super) fn type_name(name: &str) -> String {
    name.replace("JSONRPC", "JsonRpc").to_pascal_case()
}

/// [`type_name`], kept clear of the names that generated code needs itself.
pub(super) fn definition_name(name: &str) -> String {
    let rust = type_name(name);
    match rust.as_str() {
        "Result" | "Error" => format!("{rust}Object"),
        taken if TAKEN.contains(&taken) => format!("{rust}Type"),
        _ => rust,
    }
}

/// The Rust name of an enum's value or a union's alternative.
pub(super) fn variant_name(value: &str) -> String {
    let name = type_name(value);
    match name.chars().next() {
        None => match value {
            "" => "Empty".to_owned(),
            _ => "Value".to_owned(),
        },
        Some(first) if first.is_ascii_digit() => format!("V{name}"),
        Some(_) if name == "Self" => "SelfValue".to_owned(),
        Some(_) => name,
    }
}

/// The Rust name of a method's marker: `tools/call` -> `ToolsCall`.
pub(super) fn marker_name(method: &str) -> String {
    let name = variant_name(method);
    if BESIDE_MARKERS.contains(&name.as_str()) {
        format!("{name}Method")
    } else {
        name
    }
}

/// The Rust name of a member, without `r#`: `_meta` -> `meta`, `io.modelcontextprotocol/clientInfo` -> `client_info`.
pub(super) fn field_name(member: &str) -> String {
    let last = member
        .rsplit('/')
        .find(|part| part.chars().any(char::is_alphanumeric))
        .unwrap_or(member);
    let name = last.to_snake_case();
    match name.as_str() {
        "" => "empty".to_owned(),
        // These cannot be raw identifiers, and `extra` holds the unknown members.
        "self" | "super" | "crate" | "extra" => format!("{name}_"),
        _ if name.starts_with(|first: char| first.is_ascii_digit()) => format!("n{name}"),
        _ => name,
    }
}

/// Why the name cannot be a type's, with what to do about it where the manifest pins it and where it is derived.
pub(super) fn problem(name: &str, is_pinned: bool) -> Option<&'static str> {
    let is_type = name.starts_with(char::is_uppercase) && is_identifier(name);
    match is_pinned {
        true if TAKEN.contains(&name) => {
            Some("is one that generated code needs itself; choose another")
        }
        true if !is_type => {
            Some("cannot be a type; choose a capital letter, then letters and digits")
        }
        false if !is_identifier(name) => {
            Some("cannot be a type; pin another under [names] in the manifest")
        }
        _ => None,
    }
}

/// What is wrong with a name that cannot stand in Rust.
pub(super) const NO_IDENTIFIER: &str = "is not a Rust identifier; choose letters, digits and `_`";

/// Whether a text can stand as a name in Rust, raw or not.
pub(super) fn is_identifier(name: &str) -> bool {
    syn::parse_str::<syn::Ident>(name).is_ok()
        || syn::parse_str::<syn::Ident>(&format!("r#{name}")).is_ok()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    /// Everything in the module `support` is in scope beside the definitions.
    #[test]
    fn what_the_support_module_has_is_taken() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/templates/support");
        let mut found = 0;
        for file in fs::read_dir(folder).expect("the templates") {
            let text = fs::read_to_string(file.expect("a file").path()).expect("a template");
            let is_seen = |line: &&str| line.starts_with("pub ") || line.starts_with("pub(crate)");
            for line in text.lines().filter(is_seen) {
                let mut words = line.split(|c: char| !c.is_alphanumeric());
                let kinds = ["struct", "enum", "trait", "type"];
                let Some(_) = words.find(|word| kinds.contains(word)) else {
                    continue;
                };
                let name = words.next().expect("a name");
                assert!(TAKEN.contains(&name), "{name} is not taken: {line}");
                found += 1;
            }
        }
        assert!(found > 20, "{found} items");
        assert_eq!(definition_name("Closed"), "ClosedType");
    }

    #[test]
    fn acronyms_take_rusts_case() {
        for (name, rust) in [
            ("JSONRPCRequest", "JsonRpcRequest"),
            ("JSONRPCErrorResponse", "JsonRpcErrorResponse"),
            ("ElicitRequestURLParams", "ElicitRequestUrlParams"),
            ("URLElicitationRequiredError", "UrlElicitationRequiredError"),
            ("JSONValue", "JsonValue"),
            ("type", "Type"),
            ("Result", "ResultObject"),
            ("JSONObject", "JsonObjectType"),
        ] {
            assert_eq!(definition_name(name), rust);
        }
    }

    #[test]
    fn markers_keep_clear_of_what_is_beside_them() {
        for (method, marker) in [
            ("tools/call", "ToolsCall"),
            ("ping", "Ping"),
            ("sender", "SenderMethod"),
            ("", "Empty"),
        ] {
            assert_eq!(marker_name(method), marker);
        }
    }

    #[test]
    fn members_become_snake_case_fields() {
        for (member, field) in [
            ("_meta", "meta"),
            ("$schema", "schema"),
            ("io.modelcontextprotocol/clientInfo", "client_info"),
            ("ttlMs", "ttl_ms"),
            ("type", "type"),
            ("self", "self_"),
            ("2fa", "n2fa"),
            ("/", "empty"),
        ] {
            assert_eq!(field_name(member), field);
        }
    }

    #[test]
    fn values_become_variants() {
        for (value, variant) in [
            ("date-time", "DateTime"),
            ("tools/call", "ToolsCall"),
            ("2.0", "V20"),
            ("", "Empty"),
            ("self", "SelfValue"),
        ] {
            assert_eq!(variant_name(value), variant);
        }
    }
}
