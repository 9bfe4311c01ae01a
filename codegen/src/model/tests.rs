//! The model of small schemas: what is recognised, what is shared, and what is refused where.

use serde_json::{Value, json};

use super::*;

fn build(schemas: &[Value]) -> Result<Model, ModelError> {
    let inputs: Vec<Input> = schemas
        .iter()
        .enumerate()
        .map(|(index, schema)| Input {
            name: format!("s{index}"),
            module: format!("m{index}"),
            feature: None,
            needs: Vec::new(),
            spec: None,
            schema: schema.clone(),
        })
        .collect();
    Model::build(&inputs, &Manifest::default(), &Docs::default())
}

fn defs(defs: Value) -> Value {
    json!({"$schema": "https://json-schema.org/draft/2020-12/schema", "$defs": defs})
}

fn kind(model: &Model, name: &str) -> TypeKind {
    model.get(model.modules[0].definitions[name]).kind.clone()
}

fn object(members: Value) -> Value {
    let required: Vec<&String> = members.as_object().expect("members").keys().collect();
    json!({"type": "object", "properties": members, "required": required})
}

#[test]
fn faults_are_refused_with_their_place() {
    let number = json!({"type": "number"});
    for (schema, pointer, words) in [
        (
            json!({"A": {"$ref": "#/$defs/B"}}),
            "/$defs/A/$ref",
            "`#/$defs/B`, which does not exist",
        ),
        (
            json!({"A": {"$ref": "other.json"}}),
            "/$defs/A/$ref",
            "of the same file",
        ),
        (
            json!({"A": {"allOf": [{"$ref": "#/$defs/A"}, {"type": "object"}]}}),
            "/$defs/A",
            "`A` -> `A` includes itself",
        ),
        (
            json!({"A": {"$ref": "#/$defs/B"}, "B": {"$ref": "#/$defs/A"}}),
            "/$defs/A",
            "includes itself",
        ),
        (
            json!({"A": {"type": "string", "pattern": "x"}}),
            "/$defs/A/pattern",
            "`pattern` cannot be expressed",
        ),
        (json!({"A": {"properties": {}}}), "/$defs/A", "add `type`"),
        (
            json!({"A": [1]}),
            "/$defs/A",
            "an array stands where a schema",
        ),
        (
            json!({"A": {"allOf": [{"type": "string"}, {"type": "object"}]}}),
            "/$defs/A",
            "both a string and an object",
        ),
        (
            json!({"A": {"oneOf": [number, {"type": "integer"}]}}),
            "/$defs/A/oneOf",
            "use `anyOf`",
        ),
        (
            json!({"JSONRPCError": {"type": "object"}, "JsonRpcError": {"type": "object"}}),
            "/$defs/JsonRpcError",
            "both become the Rust name `JsonRpcError`",
        ),
        (
            json!({"A": {"type": "object", "properties": {"a-b": {}, "a_b": {}}}}),
            "/$defs/A/properties/a_b",
            "both become the field `a_b`",
        ),
    ] {
        let error = build(&[defs(schema.clone())]).expect_err(&schema.to_string());
        assert_eq!(error.pointer, pointer, "{error}");
        assert!(error.to_string().contains(words), "{error}");
    }
}

#[test]
fn a_definition_may_be_called_as_the_language_is() {
    let model = build(&[defs(json!({"type": object(json!({"self": {}})), "Result": {"type": "object", "properties": {"x": {}}}}))]).expect("valid");
    assert_eq!(model.get(model.modules[0].definitions["type"]).name, "Type");
    assert_eq!(
        model.get(model.modules[0].definitions["Result"]).name,
        "ResultObject"
    );
    let TypeKind::Struct(object) = kind(&model, "type") else {
        panic!("an object")
    };
    assert_eq!(object.fields[0].name, "self_");
}

#[test]
fn a_union_is_told_apart_by_what_is_constant() {
    let tagged = |tag: &str| object(json!({"type": {"const": tag}}));
    let model = build(&[defs(json!({
        "A": tagged("a"),
        "B": tagged("b"),
        "ByTag": {"anyOf": [{"$ref": "#/$defs/A"}, {"$ref": "#/$defs/B"}]},
        "ByPresence": {"anyOf": [object(json!({"x": {}})), object(json!({"y": {}}))]},
        "ByKind": {"type": ["string", "integer"]},
    }))])
    .expect("valid");
    let choice = |name: &str| match kind(&model, name) {
        TypeKind::Union(union) => union.choice,
        other => panic!("{name} is {other:?}"),
    };
    assert_eq!(
        choice("ByTag"),
        Choice::Tag {
            member: "type".into(),
            absent: None
        }
    );
    assert_eq!(choice("ByPresence"), Choice::Presence);
    assert_eq!(choice("ByKind"), Choice::Kind);
}

#[test]
fn an_inlined_copy_in_a_union_is_the_definition_again() {
    let a = object(json!({"kind": {"const": "a"}}));
    let b = object(json!({"kind": {"const": "b"}}));
    let model = build(&[defs(json!({"A": a, "B": b, "U": {"anyOf": [a, b]}}))]).expect("valid");
    let TypeKind::Union(union) = kind(&model, "U") else {
        panic!("a union")
    };
    let named: Vec<Expr> = ["A", "B"]
        .iter()
        .map(|name| Expr::Named(model.modules[0].definitions[*name]))
        .collect();
    assert_eq!(
        union
            .variants
            .iter()
            .map(|variant| variant.ty.clone())
            .collect::<Vec<_>>(),
        named
    );
}

#[test]
fn what_definitions_have_from_a_base_is_one_type() {
    let scope = json!({"type": "string", "enum": ["private", "public"]});
    let other = json!({"type": "string", "enum": ["here", "there"]});
    let meta = object(json!({"token": {"type": "string"}}));
    let call = |method: &str| object(json!({"method": {"const": method}, "params": meta}));
    let definitions = json!({
        "Base": object(json!({"scope": scope})),
        "Page": object(json!({"scope": scope, "items": {"type": "array"}})),
        "Else": object(json!({"scope": other, "items": {"type": "array"}})),
        "One": object(json!({"place": other, "one": {"type": "string"}})),
        "Two": object(json!({"place": other, "two": {"type": "string"}})),
        "Params": object(json!({"_meta": meta})),
        "CallParams": object(json!({"_meta": meta, "tool": {"type": "string"}})),
        "Get": call("get"),
        "Set": call("set"),
    });
    let model = build(&[defs(definitions)]).expect("valid");
    let part = |name: &str, member: &str| {
        let TypeKind::Struct(object) = kind(&model, name) else {
            panic!("an object")
        };
        let field = object.fields.iter().find(|field| field.json == member);
        match field.map(|field| &field.ty) {
            Some(Expr::Named(id)) => model.get(*id).name.clone(),
            other => panic!("a type of its own: {other:?}"),
        }
    };
    assert_eq!(part("Base", "scope"), "BaseScope");
    assert_eq!(part("Page", "scope"), "BaseScope");
    assert_eq!(part("Else", "scope"), "ElseScope");
    // None of the two extends the other.
    assert_eq!(
        (part("One", "place"), part("Two", "place")),
        ("OnePlace".into(), "TwoPlace".into())
    );
    assert_eq!(part("Params", "_meta"), "ParamsMeta");
    assert_eq!(part("CallParams", "_meta"), "ParamsMeta");
    // They have the same members, but a constant sets them apart.
    assert_eq!(
        (part("Get", "params"), part("Set", "params")),
        ("GetParams".into(), "SetParams".into())
    );
}

#[test]
fn what_two_files_agree_on_is_one_type() {
    let leaf = |ty: &str| object(json!({"x": {"type": ty}}));
    let tree = object(json!({"leaf": {"$ref": "#/$defs/Leaf"}}));
    let same = object(json!({"n": {"type": "integer"}}));
    let first = defs(json!({"Leaf": leaf("string"), "Tree": tree, "Same": same}));
    let second = defs(json!({"Leaf": leaf("boolean"), "Tree": tree, "Same": same}));
    let model = build(&[first, second]).expect("valid");
    let of = |name: &str| {
        (
            model.modules[0].definitions[name],
            model.modules[1].definitions[name],
        )
    };
    let (one, other) = of("Same");
    assert_eq!(one, other);
    assert_eq!(model.get(one).home, Home::Common);
    for name in ["Leaf", "Tree"] {
        let (one, other) = of(name);
        assert_ne!(one, other, "{name} differs, or refers to what differs");
    }
}

#[test]
fn of_two_shared_types_of_one_name_the_newer_is_in_common() {
    let leaf = |ty: &str| object(json!({"x": {"type": ty}}));
    let tree = object(json!({"leaf": {"$ref": "#/$defs/Leaf"}}));
    let file = |ty: &str| defs(json!({"Leaf": leaf(ty), "Tree": tree}));
    let files = ["string", "string", "boolean", "boolean"].map(file);
    let model = build(&files).expect("valid");
    let home = |module: usize, name: &str| model.get(model.modules[module].definitions[name]).home;
    for name in ["Leaf", "Tree"] {
        assert_eq!(home(0, name), Home::Module(0));
        assert_eq!(home(1, name), Home::Module(1));
        assert_eq!((home(2, name), home(3, name)), (Home::Common, Home::Common));
    }
}

#[test]
fn the_registry_knows_who_sends_and_what_comes_back() {
    let message = |method: &str| {
        object(
            json!({"id": {"type": "string"}, "method": {"const": method}, "params": {"type": "object"}}),
        )
    };
    let model = build(&[defs(json!({
        "PingRequest": message("ping"),
        "EmptyResult": {"type": "object"},
        "GetTaskRequest": message("tasks/get"),
        "GetTaskResult": object(json!({"taskId": {"type": "string"}})),
        "TaskNotification": object(json!({"method": {"const": "notifications/task"}})),
    }))])
    .expect("valid");
    let methods = &model.modules[0].methods;
    assert_eq!(
        methods
            .iter()
            .map(|method| method.marker.as_str())
            .collect::<Vec<_>>(),
        ["NotificationsTask", "Ping", "TasksGet"]
    );
    assert_eq!(methods[0].sender, Sender::Server);
    assert_eq!(methods[1].result, Some(Expr::Object));
    assert_eq!(
        methods[2].result,
        Some(Expr::Named(model.modules[0].definitions["GetTaskResult"]))
    );
    assert!(
        model.modules[0].types.contains_key("ClientRequest"),
        "a union of the requests is added"
    );
}
