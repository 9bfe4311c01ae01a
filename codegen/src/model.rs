//! The model: what a set of schemas says, as types, methods and conversions, before any Rust is written.
//!
//! [`Model::build`] lowers schemas in steps, each a private module: `read` and `kinds` bring JSON Schema into a small normal form (`shape`), `merge` joins `allOf`, `copies` turns inlined copies of a definition back into
//! references, `lower` names everything and makes [`Type`]s, `bases` gives copies of what a base has in place the base's name, `unions` finds what tells the members of a union apart,
//! `share` makes one type of what revisions have in common, `methods` reads the method registry off the
//! messages, and `convert` plans conversions between revisions. Nothing here knows how Rust text looks.

mod bases;
mod convert;
mod copies;
mod domains;
mod error;
mod kinds;
mod lower;
mod merge;
mod methods;
mod names;
mod read;
mod shape;
mod share;
#[cfg(test)]
mod tests;
mod unions;

use std::collections::BTreeMap;

use serde_json::Value;

use crate::docs::Docs;
use crate::manifest::Manifest;

pub use error::{ModelError, Problem};

use lower::Lowered;
use read::Reader;

/// One schema and the module it becomes.
#[derive(Clone, Debug)]
pub struct Input {
    /// Short name: `2025-11-25`, `ext-tasks`. Errors carry it.
    pub name: String,
    /// Rust module: `v2025_11_25`.
    pub module: String,
    /// Cargo feature that switches the module on; none leaves it always on.
    pub feature: Option<String>,
    /// Features that `feature` needs.
    pub needs: Vec<String>,
    /// Start of the specification pages that the documentation's `spec` entries continue.
    pub spec: Option<String>,
    /// The schema document, official file or facts.
    pub schema: Value,
}

/// Everything the generator knows: types, modules, conversions.
#[derive(Clone, Debug)]
pub struct Model {
    /// All types, addressed by [`TypeId`]. Shared ones are here once.
    pub types: Vec<Type>,
    /// One module for each input, in input order.
    pub modules: Vec<Module>,
    /// Conversions between types of two modules.
    pub conversions: Vec<Conversion>,
    /// Where the types accept more than the schemas say.
    pub relaxations: Vec<Relaxed>,
}

/// Index into [`Model::types`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TypeId(pub usize);

/// One input's module.
#[derive(Clone, Debug)]
pub struct Module {
    /// Name of the input.
    pub input: String,
    /// Rust name.
    pub name: String,
    /// Cargo feature, if it is behind one.
    pub feature: Option<String>,
    /// Features that `feature` needs.
    pub needs: Vec<String>,
    /// Start of the specification pages.
    pub spec: Option<String>,
    /// Definition name -> its type, in alphabetical order.
    pub definitions: BTreeMap<String, TypeId>,
    /// All types of the module, inline ones included, by Rust name.
    pub types: BTreeMap<String, TypeId>,
    /// Requests and notifications by method name.
    pub methods: Vec<Method>,
    /// Keys with a prefix that only the specification's text has, with our words on each.
    pub keys: BTreeMap<String, String>,
}

/// A named Rust type.
#[derive(Clone, Debug)]
pub struct Type {
    /// Definition name, or the made-up name of an inline schema (`ClientCapabilitiesElicitation`).
    /// Documentation is keyed by it.
    pub key: String,
    /// Rust name.
    pub name: String,
    /// Whether it is a definition of its own and not an inline schema.
    pub is_definition: bool,
    /// Where it is written: one module, or `common` if several have it.
    pub home: Home,
    /// The modules that have it (indexes into [`Model::modules`]).
    pub modules: Vec<usize>,
    /// File it is written to (`tools`, `content`, ...).
    pub domain: String,
    /// JSON pointer in the first input that has it.
    pub pointer: String,
    /// Documentation, empty if there is none.
    pub doc: String,
    /// Page of the specification that documents it.
    pub spec: Option<String>,
    /// What it is.
    pub kind: TypeKind,
}

/// Where a type is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Home {
    /// `common`, because several modules have the type.
    Common,
    /// A module (index into [`Model::modules`]).
    Module(usize),
}

/// What a type is.
#[derive(Clone, Debug, PartialEq)]
pub enum TypeKind {
    /// An object with known members.
    Struct(Struct),
    /// One of several types.
    Union(Union),
    /// A string out of a list.
    Enum(Enum),
    /// Another name for a type expression.
    Alias(Expr),
}

/// An object with known members.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Struct {
    /// Members that become fields, by name.
    pub fields: Vec<Field>,
    /// Members that must be present with one value; they are implied.
    pub consts: Vec<Const>,
    /// A union whose members lie flat beside `fields`.
    pub flat: Option<Flat>,
    /// What else the object may hold.
    pub rest: Rest,
    /// Definitions that an `allOf` put into this one and whose members are all here.
    pub includes: Vec<TypeId>,
}

/// A member of an object.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    /// Name on the wire.
    pub json: String,
    /// Rust name without `r#`.
    pub name: String,
    /// Whether it must be present.
    pub required: bool,
    /// Type of its value.
    pub ty: Expr,
    /// Documentation, empty if there is none.
    pub doc: String,
}

/// A required member with one possible value.
#[derive(Clone, Debug, PartialEq)]
pub struct Const {
    /// Name on the wire.
    pub json: String,
    /// The value: a string, an integer or a boolean.
    pub value: Value,
}

/// A union inside an object: its members lie beside the object's own.
#[derive(Clone, Debug, PartialEq)]
pub struct Flat {
    /// Rust name of the field.
    pub name: String,
    /// The union.
    pub ty: TypeId,
    /// Documentation, empty if there is none.
    pub doc: String,
}

/// What an object may hold beside its known members.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Rest {
    /// Anything.
    #[default]
    Open,
    /// Nothing.
    Closed,
    /// Values of one type.
    Typed(Expr),
}

/// One of several types.
#[derive(Clone, Debug, PartialEq)]
pub struct Union {
    /// Alternatives, in schema order.
    pub variants: Vec<Variant>,
    /// How objects are told apart.
    pub choice: Choice,
}

/// An alternative of a union.
#[derive(Clone, Debug, PartialEq)]
pub struct Variant {
    /// Rust name.
    pub name: String,
    /// Type of the content.
    pub ty: Expr,
    /// Values of the discriminator that mean this variant; empty if there is none, or if this is the variant without it.
    pub tags: Vec<String>,
    /// Documentation, empty if there is none.
    pub doc: String,
}

/// How the object alternatives of a union are told apart.
#[derive(Clone, Debug, PartialEq)]
pub enum Choice {
    /// There is at most one; the kind of JSON value decides.
    Kind,
    /// By a member whose values are distinct.
    Tag {
        /// Name of the member on the wire.
        member: String,
        /// Variant that an object without the member is.
        absent: Option<usize>,
    },
    /// By the members that are present, the most specific first.
    Presence,
}

/// A string out of a list.
#[derive(Clone, Debug, PartialEq)]
pub struct Enum {
    /// The values, in schema order.
    pub values: Vec<EnumValue>,
}

/// A value of an [`Enum`].
#[derive(Clone, Debug, PartialEq)]
pub struct EnumValue {
    /// On the wire.
    pub json: String,
    /// Rust name.
    pub name: String,
    /// Documentation, empty if there is none.
    pub doc: String,
}

/// A type expression.
#[derive(Clone, Debug, PartialEq)]
pub enum Expr {
    /// Any JSON value.
    Any,
    /// Any JSON object.
    Object,
    /// `null` only.
    Null,
    /// A boolean.
    Bool,
    /// A string; the length in characters can be bounded.
    String {
        /// Smallest and largest length.
        length: (Option<u64>, Option<u64>),
    },
    /// An integer.
    Integer {
        /// Smallest value.
        min: Option<i64>,
        /// Largest value.
        max: Option<i64>,
        /// The only values, if there is a list.
        only: Vec<i64>,
    },
    /// A number.
    Number(Range),
    /// A type of the model.
    Named(TypeId),
    /// An array.
    Array {
        /// Type of the items.
        items: Box<Expr>,
        /// Smallest and largest number of items.
        length: (Option<u64>, Option<u64>),
    },
    /// An object whose values have one type.
    Map(Box<Expr>),
    /// The type, or `null`.
    Nullable(Box<Expr>),
}

/// Bounds of a number.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Range {
    /// `minimum`.
    pub min: Option<f64>,
    /// `maximum`.
    pub max: Option<f64>,
    /// `exclusiveMinimum`.
    pub above: Option<f64>,
    /// `exclusiveMaximum`.
    pub below: Option<f64>,
}

/// A request or notification.
#[derive(Clone, Debug, PartialEq)]
pub struct Method {
    /// Name on the wire: `tools/call`.
    pub name: String,
    /// Rust name of the marker: `ToolsCall`.
    pub marker: String,
    /// Request or notification.
    pub kind: MethodKind,
    /// Who sends it.
    pub sender: Sender,
    /// The message type (`CallToolRequest`).
    pub message: TypeId,
    /// Type of `params`, if the message has any.
    pub params: Option<Expr>,
    /// Whether `params` must be present.
    pub params_required: bool,
    /// Type of the result; none for notifications.
    pub result: Option<Expr>,
    /// Documentation, empty if there is none.
    pub doc: String,
    /// Page of the specification that documents it.
    pub spec: Option<String>,
}

/// Whether a message is answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MethodKind {
    /// It is answered.
    Request,
    /// It is not.
    Notification,
}

/// Who sends a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sender {
    /// The client.
    Client,
    /// The server.
    Server,
    /// Either.
    Both,
}

/// A conversion between a type of one module and its counterpart in another.
#[derive(Clone, Debug, PartialEq)]
pub struct Conversion {
    /// Source.
    pub from: TypeId,
    /// Target.
    pub to: TypeId,
    /// Whether it can fail (`TryFrom` and not `From`).
    pub fallible: bool,
    /// Members that change their name, from source to target.
    pub renames: Vec<(String, String)>,
}

/// A place where the types accept more than the schema says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Relaxed {
    /// Name of the input.
    pub input: String,
    /// JSON pointer.
    pub pointer: String,
    /// Why.
    pub reason: String,
}

impl Model {
    /// Builds the model of `inputs`, steered by `manifest` (names, domains, renames, relaxations; its list of inputs is
    /// not looked at) and documented by `docs`. `Manifest::default()` and `Docs::default()` do for ad hoc use.
    ///
    /// # Errors
    /// Fails on the first construct that cannot be understood or expressed, with its JSON pointer.
    pub fn build(inputs: &[Input], manifest: &Manifest, docs: &Docs) -> Result<Self, ModelError> {
        let mut lowered = Vec::new();
        let mut registries = Vec::new();
        let mut relaxations = Vec::new();
        for (index, input) in inputs.iter().enumerate() {
            let reader = Reader::new(input, &manifest.relaxations)?;
            let mut shapes = BTreeMap::new();
            for name in reader.names() {
                shapes.insert(name.to_owned(), reader.definition(name, "/")?);
            }
            let mut module = lower::lower(&reader, &copies::recognise(shapes), manifest, index)?;
            includes(&reader, &mut module);
            bases::name_copies(&mut module.types);
            let methods = methods::methods(&reader, &module, &manifest.names)?;
            methods::complete(&mut module, &methods, index);
            for entry in manifest
                .relaxations
                .iter()
                .filter(|entry| reader.relaxed().contains(&entry.at))
            {
                relaxations.push(Relaxed {
                    input: input.name.clone(),
                    pointer: entry.at.clone(),
                    reason: entry.reason.clone(),
                });
            }
            lowered.push(module);
            registries.push(methods);
        }
        if let Some(unused) = manifest
            .relaxations
            .iter()
            .find(|entry| relaxations.iter().all(|used| used.pointer != entry.at))
        {
            let what = format!("the relaxation at {}", unused.at);
            return Err(ModelError {
                input: "manifest".into(),
                pointer: unused.at.clone(),
                kind: Box::new(Problem::Unused { what }),
            });
        }
        let definitions: Vec<_> = lowered
            .iter()
            .map(|module| module.definitions.clone())
            .collect();
        let (types, ids) = share::share(lowered);
        let mut modules = Vec::new();
        for (index, (input, mut methods)) in inputs.iter().zip(registries).enumerate() {
            let global = |id: TypeId| ids[index][id.0];
            for method in &mut methods {
                method.message = global(method.message);
                for expr in method.params.iter_mut().chain(&mut method.result) {
                    expr.ids(&mut |id| *id = global(*id));
                }
            }
            modules.push(Module {
                input: input.name.clone(),
                name: input.module.clone(),
                feature: input.feature.clone(),
                needs: input.needs.clone(),
                spec: input.spec.clone(),
                definitions: definitions[index]
                    .iter()
                    .map(|(name, id)| (name.clone(), global(*id)))
                    .collect(),
                types: ids[index]
                    .iter()
                    .map(|id| (types[id.0].name.clone(), *id))
                    .collect(),
                methods,
                keys: manifest
                    .inputs
                    .iter()
                    .find(|entry| entry.name == input.name)
                    .map(|entry| entry.keys.clone())
                    .unwrap_or_default(),
            });
        }
        let mut model = Self {
            types,
            modules,
            conversions: Vec::new(),
            relaxations,
        };
        model.conversions = convert::conversions(&model, manifest);
        model.document(docs);
        Ok(model)
    }

    /// The type behind an id.
    #[must_use]
    pub fn get(&self, id: TypeId) -> &Type {
        &self.types[id.0]
    }

    fn document(&mut self, docs: &Docs) {
        for ty in &mut self.types {
            let Some(entry) = docs.types.get(&ty.key) else {
                continue;
            };
            ty.doc.clone_from(&entry.doc);
            ty.spec.clone_from(&entry.spec);
            let text = |map: &BTreeMap<String, String>, key: &str| {
                map.get(key).cloned().unwrap_or_default()
            };
            match &mut ty.kind {
                TypeKind::Struct(object) => {
                    for field in &mut object.fields {
                        field.doc = text(&entry.fields, &field.json);
                    }
                    if let Some(flat) = &mut object.flat {
                        flat.doc = text(&entry.fields, &flat.name);
                    }
                }
                TypeKind::Union(union) => {
                    for variant in &mut union.variants {
                        let key = variant.tags.first().unwrap_or(&variant.name);
                        variant.doc = text(&entry.variants, key);
                    }
                }
                TypeKind::Enum(values) => {
                    for value in &mut values.values {
                        value.doc = text(&entry.variants, &value.json);
                    }
                }
                TypeKind::Alias(_) => {}
            }
        }
        for method in self
            .modules
            .iter_mut()
            .flat_map(|module| &mut module.methods)
        {
            if let Some(entry) = docs.methods.get(&method.name) {
                method.doc.clone_from(&entry.doc);
                method.spec.clone_from(&entry.spec);
            }
        }
    }
}

/// Notes for each definition with an `allOf` which other definition it contains whole, with nothing else required.
fn includes(reader: &Reader<'_>, module: &mut Lowered) {
    let of_all = |name: &String| {
        reader
            .schema(name)
            .is_some_and(|schema| schema.get("allOf").is_some())
    };
    let mut found = Vec::new();
    for (_, &outer) in module.definitions.iter().filter(|(name, _)| of_all(name)) {
        let TypeKind::Struct(whole) = &module.types[outer.0].kind else {
            continue;
        };
        for &inner in module.definitions.values().filter(|inner| **inner != outer) {
            let TypeKind::Struct(part) = &module.types[inner.0].kind else {
                continue;
            };
            let inside = part.rest == Rest::Open
                && whole.rest == Rest::Open
                && part.flat.is_none()
                && whole.flat.is_none()
                && part.fields.iter().any(|field| field.required)
                && part.fields.iter().all(|field| whole.fields.contains(field))
                && part
                    .consts
                    .iter()
                    .all(|constant| whole.consts.contains(constant))
                && whole
                    .fields
                    .iter()
                    .all(|field| !field.required || part.fields.contains(field));
            if inside {
                found.push((outer, inner));
            }
        }
    }
    for (outer, inner) in found {
        if let TypeKind::Struct(whole) = &mut module.types[outer.0].kind {
            whole.includes.push(inner);
        }
    }
}
