//! Names every shape and makes [`Type`]s of one module: structs, enums, aliases; unions are next door.

use std::collections::BTreeMap;

use serde_json::Value;

use super::read::Reader;
use super::shape::{Object, RestShape, Shape};
use super::{
    Const, Enum, EnumValue, Expr, Field, Flat, Home, ModelError, Problem, Rest, Struct, Type,
    TypeId, TypeKind, names,
};
use crate::keywords;
use crate::manifest::Manifest;

/// The types of one module; ids are local to it.
pub(super) struct Lowered {
    pub(super) types: Vec<Type>,
    pub(super) definitions: BTreeMap<String, TypeId>,
}

/// Lowers all definitions of a module.
pub(super) fn lower(
    reader: &Reader<'_>,
    shapes: &BTreeMap<String, Shape>,
    manifest: &Manifest,
    module: usize,
) -> Result<Lowered, ModelError> {
    let mut lower = Lower {
        reader,
        shapes,
        manifest,
        module,
        types: Vec::new(),
        definitions: BTreeMap::new(),
        taken: BTreeMap::new(),
        open: Vec::new(),
    };
    for name in shapes.keys() {
        let place = Place {
            pointer: reader.pointer(name),
            domain: lower.domain(name),
            name: match &shapes[name] {
                // The crate's own name for exactly this.
                Shape::Object(object)
                    if *object == Object::open() && names::type_name(name) == "JsonObject" =>
                {
                    "JsonObject".to_owned()
                }
                _ => names::definition_name(name),
            },
        };
        let id = lower.claim(name, &place, true)?;
        lower.definitions.insert(name.clone(), id);
    }
    for (name, shape) in shapes {
        let id = lower.definitions[name];
        let ty = &lower.types[id.0];
        let place = Place {
            pointer: ty.pointer.clone(),
            domain: ty.domain.clone(),
            name: ty.name.clone(),
        };
        lower.types[id.0].kind = lower.definition(shape, &place)?;
    }
    lower.resolve_aliases()?;
    Ok(Lowered {
        types: lower.types,
        definitions: lower.definitions,
    })
}

pub(super) struct Lower<'a, 'b> {
    pub(super) reader: &'b Reader<'a>,
    pub(super) shapes: &'b BTreeMap<String, Shape>,
    manifest: &'b Manifest,
    module: usize,
    pub(super) types: Vec<Type>,
    pub(super) definitions: BTreeMap<String, TypeId>,
    /// Rust name -> the key that has it.
    taken: BTreeMap<String, String>,
    /// Inline schemas whose types are being made.
    open: Vec<(Shape, TypeId)>,
}

/// Where a shape stands and what a type made of it is called.
#[derive(Clone)]
pub(super) struct Place {
    pub(super) pointer: String,
    pub(super) domain: String,
    pub(super) name: String,
}

impl Place {
    pub(super) fn member(&self, member: &str) -> Self {
        let mut pointer = format!("{}/properties", self.pointer);
        keywords::push(&mut pointer, member);
        Self {
            pointer,
            domain: self.domain.clone(),
            name: format!("{}{}", self.name, names::type_name(member)),
        }
    }

    pub(super) fn inside(&self, keyword: &str, suffix: &str) -> Self {
        Self {
            pointer: format!("{}/{keyword}", self.pointer),
            domain: self.domain.clone(),
            name: format!("{}{suffix}", self.name),
        }
    }
}

impl Lower<'_, '_> {
    fn domain(&self, definition: &str) -> String {
        if self.manifest.domains.is_empty() {
            return super::domains::usual(definition).to_owned();
        }
        self.manifest
            .domain_of(definition)
            .unwrap_or("other")
            .to_owned()
    }

    pub(super) fn error(&self, place: &Place, kind: Problem) -> ModelError {
        self.reader.error(&place.pointer, kind)
    }

    fn unsupported(&self, place: &Place, keyword: &str, hint: &str) -> ModelError {
        self.error(
            place,
            Problem::Unsupported {
                keyword: keyword.into(),
                hint: hint.into(),
            },
        )
    }

    /// Makes room for a type and gives it its name.
    fn claim(
        &mut self,
        key: &str,
        place: &Place,
        is_definition: bool,
    ) -> Result<TypeId, ModelError> {
        let pinned = self.manifest.names.get(key);
        let mut name = pinned.unwrap_or(&place.name).clone();
        if let Some(problem) = names::problem(&name, pinned.is_some()) {
            return Err(self.error(place, Problem::BadName { name, problem }));
        }
        if let Some(first) = self.taken.get(&name) {
            if is_definition || pinned.is_some() {
                return Err(self.error(
                    place,
                    Problem::SameName {
                        first: first.clone(),
                        second: key.to_owned(),
                        name,
                    },
                ));
            }
            // An inline schema gives way to a definition of the same name.
            while self.taken.contains_key(&name) {
                name.push_str("Inline");
            }
        }
        let key = if is_definition {
            key.to_owned()
        } else {
            name.clone()
        };
        self.taken.insert(name.clone(), key.clone());
        self.types.push(Type {
            key,
            name,
            is_definition,
            home: Home::Module(self.module),
            modules: vec![self.module],
            domain: place.domain.clone(),
            pointer: place.pointer.clone(),
            doc: String::new(),
            spec: None,
            kind: TypeKind::Alias(Expr::Any),
        });
        Ok(TypeId(self.types.len() - 1))
    }

    /// Adds the type of an inline schema. A pinned name that is taken by the same type is used again, and so is the type
    /// of a schema that comes back to itself through the union that refers to it.
    pub(super) fn inline(
        &mut self,
        shape: &Shape,
        place: &Place,
        make: impl FnOnce(&mut Self, &Place) -> Result<TypeKind, ModelError>,
    ) -> Result<Expr, ModelError> {
        if let Some((_, id)) = self.open.iter().find(|(open, _)| open == shape) {
            return Ok(Expr::Named(*id));
        }
        if let Some(pinned) = self.manifest.names.get(&place.name)
            && let Some(at) = self
                .types
                .iter()
                .position(|ty| ty.name == *pinned && !ty.is_definition)
        {
            let again = Place {
                name: pinned.clone(),
                ..place.clone()
            };
            let kind = make(self, &again)?;
            if self.types[at].kind == kind {
                return Ok(Expr::Named(TypeId(at)));
            }
            let (first, second) = (self.types[at].key.clone(), place.name.clone());
            return Err(self.error(
                place,
                Problem::SameName {
                    first,
                    second,
                    name: pinned.clone(),
                },
            ));
        }
        let id = self.claim(&place.name.clone(), place, false)?;
        let place = Place {
            name: self.types[id.0].name.clone(),
            ..place.clone()
        };
        self.open.push((shape.clone(), id));
        self.types[id.0].kind = make(self, &place)?;
        self.open.pop();
        Ok(Expr::Named(id))
    }

    /// What a definition with this shape is.
    fn definition(&mut self, shape: &Shape, place: &Place) -> Result<TypeKind, ModelError> {
        Ok(match shape {
            Shape::Object(object) if is_struct(object) => {
                TypeKind::Struct(self.object(object, place)?)
            }
            Shape::Mixed { object, union } => TypeKind::Struct(self.mixed(object, union, place)?),
            Shape::Strings(values) => TypeKind::Enum(self.strings(values, place)?),
            Shape::Const(Value::String(value)) => {
                TypeKind::Enum(self.strings(std::slice::from_ref(value), place)?)
            }
            Shape::Union(parts) if !parts.contains(&Shape::Null) => self.union(parts, place)?,
            other => TypeKind::Alias(self.expr(other, place)?),
        })
    }

    /// A type expression; what needs a name is called `place.name`.
    pub(super) fn expr(&mut self, shape: &Shape, place: &Place) -> Result<Expr, ModelError> {
        Ok(match shape {
            Shape::Any => Expr::Any,
            Shape::Never => {
                return Err(self.unsupported(
                    place,
                    "not",
                    "nothing is valid here; drop the member",
                ));
            }
            Shape::Ref(name) => Expr::Named(self.definitions[name]),
            Shape::Null => Expr::Null,
            Shape::Bool => Expr::Bool,
            Shape::Text { length } => Expr::String { length: *length },
            Shape::Integer { min, max, only } => Expr::Integer {
                min: *min,
                max: *max,
                only: only.clone(),
            },
            Shape::Number(range) => Expr::Number(*range),
            Shape::Const(Value::Number(number)) => Expr::Integer {
                min: None,
                max: None,
                only: number.as_i64().into_iter().collect(),
            },
            Shape::Const(Value::String(value)) => {
                let values = [value.clone()];
                self.inline(shape, place, |this, place| {
                    Ok(TypeKind::Enum(this.strings(&values, place)?))
                })?
            }
            Shape::Const(_) => {
                return Err(self.unsupported(
                    place,
                    "const",
                    "a boolean constant is supported as a required member only",
                ));
            }
            Shape::Strings(values) => self.inline(shape, place, |this, place| {
                Ok(TypeKind::Enum(this.strings(values, place)?))
            })?,
            Shape::Array { items, length } => Expr::Array {
                items: Box::new(self.expr(items, &place.inside("items", "Item"))?),
                length: *length,
            },
            Shape::Object(object) if is_struct(object) => {
                self.inline(shape, place, |this, place| {
                    Ok(TypeKind::Struct(this.object(object, place)?))
                })?
            }
            Shape::Object(object) => match &object.rest {
                RestShape::Typed(shape) => Expr::Map(Box::new(
                    self.expr(shape, &place.inside("additionalProperties", "Value"))?,
                )),
                _ => Expr::Object,
            },
            Shape::Mixed { object, union } => self.inline(shape, place, |this, place| {
                Ok(TypeKind::Struct(this.mixed(object, union, place)?))
            })?,
            Shape::Union(parts) if parts.contains(&Shape::Null) => {
                let rest: Vec<Shape> = parts
                    .iter()
                    .filter(|part| **part != Shape::Null)
                    .cloned()
                    .collect();
                match self.expr(&Shape::union(rest), place)? {
                    nullable @ Expr::Nullable(_) => nullable,
                    expr => Expr::Nullable(Box::new(expr)),
                }
            }
            Shape::Union(parts) => {
                self.inline(shape, place, |this, place| this.union(parts, place))?
            }
        })
    }

    fn object(&mut self, object: &Object, place: &Place) -> Result<Struct, ModelError> {
        let mut out = Struct::default();
        let mut seen: BTreeMap<String, String> = BTreeMap::new();
        for (json, member) in &object.members {
            let place_of = place.member(json);
            if member.required
                && let Shape::Const(value) = self.target(&member.shape, place)?
            {
                out.consts.push(Const {
                    json: json.clone(),
                    value,
                });
                continue;
            }
            let pin = format!("{}.{json}", place.name);
            let name = self
                .manifest
                .names
                .get(&pin)
                .cloned()
                .unwrap_or_else(|| names::field_name(json));
            if !names::is_identifier(&name) {
                let problem = names::NO_IDENTIFIER;
                return Err(self.error(&place_of, Problem::BadName { name, problem }));
            }
            if let Some(first) = seen.insert(name.clone(), json.clone()) {
                return Err(self.error(
                    &place_of,
                    Problem::SameField {
                        first,
                        second: json.clone(),
                        name,
                    },
                ));
            }
            let ty = self.expr(&member.shape, &place_of)?;
            out.fields.push(Field {
                json: json.clone(),
                name,
                required: member.required,
                ty,
                doc: String::new(),
            });
        }
        out.rest = match &object.rest {
            RestShape::Open => Rest::Open,
            RestShape::Closed => Rest::Closed,
            RestShape::Typed(shape) => {
                Rest::Typed(self.expr(shape, &place.inside("additionalProperties", "Value"))?)
            }
        };
        Ok(out)
    }

    fn mixed(
        &mut self,
        object: &Object,
        union: &Shape,
        place: &Place,
    ) -> Result<Struct, ModelError> {
        let mut out = self.object(object, place)?;
        let pinned = self
            .manifest
            .names
            .get(&format!("{}.*", place.name))
            .cloned();
        let Expr::Named(ty) = self.expr(union, &place.inside("anyOf", "Case"))? else {
            return Err(self.unsupported(
                place,
                "allOf",
                "a union in an `allOf` must be of objects",
            ));
        };
        let name = pinned.unwrap_or_else(|| match union {
            Shape::Ref(name) => names::field_name(name),
            _ => "case".to_owned(),
        });
        if let Some(field) = out.fields.iter().find(|field| field.name == name) {
            return Err(self.error(
                place,
                Problem::SameField {
                    first: field.json.clone(),
                    second: "anyOf".into(),
                    name,
                },
            ));
        }
        out.flat = Some(Flat {
            name,
            ty,
            doc: String::new(),
        });
        Ok(out)
    }

    fn strings(&self, values: &[String], place: &Place) -> Result<Enum, ModelError> {
        let mut out = Vec::new();
        let mut seen: BTreeMap<String, String> = BTreeMap::new();
        for json in values {
            let pin = format!("{}.{json}", place.name);
            let mut name = self
                .manifest
                .names
                .get(&pin)
                .cloned()
                .unwrap_or_else(|| names::variant_name(json));
            while seen.contains_key(&name) {
                name.push('_');
            }
            if !names::is_identifier(&name) {
                let problem = names::NO_IDENTIFIER;
                return Err(self.error(place, Problem::BadName { name, problem }));
            }
            seen.insert(name.clone(), json.clone());
            out.push(EnumValue {
                json: json.clone(),
                name,
                doc: String::new(),
            });
        }
        Ok(Enum { values: out })
    }

    /// The shape with references followed.
    pub(super) fn target(&self, shape: &Shape, place: &Place) -> Result<Shape, ModelError> {
        let mut shape = shape;
        let mut seen: Vec<&str> = Vec::new();
        while let Shape::Ref(name) = shape {
            if seen.contains(&name.as_str()) {
                seen.push(name);
                let path = seen
                    .iter()
                    .map(|name| format!("`{name}`"))
                    .collect::<Vec<_>>()
                    .join(" -> ");
                return Err(self.error(place, Problem::Cycle { path }));
            }
            seen.push(name);
            shape = &self.shapes[name];
        }
        Ok(shape.clone())
    }

    /// Puts the meaning of every alias in the alias's place.
    fn resolve_aliases(&mut self) -> Result<(), ModelError> {
        let aliases: BTreeMap<usize, Expr> = self
            .types
            .iter()
            .enumerate()
            .filter_map(|(id, ty)| match &ty.kind {
                TypeKind::Alias(expr) => Some((id, expr.clone())),
                _ => None,
            })
            .collect();
        for id in 0..self.types.len() {
            let mut kind = self.types[id].kind.clone();
            let mut cycle = None;
            kind.exprs(&mut |expr| {
                if let Err(round) = resolve(expr, &aliases, &mut Vec::new()) {
                    cycle = Some(round);
                }
            });
            if let Some(round) = cycle {
                let path = round
                    .iter()
                    .map(|id| format!("`{}`", self.types[*id].key))
                    .collect::<Vec<_>>()
                    .join(" -> ");
                return Err(self
                    .reader
                    .error(&self.types[id].pointer, Problem::Cycle { path }));
            }
            if let TypeKind::Union(union) = &mut kind {
                union.drop_duplicates();
            }
            self.types[id].kind = kind;
        }
        Ok(())
    }
}

fn resolve(
    expr: &mut Expr,
    aliases: &BTreeMap<usize, Expr>,
    open: &mut Vec<usize>,
) -> Result<(), Vec<usize>> {
    let mut failed = None;
    if let Expr::Named(id) = expr
        && let Some(meaning) = aliases.get(&id.0)
    {
        let id = id.0;
        if open.contains(&id) {
            open.push(id);
            return Err(open.clone());
        }
        open.push(id);
        let mut meaning = meaning.clone();
        resolve(&mut meaning, aliases, open)?;
        open.pop();
        *expr = meaning;
        return Ok(());
    }
    expr.children(&mut |child| {
        if failed.is_none() {
            failed = resolve(child, aliases, open).err();
        }
    });
    if let Expr::Nullable(inner) = expr
        && matches!(**inner, Expr::Nullable(_) | Expr::Any | Expr::Null)
    {
        *expr = std::mem::replace(inner, Expr::Null);
    }
    failed.map_or(Ok(()), Err)
}

fn is_struct(object: &Object) -> bool {
    !object.members.is_empty() || object.rest == RestShape::Closed
}
