//! JSON through the generated types and back, on the specification's own examples and on what others got wrong.

use std::{fs, path::PathBuf};

use mcp_tasks_tests::{
    roundtrip::{Revision, answer, reencode},
    sampler::json::{Equality, compare},
};
use mcp_tasks_types::{
    v2025_11_25::{self, PrimitiveSchemaDefinition},
    v2026_07_28::{self, CallToolResultResponseResult, ContentBlock},
};
use serde_json::{Value, json};

/// The folder of the official files; they are not part of the project.
fn spec_dir() -> Option<PathBuf> {
    let folder = std::env::var_os("MCP_SPEC_DIR").map(PathBuf::from);
    if folder.is_none() {
        eprintln!(
            "skipped: set MCP_SPEC_DIR to the folder of the official schema files (see CONTRIBUTING.md)"
        );
    }
    folder
}

#[track_caller]
fn unchanged(revision: Revision, def: &str, value: &Value) {
    let encoded = reencode(revision, def, &value.to_string())
        .unwrap_or_else(|| panic!("no type for {def}"))
        .unwrap_or_else(|error| panic!("{def} refused {value}: {error}"));
    // 50.0 and 50 are one number, and the types write the shorter.
    let equality = compare(&value.to_string(), &encoded);
    assert_eq!(
        equality,
        Equality::Equal,
        "{def}: {value} came back as {encoded}"
    );
}

#[track_caller]
fn refused(revision: Revision, def: &str, value: &Value) -> String {
    match reencode(revision, def, &value.to_string()).unwrap_or_else(|| panic!("no type for {def}"))
    {
        Ok(encoded) => panic!("{def} took {value} and wrote {encoded}"),
        Err(error) => error,
    }
}

#[test]
fn every_official_example_comes_back_equal() {
    let Some(spec) = spec_dir() else { return };
    let mut count = 0;
    for folder in fs::read_dir(spec.join("2026-07-28/examples")).expect("the examples are there") {
        let folder = folder.expect("a folder").path();
        let def = folder
            .file_name()
            .and_then(|name| name.to_str())
            .expect("a name")
            .to_owned();
        for file in fs::read_dir(&folder).expect("a folder of examples") {
            let file = file.expect("a file").path();
            let value =
                serde_json::from_str(&fs::read_to_string(&file).expect("text")).expect("JSON");
            unchanged(Revision::V2026_07_28, &def, &value);
            count += 1;
        }
    }
    assert!(count >= 80, "only {count} examples found");
}

/// covers: F01, F30
#[test]
fn audio_is_audio_and_not_the_first_block_that_fits() {
    let audio = json!({"type": "audio", "data": "AAAA", "mimeType": "audio/wav"});
    let block: ContentBlock = serde_json::from_value(audio.clone()).expect("a block");
    assert!(matches!(block, ContentBlock::Audio(_)), "{block:?}");
    let block: v2025_11_25::ContentBlock = serde_json::from_value(audio.clone()).expect("a block");
    assert!(
        matches!(block, v2025_11_25::ContentBlock::Audio(_)),
        "{block:?}"
    );
    unchanged(Revision::V2026_07_28, "ContentBlock", &audio);
    let error = refused(
        Revision::V2026_07_28,
        "ContentBlock",
        &json!({"type": "smell", "data": "AAAA"}),
    );
    for known in ["text", "image", "audio", "resource", "resource_link"] {
        assert!(error.contains(known), "{error}");
    }
}

/// covers: F01
#[test]
fn a_boolean_field_of_a_form_is_a_boolean_field() {
    let schema = json!({"type": "boolean"});
    let field: PrimitiveSchemaDefinition = serde_json::from_value(schema.clone()).expect("a field");
    assert!(
        matches!(field, PrimitiveSchemaDefinition::BooleanSchema(_)),
        "{field:?}"
    );
    let field: v2026_07_28::PrimitiveSchemaDefinition =
        serde_json::from_value(schema.clone()).expect("a field");
    assert!(
        matches!(
            field,
            v2026_07_28::PrimitiveSchemaDefinition::BooleanSchema(_)
        ),
        "{field:?}"
    );
}

/// covers: T06-M, F02
#[test]
fn the_time_to_live_of_a_task_may_be_null_but_not_missing() {
    let task = json!({
        "taskId": "t", "status": "working", "createdAt": "2025-11-25T10:30:00Z",
        "lastUpdatedAt": "2025-11-25T10:30:00Z", "ttl": null,
    });
    unchanged(Revision::V2025_11_25, "Task", &task);
    let mut without = task;
    without.as_object_mut().expect("an object").remove("ttl");
    let error = refused(Revision::V2025_11_25, "Task", &without);
    assert!(error.contains("ttl"), "{error}");

    without["ttlMs"] = Value::Null;
    unchanged(Revision::ExtTasks, "Task", &without);
    without.as_object_mut().expect("an object").remove("ttlMs");
    let error = refused(Revision::ExtTasks, "Task", &without);
    assert!(error.contains("ttlMs"), "{error}");
}

#[test]
fn what_no_schema_names_survives() {
    let value = json!({"name": "t", "inputSchema": {"type": "object", "x": [1, null]}, "later": {"a": [], "b": null}});
    unchanged(Revision::V2025_11_25, "Tool", &value);
    unchanged(Revision::V2026_07_28, "Tool", &value);
}

/// covers: F15
#[test]
fn a_result_of_nothing_but_meta_is_no_tool_result() {
    for revision in [Revision::V2025_11_25, Revision::V2026_07_28] {
        let error = refused(
            revision,
            "CallToolResult",
            &json!({"_meta": {}, "resultType": "complete"}),
        );
        assert!(error.contains("content"), "{error}");
    }
}

/// covers: F28
#[test]
fn a_tool_result_is_not_taken_for_a_question() {
    let response = |result: Value| json!({"jsonrpc": "2.0", "id": 1, "result": result});
    let content = json!([{"type": "text", "text": "kept"}]);
    let done = response(json!({"resultType": "complete", "content": content}));
    let asked = response(json!({"resultType": "input_required", "requestState": "s"}));
    for message in [&done, &asked] {
        unchanged(Revision::V2026_07_28, "CallToolResultResponse", message);
    }
    let done: v2026_07_28::CallToolResultResponse =
        serde_json::from_value(done).expect("a response");
    assert!(
        matches!(done.result, CallToolResultResponseResult::CallToolResult(_)),
        "{done:?}"
    );
    let asked: v2026_07_28::CallToolResultResponse =
        serde_json::from_value(asked).expect("a response");
    assert!(
        matches!(
            asked.result,
            CallToolResultResponseResult::InputRequiredResult(_)
        ),
        "{asked:?}"
    );
}

/// covers: F29
#[test]
fn numbers_empty_arrays_and_nulls_come_back_as_they_were() {
    let annotations = json!({"priority": 0.8, "audience": []});
    unchanged(Revision::V2025_11_25, "Annotations", &annotations);
    unchanged(Revision::V2026_07_28, "Annotations", &annotations);
    let result = json!({"resultType": "complete", "content": [], "structuredContent": null});
    unchanged(Revision::V2026_07_28, "CallToolResult", &result);
}

/// covers: F29
#[test]
fn an_array_of_values_is_no_object() {
    for revision in [Revision::V2025_11_25, Revision::V2026_07_28] {
        refused(revision, "Annotations", &json!([["user"], null, 1]));
    }
}

#[test]
fn a_line_gets_one_answer_with_what_happened() {
    let line = |def: &str, json: &str| json!({"def": def, "json": json}).to_string();
    let done = answer(
        Revision::V2026_07_28,
        &line("TextContent", r#"{"type":"text","text":"a"}"#),
    );
    assert!(done.ok && !done.skip && done.error.is_none(), "{done:?}");
    let refused = answer(
        Revision::V2026_07_28,
        &line("TextContent", r#"{"type":"text"}"#),
    );
    assert!(!refused.ok && refused.json.is_none(), "{refused:?}");
    assert!(refused.error.is_some_and(|error| error.contains("text")));
    let skipped = answer(Revision::V2026_07_28, &line("NoSuchDefinition", "{}"));
    assert!(
        skipped.skip && !skipped.ok && skipped.error.is_none(),
        "{skipped:?}"
    );
    let broken = answer(Revision::V2026_07_28, "nonsense");
    assert!(
        !broken.ok && !broken.skip && broken.error.is_some(),
        "{broken:?}"
    );
}
