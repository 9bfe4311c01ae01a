//! The command `mcp-codegen`, from outside, on schemas that others stumble over.

use std::{
    fs,
    path::Path,
    process::{Command, Output},
};

use serde_json::{Value, json};

/// Runs `mcp-codegen generate` on one schema.
fn generate(schema: &Value, folder: &Path) -> Output {
    let file = folder.join("schema.json");
    fs::write(&file, schema.to_string()).expect("a file");
    Command::new(env!("CARGO"))
        .args([
            "run",
            "--locked",
            "--quiet",
            "-p",
            "mcp-codegen",
            "--",
            "generate",
            "--schema",
        ])
        .arg(file)
        .arg("--out")
        .arg(folder.join("out"))
        .output()
        .expect("cargo runs")
}

fn schema(definitions: Value) -> Value {
    json!({"$schema": "https://json-schema.org/draft/2020-12/schema", "$defs": definitions})
}

/// covers: F03
#[test]
fn shared_consts_property_names_and_described_references_are_taken() {
    let folder = tempfile::tempdir().expect("a folder");
    let member = |tag: &str| {
        json!({
            "type": "object",
            "properties": {"kind": {"const": "shared"}, "tag": {"const": tag}},
            "required": ["kind", "tag"],
        })
    };
    let output = generate(
        &schema(json!({
            "First": member("first"),
            "Second": member("second"),
            "Either": {"anyOf": [{"$ref": "#/$defs/First"}, {"$ref": "#/$defs/Second"}]},
            "Names": {
                "type": "object",
                "propertyNames": {"type": "string"},
                "additionalProperties": {"type": "string"},
            },
            "Holder": {
                "type": "object",
                "properties": {"it": {"$ref": "#/$defs/First", "description": "Beside a reference"}},
            },
        })),
        folder.path(),
    );
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    for name in ["Either", "Names", "Holder"] {
        assert!(
            written(&folder.path().join("out"), name),
            "{name} is missing: {said}"
        );
    }
}

/// Whether some generated file mentions a type of this name.
fn written(folder: &Path, name: &str) -> bool {
    fs::read_dir(folder).expect("a folder").any(|entry| {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            return written(&path, name);
        }
        let text = fs::read_to_string(&path).unwrap_or_default();
        ["struct", "enum", "type"]
            .iter()
            .any(|kind| text.contains(&format!("pub {kind} {name}")))
    })
}

/// covers: F03
#[test]
fn what_cannot_be_understood_is_shown_with_its_place() {
    let folder = tempfile::tempdir().expect("a folder");
    let broken = schema(json!({
        "Holder": {"type": "object", "properties": {"it": {"$ref": "#/$defs/Missing"}}},
    }));
    let output = generate(&broken, folder.path());
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{said}");
    for part in ["schema.json", "/$defs/Holder/properties/it", "Missing"] {
        assert!(said.contains(part), "{part} is not in: {said}");
    }
    assert!(!said.contains("panicked"), "{said}");
}
