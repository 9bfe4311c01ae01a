//! `diff`: what it finds between real revisions, and how it weighs each kind of change.

mod common;

use std::path::Path;

use common::{file, root, run, scratch};
use mcp_codegen::definitions::Definitions;
use mcp_codegen::diff::{Breaks, Change, Diff, Kind, diff, markdown, text};
use serde_json::{Value, json};

fn facts(name: &str) -> Definitions {
    Definitions::read(&root().join("schema").join(format!("{name}.json"))).expect("valid")
}

fn definitions(schema: &Value) -> Definitions {
    Definitions::new(Path::new("s.json"), &json!({ "$defs": schema })).expect("valid")
}

fn between(old: Value, new: Value) -> Vec<Change> {
    diff(&definitions(&old), &definitions(&new)).changes
}

/// The only change between two versions of one member.
fn of_member(old: Value, new: Value) -> Change {
    let object = |member| json!({"A": {"type": "object", "properties": {"m": member}}});
    let mut changes = between(object(old), object(new));
    assert_eq!(changes.len(), 1, "{changes:?}");
    changes.remove(0)
}

fn has(diff: &Diff, kind: Kind, subject: &str, member: &str) -> bool {
    diff.changes
        .iter()
        .any(|it| it.kind == kind && it.subject == subject && it.member == member)
}

#[test]
fn the_core_revisions_differ_in_what_is_known_of_them() {
    let found = diff(&facts("2025-11-25"), &facts("2026-07-28"));
    for method in [
        "tasks/get",
        "tasks/result",
        "tasks/list",
        "tasks/cancel",
        "initialize",
    ] {
        assert!(has(&found, Kind::MethodRemoved, method, ""), "{method}");
    }
    assert!(has(&found, Kind::MethodAdded, "server/discover", ""));
    assert!(has(&found, Kind::MethodMoved, "elicitation/create", ""));
    assert!(has(
        &found,
        Kind::MemberAdded,
        "CallToolResult",
        "resultType"
    ));
    assert!(has(
        &found,
        Kind::DefinitionAdded,
        "InputRequiredResult",
        ""
    ));
    assert!(has(&found, Kind::Retyped, "RequestParams", "_meta"));
    assert!(has(&found, Kind::NowRequired, "RequestParams", "_meta"));
    assert!(has(
        &found,
        Kind::Tightened,
        "CompleteResult",
        "completion.values"
    ));
    let first_other = found
        .changes
        .iter()
        .position(|it| !it.tasks)
        .expect("others");
    assert!(
        found.changes[first_other..].iter().all(|it| !it.tasks),
        "tasks come first"
    );
    assert!(text(&found).contains("\nTasks\n"));
    let notes = markdown(&found);
    assert!(
        notes.starts_with("## Schema changes from 2025-11-25 to 2026-07-28\n"),
        "{notes}"
    );
    assert!(notes.contains("- Method `tasks/list` removed"), "{notes}");
    assert!(notes.contains("**Breaks writers.**"), "{notes}");
}

#[test]
fn renamed_task_fields_are_renames() {
    let found = diff(&facts("2025-11-25"), &facts("ext-tasks"));
    assert!(has(&found, Kind::MemberRenamed, "Task", "ttlMs"));
    assert!(has(&found, Kind::MemberRenamed, "Task", "pollIntervalMs"));
    let notification = found
        .changes
        .iter()
        .find(|it| it.kind == Kind::MethodRenamed && it.subject == "TaskStatusNotification")
        .expect("told");
    assert_eq!(
        notification.old.as_deref(),
        Some("\"notifications/tasks/status\"")
    );
}

#[test]
fn identical_schemas_say_nothing() {
    let path = "schema/2026-07-28.json";
    for format in ["text", "markdown"] {
        let answer = run(
            &root(),
            &["diff", path, path, "--exit-code", "--format", format],
        );
        assert_eq!((answer.code, answer.out.as_str()), (0, ""));
    }
    let answer = run(&root(), &["diff", path, path, "--format", "json"]);
    let report: Value = serde_json::from_str(&answer.out).expect("JSON");
    assert_eq!(report["changes"], json!([]));
}

#[test]
fn exit_code_asks_for_breaking_changes_only() {
    let dir = scratch();
    let schema = |members: Value| json!({"$defs": {"A": {"properties": members}}}).to_string();
    let old = file(
        dir.path(),
        "old.json",
        schema(json!({"a": {"type": "string"}})),
    );
    let more = json!({"a": {"type": "string"}, "b": {"type": "string"}});
    let new = file(dir.path(), "new.json", schema(more));
    assert_eq!(
        run(dir.path(), &["diff", &old, &new, "--exit-code"]).code,
        0
    );
    assert_eq!(
        run(dir.path(), &["diff", &new, &old, "--exit-code"]).code,
        1
    );
    assert_eq!(run(dir.path(), &["diff", &new, &old]).code, 0);
}

#[test]
fn widening_breaks_readers_and_narrowing_breaks_writers() {
    let string = json!({"type": "string"});
    for (narrow, wide, narrowed, widened) in [
        (
            json!({"type": "string", "enum": ["a"]}),
            json!({"type": "string", "enum": ["a", "b"]}),
            Kind::ValuesRemoved,
            Kind::ValuesAdded,
        ),
        (
            json!({"type": "integer"}),
            json!({"type": "number"}),
            Kind::Retyped,
            Kind::Retyped,
        ),
        (string.clone(), json!({}), Kind::Retyped, Kind::Retyped),
        (
            string.clone(),
            json!({"type": ["string", "null"]}),
            Kind::VariantsRemoved,
            Kind::VariantsAdded,
        ),
        (
            json!({"type": "integer", "minimum": 1}),
            json!({"type": "integer", "minimum": 0}),
            Kind::Tightened,
            Kind::Loosened,
        ),
        (
            json!({"type": "array", "maxItems": 1}),
            json!({"type": "array"}),
            Kind::Tightened,
            Kind::Loosened,
        ),
        (
            json!({"type": "object", "additionalProperties": false}),
            json!({"type": "object"}),
            Kind::Tightened,
            Kind::Loosened,
        ),
    ] {
        let change = of_member(narrow.clone(), wide.clone());
        assert_eq!(
            (change.kind, change.breaks),
            (widened, Breaks::READER),
            "{narrow} {wide}"
        );
        let change = of_member(wide.clone(), narrow.clone());
        assert_eq!(
            (change.kind, change.breaks),
            (narrowed, Breaks::WRITER),
            "{wide} {narrow}"
        );
    }
}

#[test]
fn other_types_and_other_consts_break_both() {
    let change = of_member(json!({"type": "string"}), json!({"type": "boolean"}));
    assert_eq!((change.kind, change.breaks), (Kind::Retyped, Breaks::BOTH));
    let change = of_member(json!({"const": "a"}), json!({"const": "b"}));
    assert_eq!(
        (change.kind, change.breaks),
        (Kind::ConstChanged, Breaks::BOTH)
    );
}

#[test]
fn members_are_weighed_by_whether_they_are_required() {
    let object = |required: &[&str], names: &[&str]| {
        let members: serde_json::Map<String, Value> = names
            .iter()
            .map(|name| ((*name).to_owned(), json!({"type": "string"})))
            .collect();
        json!({"A": {"type": "object", "properties": members, "required": required}})
    };
    for (old, new, kind, breaks) in [
        (
            object(&[], &["a"]),
            object(&[], &["a", "b"]),
            Kind::MemberAdded,
            Breaks::NONE,
        ),
        (
            object(&[], &["a"]),
            object(&["b"], &["a", "b"]),
            Kind::MemberAdded,
            Breaks::WRITER,
        ),
        (
            object(&["b"], &["a", "b"]),
            object(&[], &["a"]),
            Kind::MemberRemoved,
            Breaks::BOTH,
        ),
        (
            object(&[], &["a"]),
            object(&["a"], &["a"]),
            Kind::NowRequired,
            Breaks::WRITER,
        ),
        (
            object(&["a"], &["a"]),
            object(&[], &["a"]),
            Kind::NowOptional,
            Breaks::READER,
        ),
    ] {
        let changes = between(old, new);
        assert_eq!(changes.len(), 1, "{changes:?}");
        assert_eq!((changes[0].kind, changes[0].breaks), (kind, breaks));
    }
}

#[test]
fn another_spelling_is_no_change() {
    let member = |it: Value| json!({"A": {"properties": {"m": it}}, "B": {"type": "string"}});
    for (one, other) in [
        (
            json!({"type": ["integer", "null"]}),
            json!({"anyOf": [{"type": "integer"}, {"type": "null"}]}),
        ),
        (
            json!({"enum": ["a", "b"]}),
            json!({"anyOf": [{"const": "b"}, {"const": "a"}]}),
        ),
        (json!({"$ref": "#/$defs/B"}), json!({"type": "string"})),
        (
            json!({"$ref": "#/$defs/B"}),
            json!({"$ref": "#/$defs/B", "description": "Text."}),
        ),
        (
            json!({"type": "object"}),
            json!({"type": "object", "additionalProperties": {}}),
        ),
        (
            json!({"allOf": [{"type": "string"}, {"minLength": 1}]}),
            json!({"type": "string", "minLength": 1}),
        ),
    ] {
        let changes = between(member(one.clone()), member(other.clone()));
        assert!(changes.is_empty(), "{one} {other}: {changes:?}");
    }
}

#[test]
fn old_drafts_are_compared_with_new_ones() {
    let dir = scratch();
    let old = json!({"$schema": "http://json-schema.org/draft-07/schema#", "definitions": {
        "A": {"properties": {"b": {"$ref": "#/definitions/B"}}}, "B": {"type": "string"},
    }});
    let new = json!({"$schema": "https://json-schema.org/draft/2020-12/schema", "$defs": {
        "A": {"properties": {"b": {"$ref": "#/$defs/B"}}}, "B": {"type": "string"},
    }});
    let (old, new) = (
        file(dir.path(), "old.json", old.to_string()),
        file(dir.path(), "new.json", new.to_string()),
    );
    let answer = run(dir.path(), &["diff", &old, &new, "--exit-code"]);
    assert_eq!(
        (answer.code, answer.out.as_str()),
        (0, ""),
        "{}",
        answer.talk
    );
}

#[test]
fn a_renamed_definition_is_told_once_and_its_users_are_not() {
    let schema = |name: &str| {
        let mut all = json!({"User": {"properties": {"it": {"$ref": format!("#/$defs/{name}")}}}});
        all[name] = json!({
            "type": "object",
            "properties": {"code": {"type": "integer"}, "message": {"type": "string"}},
        });
        all
    };
    let changes = between(schema("RpcError"), schema("RpcErrorObject"));
    assert_eq!(changes.len(), 1, "{changes:?}");
    assert_eq!(changes[0].kind, Kind::DefinitionRenamed);
}
