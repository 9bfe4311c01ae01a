//! Reads the method registry off the messages: objects whose `method` is a constant.

use std::collections::{BTreeMap, BTreeSet};

use super::lower::Lowered;
use super::read::Reader;
use super::{
    Choice, Expr, Home, Method, MethodKind, ModelError, Problem, Sender, Type, TypeId, TypeKind,
    Union, Variant, names,
};

/// The methods of a module, in alphabetical order.
pub(super) fn methods(
    reader: &Reader<'_>,
    lowered: &Lowered,
    pinned: &BTreeMap<String, String>,
) -> Result<Vec<Method>, ModelError> {
    let mut out: BTreeMap<String, Method> = BTreeMap::new();
    let client = senders(lowered, &["ClientRequest", "ClientNotification"]);
    let server = senders(
        lowered,
        &["ServerRequest", "ServerNotification", "InputRequest"],
    );
    for (definition, id) in &lowered.definitions {
        let Some(name) = method_name(&lowered.types[id.0]) else {
            continue;
        };
        let TypeKind::Struct(message) = &lowered.types[id.0].kind else {
            continue;
        };
        let is_notification = definition.ends_with("Notification")
            || (name.starts_with("notifications/") && !definition.ends_with("Request"));
        let kind = if is_notification {
            MethodKind::Notification
        } else {
            MethodKind::Request
        };
        let sender = match (client.contains(id), server.contains(id)) {
            (true, true) => Sender::Both,
            (true, false) => Sender::Client,
            (false, true) => Sender::Server,
            (false, false) if is_notification => Sender::Server,
            (false, false) => Sender::Client,
        };
        let params = message.fields.iter().find(|field| field.json == "params");
        let method = Method {
            marker: pinned
                .get(&name)
                .cloned()
                .unwrap_or_else(|| names::marker_name(&name)),
            kind,
            sender,
            message: *id,
            params: params.map(|field| field.ty.clone()),
            params_required: params.is_some_and(|field| field.required),
            result: (!is_notification).then(|| result(lowered, definition)),
            doc: String::new(),
            spec: None,
            name: name.clone(),
        };
        out.entry(name).or_insert(method);
    }
    let mut markers: BTreeMap<&str, &Method> = BTreeMap::new();
    for method in out.values() {
        let place = |kind| {
            let pointer = &lowered.types[method.message.0].pointer;
            reader.error(&format!("{pointer}/properties/method"), kind)
        };
        if !names::is_identifier(&method.marker) {
            let name = method.marker.clone();
            let problem = names::NO_IDENTIFIER;
            return Err(place(Problem::BadName { name, problem }));
        }
        if let Some(first) = markers.insert(&method.marker, method) {
            return Err(place(Problem::SameName {
                first: first.name.clone(),
                second: method.name.clone(),
                name: method.marker.clone(),
            }));
        }
    }
    Ok(out.into_values().collect())
}

/// Adds unions for the groups of messages that the schema has no union for.
pub(super) fn complete(lowered: &mut Lowered, methods: &[Method], module: usize) {
    let groups = [
        ("ClientRequest", MethodKind::Request, Sender::Client),
        (
            "ClientNotification",
            MethodKind::Notification,
            Sender::Client,
        ),
        ("ServerRequest", MethodKind::Request, Sender::Server),
        (
            "ServerNotification",
            MethodKind::Notification,
            Sender::Server,
        ),
    ];
    for (name, kind, sender) in groups {
        let covered = name == "ServerRequest" && lowered.definitions.contains_key("InputRequest");
        if covered || lowered.types.iter().any(|ty| ty.name == name) {
            continue;
        }
        let variants: Vec<Variant> = methods
            .iter()
            .filter(|method| method.kind == kind && method.sender == sender)
            .map(|method| Variant {
                name: method.marker.clone(),
                ty: Expr::Named(method.message),
                tags: vec![method.name.clone()],
                doc: String::new(),
            })
            .collect();
        if variants.is_empty() {
            continue;
        }
        lowered.types.push(Type {
            key: name.to_owned(),
            name: name.to_owned(),
            is_definition: false,
            home: Home::Module(module),
            modules: vec![module],
            domain: "messages".to_owned(),
            pointer: String::new(),
            doc: String::new(),
            spec: None,
            kind: TypeKind::Union(Union {
                variants,
                choice: Choice::Tag {
                    member: "method".into(),
                    absent: None,
                },
            }),
        });
    }
}

/// The constant `method` of a message.
fn method_name(ty: &Type) -> Option<String> {
    let TypeKind::Struct(message) = &ty.kind else {
        return None;
    };
    let method = message
        .consts
        .iter()
        .find(|constant| constant.json == "method")?;
    method.value.as_str().map(str::to_owned)
}

/// Messages in the unions of these names.
fn senders(lowered: &Lowered, unions: &[&str]) -> BTreeSet<TypeId> {
    let mut out = BTreeSet::new();
    for union in unions {
        if let Some(id) = lowered.definitions.get(*union)
            && let TypeKind::Union(union) = &lowered.types[id.0].kind
        {
            out.extend(
                union
                    .variants
                    .iter()
                    .filter_map(|variant| match &variant.ty {
                        Expr::Named(id) => Some(*id),
                        _ => None,
                    }),
            );
        }
    }
    out
}

/// The result of a request: what its response holds, else the definition of the same stem, else the empty result.
fn result(lowered: &Lowered, request: &str) -> Expr {
    let stem = request.strip_suffix("Request").unwrap_or(request);
    if let Some(id) = lowered.definitions.get(&format!("{stem}ResultResponse"))
        && let TypeKind::Struct(response) = &lowered.types[id.0].kind
        && let Some(field) = response.fields.iter().find(|field| field.json == "result")
    {
        return field.ty.clone();
    }
    [
        format!("{stem}Result"),
        "EmptyResult".to_owned(),
        "Result".to_owned(),
    ]
    .iter()
    .find_map(|name| lowered.definitions.get(name))
    .map_or(Expr::Object, |id| match &lowered.types[id.0].kind {
        TypeKind::Alias(expr) => expr.clone(),
        _ => Expr::Named(*id),
    })
}
