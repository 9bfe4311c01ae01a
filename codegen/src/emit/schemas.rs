//! JSON Schemas of the types, behind the feature `schemars`: read off the model, so that a schema allows what its type
//! accepts, and with our documentation as descriptions.

use std::fmt::Write as _;

use serde_json::{Map, Value, json};

use super::ident;
use crate::model::{Expr, Home, Model, Module, Range, Rest, Struct, Type, TypeId, TypeKind};

/// Content of a module's `schemas.rs`, without header. `module` is none for `common`.
pub(super) fn text(model: &Model, home: Home, module: Option<&Module>) -> String {
    let mut out = "//! JSON Schemas of the types.\n\nuse crate::schema::schemas;\n".to_owned();
    let mut rows = String::new();
    for (_, ty) in own(model, home) {
        if !matches!(ty.kind, TypeKind::Alias(_)) {
            rows.push_str(&row(model, &format!("super::{}", ident(&ty.name)), ty));
        }
    }
    let _ = write!(out, "\nschemas! {{\n{rows}}}\n");
    if let Some(module) = module {
        out.push_str(&lookup(model, module));
    }
    out
}

/// The types that are written in a module, by name.
fn own(model: &Model, home: Home) -> Vec<(TypeId, &Type)> {
    let mut types: Vec<_> = model
        .types
        .iter()
        .enumerate()
        .filter(|(_, ty)| ty.home == home)
        .map(|(index, ty)| (TypeId(index), ty))
        .collect();
    types.sort_by_key(|(_, ty)| &ty.name);
    types
}

/// `json_schema`, and a stand-in for each alias: bounds of an alias are not in its Rust type.
fn lookup(model: &Model, module: &Module) -> String {
    let mut arms = String::new();
    let (mut names, mut rows) = (String::new(), String::new());
    for (definition, id) in &module.definitions {
        let ty = model.get(*id);
        let name = ident(&ty.name);
        let scope = if matches!(ty.kind, TypeKind::Alias(_)) {
            let _ = writeln!(names, "    pub(super) struct {name};");
            rows.push_str(&row(model, &format!("alias::{name}"), ty));
            "alias"
        } else {
            "super"
        };
        let _ = writeln!(
            arms,
            "        {definition:?} => crate::schema::root::<{scope}::{name}>(),"
        );
    }
    format!(
        "\nschemas! {{\n{rows}}}\n\nmod alias {{\n{names}}}\n\n\
         /// The JSON Schema of a definition; none if there is no such definition.\n\
         #[must_use]\n\
         pub fn json_schema(definition: &str) -> Option<schemars::Schema> {{\n    \
             Some(match definition {{\n{arms}        _ => return None,\n    }})\n}}\n"
    )
}

fn row(model: &Model, path: &str, ty: &Type) -> String {
    let mut writer = Writer {
        model,
        parts: Vec::new(),
    };
    let mut schema = writer.kind(&ty.kind);
    describe(&mut schema, &ty.doc);
    let parts: Vec<String> = writer
        .parts
        .iter()
        .map(|id| format!("super::{}", ident(&model.get(*id).name)))
        .collect();
    let text = schema.to_string();
    let mut fence = "#".to_owned();
    while text.contains(&format!("\"{fence}")) {
        fence.push('#');
    }
    format!(
        "    {path}, {:?}, [{}],\n        r{fence}\"{text}\"{fence};\n",
        ty.name,
        parts.join(", ")
    )
}

/// Adds a description, unless there is none.
fn describe(schema: &mut Value, doc: &str) {
    if let Value::Object(members) = schema
        && !doc.is_empty()
    {
        members.insert("description".into(), doc.into());
    }
}

/// Writes schemas; a reference is the place of the type in `parts`.
struct Writer<'m> {
    model: &'m Model,
    parts: Vec<TypeId>,
}

impl Writer<'_> {
    fn kind(&mut self, kind: &TypeKind) -> Value {
        match kind {
            TypeKind::Struct(object) => self.object(object),
            TypeKind::Union(union) => {
                let mut variants = Vec::new();
                for variant in &union.variants {
                    variants.push(self.described(&variant.ty, &variant.doc));
                }
                json!({ "anyOf": variants })
            }
            TypeKind::Enum(list) => {
                let values: Vec<&str> = list.values.iter().map(|it| it.json.as_str()).collect();
                json!({ "type": "string", "enum": values })
            }
            TypeKind::Alias(expr) => self.expr(expr),
        }
    }

    fn object(&mut self, object: &Struct) -> Value {
        let mut properties = Map::new();
        let mut required = Vec::new();
        for constant in &object.consts {
            properties.insert(constant.json.clone(), json!({ "const": constant.value }));
            required.push(constant.json.as_str());
        }
        for field in &object.fields {
            properties.insert(field.json.clone(), self.described(&field.ty, &field.doc));
            if field.required {
                required.push(field.json.as_str());
            }
        }
        required.sort_unstable();
        let mut schema = Map::new();
        schema.insert("type".into(), "object".into());
        if !properties.is_empty() {
            schema.insert("properties".into(), properties.into());
        }
        if !required.is_empty() {
            schema.insert("required".into(), json!(required));
        }
        match &object.rest {
            Rest::Open => {}
            Rest::Closed => {
                schema.insert("additionalProperties".into(), false.into());
            }
            Rest::Typed(expr) => {
                let rest = self.expr(expr);
                schema.insert("additionalProperties".into(), rest);
            }
        }
        if let Some(flat) = &object.flat {
            let part = self.reference(flat.ty);
            schema.insert("allOf".into(), json!([part]));
        }
        schema.into()
    }

    fn described(&mut self, expr: &Expr, doc: &str) -> Value {
        let mut schema = self.expr(expr);
        if schema == Value::Bool(true) {
            schema = json!({});
        }
        describe(&mut schema, doc);
        schema
    }

    fn expr(&mut self, expr: &Expr) -> Value {
        let mut out = Map::new();
        let mut set = |key: &str, value: Option<Value>| {
            if let Some(value) = value {
                out.insert(key.to_owned(), value);
            }
        };
        match expr {
            Expr::Any => return Value::Bool(true),
            Expr::Object => set("type", Some("object".into())),
            Expr::Null => set("type", Some("null".into())),
            Expr::Bool => set("type", Some("boolean".into())),
            Expr::String { length } => {
                set("type", Some("string".into()));
                set("minLength", length.0.map(Value::from));
                set("maxLength", length.1.map(Value::from));
            }
            Expr::Integer { min, max, only } => {
                set("type", Some("integer".into()));
                set("minimum", min.map(Value::from));
                set("maximum", max.map(Value::from));
                set("enum", (!only.is_empty()).then(|| json!(only)));
            }
            Expr::Number(Range {
                min,
                max,
                above,
                below,
            }) => {
                set("type", Some("number".into()));
                set("minimum", min.map(Value::from));
                set("maximum", max.map(Value::from));
                set("exclusiveMinimum", above.map(Value::from));
                set("exclusiveMaximum", below.map(Value::from));
            }
            Expr::Named(id) => return self.reference(*id),
            Expr::Array { items, length } => {
                let items = self.expr(items);
                set("type", Some("array".into()));
                set("items", Some(items));
                set("minItems", length.0.map(Value::from));
                set("maxItems", length.1.map(Value::from));
            }
            Expr::Map(values) => {
                let values = self.expr(values);
                set("type", Some("object".into()));
                set("additionalProperties", Some(values));
            }
            Expr::Nullable(inner) => {
                let inner = self.expr(inner);
                return json!({ "anyOf": [inner, { "type": "null" }] });
            }
        }
        out.into()
    }

    fn reference(&mut self, id: TypeId) -> Value {
        if let TypeKind::Alias(expr) = &self.model.get(id).kind {
            return self.expr(expr);
        }
        let known = self.parts.iter().position(|part| *part == id);
        let index = known.unwrap_or_else(|| {
            self.parts.push(id);
            self.parts.len() - 1
        });
        json!({ "$ref": index })
    }
}
