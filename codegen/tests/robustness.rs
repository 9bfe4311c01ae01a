//! Bad input: each ends in an error that names the file, the place and what to do; nothing panics.

mod common;

use std::fs;
use std::path::Path;

use common::{Run, file, run, scratch};
use mcp_codegen::definitions::Definitions;
use mcp_codegen::diff::{diff, json as diff_json, markdown, text};
use mcp_codegen::docs::Docs;
use mcp_codegen::manifest::Manifest;
use mcp_codegen::model::{Input, Model};
use mcp_codegen::{emit, facts};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

/// Runs every command that reads a schema on `text`; all must give the same kind of answer.
fn refused(text: impl AsRef<[u8]>) -> Vec<Run> {
    let dir = scratch();
    let bad = file(dir.path(), "bad.json", text);
    let runs = vec![
        run(dir.path(), &["generate", "--schema", &bad, "--out", "out"]),
        run(dir.path(), &["diff", &bad, &bad]),
        run(dir.path(), &["list", "--schema", &bad]),
        run(
            dir.path(),
            &["validate", "--schema", &bad, "--type", "A", &bad],
        ),
    ];
    for answer in &runs {
        assert_eq!(answer.code, 2, "{answer:?}");
        assert!(answer.talk.starts_with("error: "), "{answer:?}");
        assert!(answer.talk.contains("bad.json"), "{answer:?}");
        assert!(!answer.talk.contains("panicked"), "{answer:?}");
    }
    assert!(!dir.path().join("out").exists(), "nothing is written");
    runs
}

fn all_say(runs: &[Run], parts: &[&str]) {
    for answer in runs {
        for part in parts {
            assert!(answer.talk.contains(part), "{part}: {answer:?}");
        }
    }
}

#[test]
fn a_truncated_file() {
    let whole = include_str!("../../schema/ext-tasks.json");
    all_say(
        &refused(&whole[..whole.len() / 2]),
        &["ends in the middle", "download it again"],
    );
}

#[test]
fn a_json_array() {
    all_say(
        &refused("[1, 2]"),
        &["an array", "`$defs` or `definitions`"],
    );
}

#[test]
fn text_that_is_not_utf_8() {
    all_say(
        &refused(b"{\"$defs\": {\"A\": {\"const\": \"\xff\"}}}"),
        &["not UTF-8", "byte"],
    );
}

#[test]
fn a_dangling_reference() {
    let schema = json!({"$defs": {"Task": {}, "A": {"items": {"$ref": "#/$defs/Taks"}}}});
    all_say(
        &refused(schema.to_string()),
        &["/$defs/A/items/$ref", "did you mean `Task`?"],
    );
}

#[test]
fn a_cyclic_all_of() {
    let schema = json!({"$defs": {
        "A": {"allOf": [{"$ref": "#/$defs/B"}]}, "B": {"allOf": [{"$ref": "#/$defs/A"}]},
    }});
    all_say(&refused(schema.to_string()), &["/$defs/A", "A -> B -> A"]);
}

#[test]
fn a_file_of_fifty_megabytes() {
    let text = format!(
        "{{\"$defs\": {{\"A\": {{\"const\": \"{}\"}}}}}}",
        "x".repeat(50 << 20)
    );
    all_say(&refused(text), &["MB", "limit"]);
}

#[test]
fn a_file_that_does_not_exist_and_a_directory() {
    let dir = scratch();
    for (path, part) in [("gone.json", "no such file"), (".", "is a directory")] {
        let answer = run(dir.path(), &["generate", "--schema", path, "--out", "out"]);
        assert_eq!(answer.code, 2);
        assert!(
            answer.talk.contains(path) && answer.talk.contains(part),
            "{}",
            answer.talk
        );
    }
}

/// Values without the member fit, so the alternative cannot be dropped without a word.
#[test]
fn a_member_that_an_alternative_could_only_leave_out() {
    let schema = json!({"$defs": {"A": {"allOf": [
        {"type": "object", "properties": {"id": {"type": "string"}}},
        {"anyOf": [
            {"type": "object", "properties": {"kind": {"const": "a"}, "id": {"type": "boolean"}}, "required": ["kind"]},
            {"type": "object", "properties": {"kind": {"const": "b"}, "id": {}}, "required": ["kind"]},
        ]},
    ]}}});
    let dir = scratch();
    let schema = file(dir.path(), "s.json", schema.to_string());
    let answer = run(
        dir.path(),
        &["generate", "--schema", &schema, "--out", "out"],
    );
    assert_eq!(answer.code, 2, "{answer:?}");
    for part in ["/properties/id", "could only be left out; remove one of"] {
        assert!(answer.talk.contains(part), "{part}: {answer:?}");
    }
}

#[test]
fn two_methods_of_one_rust_name() {
    let message = |method: &str| json!({"type": "object", "properties": {"method": {"const": method}}, "required": ["method"]});
    let schema = json!({"$defs": {"A": message("tasks/get"), "B": message("tasks-get")}});
    let dir = scratch();
    let schema = file(dir.path(), "s.json", schema.to_string());
    let args = ["generate", "--schema", &schema, "--out", "out"];
    let answer = run(dir.path(), &args);
    assert_eq!(answer.code, 2, "{answer:?}");
    for part in [
        "/$defs/A/properties/method",
        "`tasks-get` and `tasks/get`",
        "`TasksGet`; pin one of them under [names]",
    ] {
        assert!(answer.talk.contains(part), "{part}: {answer:?}");
    }
    let names = file(
        dir.path(),
        "names.toml",
        "[names]\n\"tasks-get\" = \"TasksGetDashed\"\n",
    );
    let answer = run(dir.path(), &[&args[..], &["--manifest", &names]].concat());
    assert_eq!(answer.code, 0, "{answer:?}");
    let methods = fs::read_to_string(dir.path().join("out/src/s/methods.rs")).expect("methods");
    assert!(methods.contains("pub struct TasksGetDashed;"), "{methods}");
}

#[test]
fn a_directory_that_cannot_be_written() {
    let dir = scratch();
    let schema = file(
        dir.path(),
        "s.json",
        json!({"$defs": {"A": {"type": "object"}}}).to_string(),
    );
    // A file where the directory should be refuses every user, also one that may write anywhere.
    file(dir.path(), "taken", "");
    let answer = run(
        dir.path(),
        &["generate", "--schema", &schema, "--out", "taken/out"],
    );
    assert_eq!(answer.code, 2);
    assert!(answer.talk.contains("taken/out"), "{}", answer.talk);
    assert!(
        answer
            .talk
            .contains("check that the directory exists and is writable"),
        "{}",
        answer.talk
    );
}

#[test]
fn a_definition_named_like_a_keyword_gets_another_name() {
    let dir = scratch();
    let words = [
        "type", "Self", "self", "crate", "fn", "super", "String", "Option", "Vec", "Box",
    ];
    for word in words {
        let all = json!({"$defs": {
            word: {"type": "object", "properties": {"a": {"type": "string"}}},
            "User": {"type": "object", "properties": {"it": {"$ref": format!("#/$defs/{word}")}}},
        }});
        let schema = file(dir.path(), "s.json", all.to_string());
        let answer = run(
            dir.path(),
            &["generate", "--schema", &schema, "--out", "out"],
        );
        // A name that works, or an error that says how to pin one.
        match answer.code {
            0 => {}
            2 => assert!(answer.talk.contains("[names]"), "{word}: {}", answer.talk),
            _ => panic!("{word}: {answer:?}"),
        }
    }
}

#[test]
fn two_definitions_of_one_rust_name_can_be_told_apart() {
    let dir = scratch();
    let object = json!({"type": "object", "properties": {"a": {"type": "string"}}});
    let all = json!({"$defs": {"fooBar": object, "FooBar": {"type": "object", "required": ["x"]}}});
    let schema = file(dir.path(), "s.json", all.to_string());
    let answer = run(
        dir.path(),
        &["generate", "--schema", &schema, "--out", "out"],
    );
    assert_eq!(answer.code, 2, "{answer:?}");
    for part in ["s.json", "`FooBar`", "`fooBar`", "[names]"] {
        assert!(answer.talk.contains(part), "{part}: {}", answer.talk);
    }
    let names = file(
        dir.path(),
        "names.toml",
        "[names]\nfooBar = \"SmallFooBar\"\n",
    );
    let answer = run(
        dir.path(),
        &[
            "generate",
            "--schema",
            &schema,
            "--out",
            "out",
            "--manifest",
            &names,
        ],
    );
    assert_eq!(answer.code, 0, "{}", answer.talk);
}

#[test]
fn broken_documentation_and_manifests_are_located() {
    let dir = scratch();
    let schema = file(
        dir.path(),
        "s.json",
        json!({"$defs": {"A": {"type": "object"}}}).to_string(),
    );
    file(dir.path(), "docs/a.toml", "[A]\ndoc = 'x'\nspek = 'y'\n");
    let answer = run(
        dir.path(),
        &[
            "generate", "--schema", &schema, "--out", "out", "--docs", "docs",
        ],
    );
    assert_eq!(answer.code, 2);
    assert!(answer.talk.contains("docs/a.toml:"), "{}", answer.talk);
    assert!(answer.talk.contains("spek"), "{}", answer.talk);
    let broken = file(dir.path(), "m.toml", "[names\n");
    let answer = run(dir.path(), &["check", "--manifest", &broken]);
    assert_eq!(answer.code, 2);
    assert!(
        answer.talk.contains("m.toml") && answer.talk.contains("line 1"),
        "{}",
        answer.talk
    );
    for (text, name) in [
        ("[domains]\n'my domain' = ['A']\n", "`my domain`"),
        ("[domains]\n'../a' = ['A']\n", "`../a`"),
        ("[domains]\nself = ['A']\n", "`self`"),
        ("[domains]\nmethods = ['A']\n", "`methods`"),
        ("[names]\nA = 'a b'\n", "`a b`"),
        ("[names]\nA = 'type'\n", "`type`"),
        ("[names]\nA = 'Box'\n", "`Box`"),
        (
            "[[input]]\nname = 'a'\nfile = 's.json'\nmodule = '2025'\nfeature = 'a'\n",
            "`2025`",
        ),
        (
            "[[input]]\nname = 'a'\nfile = 's.json'\nmodule = 'message'\nfeature = 'a'\n",
            "`message`",
        ),
        (
            "[[input]]\nname = 'a'\nfile = 's.json'\nmodule = 'a'\nfeature = 'default'\n",
            "`default`",
        ),
    ] {
        let wrong = file(dir.path(), "m.toml", text);
        let answer = run(
            dir.path(),
            &[
                "generate",
                "--schema",
                &schema,
                "--out",
                "out",
                "--manifest",
                &wrong,
            ],
        );
        assert_eq!(answer.code, 2, "{text}: {answer:?}");
        let says = answer.talk.contains(name) && answer.talk.contains("choose");
        assert!(says, "{text}: {answer:?}");
    }
}

#[test]
fn nothing_upstream_is_lost_when_a_write_fails_half_way() {
    let dir = scratch();
    file(dir.path(), "schema/manifest.toml", "input = 3\n");
    let schema = file(dir.path(), "s.json", json!({"$defs": {}}).to_string());
    let answer = run(dir.path(), &["import", &schema]);
    assert_eq!(answer.code, 2, "{}", answer.talk);
    let left = fs::read_to_string(dir.path().join("schema/manifest.toml")).expect("there");
    assert_eq!(left, "input = 3\n");
    assert!(!dir.path().join("schema/s.json").exists());
}

/// Schemas of any form, mostly sensible, with references that mostly lead somewhere.
fn schema() -> impl Strategy<Value = Value> {
    let name = prop::sample::select(vec!["A", "B", "C", "type", "Result", "a-b", "A_B", ""]);
    let scalar = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        "[a-zA-Z/_$ é]{0,6}".prop_map(Value::from),
    ];
    let kind = prop::sample::select(vec![
        "string", "integer", "number", "boolean", "null", "object", "array", "nonsense",
    ]);
    let leaf = prop_oneof![
        2 => name.clone().prop_map(|name| json!({"$ref": format!("#/$defs/{name}")})),
        4 => kind.clone().prop_map(|kind| json!({"type": kind})),
        1 => prop::collection::vec(kind, 0..3).prop_map(|kinds| json!({"type": kinds})),
        1 => scalar.clone().prop_map(|value| json!({"const": value})),
        1 => prop::collection::vec(scalar.clone(), 0..4).prop_map(|all| json!({"enum": all})),
        1 => Just(json!({})),
        1 => Just(json!(false)),
        1 => (scalar.clone(), scalar).prop_map(|(a, b)| json!({"minimum": a, "maxItems": b})),
    ];
    leaf.prop_recursive(4, 24, 4, move |inner| {
        let members = prop::collection::btree_map("[a-cA-C_$/]{0,3}", inner.clone(), 0..4);
        prop_oneof![
            4 => (members, prop::collection::vec("[a-cA-C_$/]{0,3}", 0..3))
                .prop_map(|(members, required)| {
                    json!({"type": "object", "properties": members, "required": required})
                }),
            1 => inner.clone().prop_map(|it| json!({"type": "array", "items": it})),
            1 => inner.clone().prop_map(|it| json!({"type": "object", "additionalProperties": it})),
            1 => inner.clone().prop_map(|it| json!({"not": it})),
            3 => (prop::sample::select(vec!["allOf", "anyOf", "oneOf"]),
                  prop::collection::vec(inner.clone(), 0..4))
                .prop_map(|(keyword, parts)| json!({keyword: parts})),
            1 => (inner.clone(), inner).prop_map(|(a, b)| {
                let mut both = a.as_object().cloned().unwrap_or_default();
                both.extend(b.as_object().cloned().unwrap_or_default());
                Value::Object(both)
            }),
        ]
    })
}

fn document() -> impl Strategy<Value = Value> {
    let name = prop::sample::select(vec!["A", "B", "C", "type", "Result", "a-b", "A_B", ""]);
    prop::collection::vec((name, schema()), 1..6).prop_map(|all| {
        let all: Map<String, Value> = all
            .into_iter()
            .map(|(name, schema)| (name.to_owned(), schema))
            .collect();
        json!({ "$defs": all })
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_schema_makes_the_generator_panic(document in document()) {
        let input = Input {
            name: "random".to_owned(),
            module: "random".to_owned(),
            feature: None,
            needs: Vec::new(),
            spec: None,
            schema: document,
        };
        let inputs = std::slice::from_ref(&input);
        if let Ok(model) = Model::build(inputs, &Manifest::default(), &Docs::default()) {
            let options = emit::Options { package: Some("random".to_owned()), registry: true };
            prop_assert!(!emit::emit(&model, &options).is_empty());
        }
    }

    #[test]
    fn no_schemas_make_the_comparison_panic(old in document(), new in document()) {
        let read = |it: &Value| Definitions::new(Path::new("s.json"), it);
        if let (Ok(old), Ok(new)) = (read(&old), read(&new)) {
            let found = diff(&old, &new);
            prop_assert_eq!(text(&found).is_empty(), found.changes.is_empty());
            prop_assert_eq!(markdown(&found).is_empty(), found.changes.is_empty());
            prop_assert!(serde_json::from_str::<Value>(&diff_json(&found)).is_ok());
            prop_assert!(diff(&new, &new).changes.is_empty());
        }
    }

    #[test]
    fn facts_hold_no_prose_and_are_stable(document in document()) {
        let once = facts::reduce(&document);
        prop_assert_eq!(&facts::reduce(&once.schema).schema, &once.schema);
        prop_assert_eq!(facts::reduce(&once.schema).sentences, 0);
    }
}
