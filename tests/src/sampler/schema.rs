//! A schema file as the sampler sees it: definitions by name, and any schema
//! reduced to one conjunction once a member of each union on the way is picked.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde_json::{Map, Value};

/// A schema file with its definitions.
#[derive(Debug, Clone)]
pub struct Document {
    /// What reports call it: the file's stem.
    pub name: String,
    root: Value,
    key: &'static str,
    members: Vec<String>,
    consts: BTreeMap<String, Vec<Value>>,
}

/// The JSON kinds of JSON Schema's `type`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[allow(missing_docs)]
pub enum Kind {
    Null,
    Boolean,
    Integer,
    Number,
    String,
    Array,
    Object,
}

impl Kind {
    fn parse(name: &str) -> Option<Self> {
        Some(match name {
            "null" => Self::Null,
            "boolean" => Self::Boolean,
            "integer" => Self::Integer,
            "number" => Self::Number,
            "string" => Self::String,
            "array" => Self::Array,
            "object" => Self::Object,
            _ => return None,
        })
    }
}

/// One conjunction: everything that must hold of a value at once.
#[derive(Debug, Clone, Default)]
pub struct Shape<'d> {
    /// Allowed kinds; none is any.
    pub kinds: Option<BTreeSet<Kind>>,
    /// Allowed values (`const`, `enum`); none is any.
    pub values: Option<Vec<&'d Value>>,
    /// Lower bound of a number.
    pub minimum: Option<f64>,
    /// Upper bound of a number.
    pub maximum: Option<f64>,
    /// Fewest items of an array.
    pub min_items: Option<u64>,
    /// Most items of an array.
    pub max_items: Option<u64>,
    /// Members that must be present.
    pub required: BTreeSet<&'d str>,
    /// Members with a schema of their own, in some conjunct.
    pub known: BTreeSet<&'d str>,
    /// Schemas of array items.
    pub items: Vec<&'d Value>,
    /// Nothing fits (`false`, `not: {}`).
    pub never: bool,
    /// A union was passed whose members no constant tells apart.
    pub ambiguous: bool,
    /// Constants that tell the picked member of a union apart: member, value.
    pub tags: Vec<(&'d str, &'d Value)>,
    objects: Vec<&'d Map<String, Value>>,
}

impl<'d> Shape<'d> {
    /// What must hold of the member `name`: the schemas of all conjuncts that speak of it.
    #[must_use]
    pub fn member(&self, name: &str) -> Vec<&'d Value> {
        let mut all = Vec::new();
        for object in &self.objects {
            if let Some(schema) = object.get("properties").and_then(|p| p.get(name)) {
                all.push(schema);
            } else if let Some(schema) = object.get("additionalProperties") {
                all.push(schema);
            }
        }
        all
    }

    /// Whether a value of this kind may fit.
    #[must_use]
    pub fn allows(&self, kind: Kind) -> bool {
        let by_kind = self.kinds.as_ref().is_none_or(|k| {
            k.contains(&kind) || (kind == Kind::Integer && k.contains(&Kind::Number))
        });
        by_kind
            && self
                .values
                .as_ref()
                .is_none_or(|v| v.iter().any(|v| is_kind(v, kind)))
    }

    /// Whether anything at all is said of the value.
    #[must_use]
    pub fn is_any(&self) -> bool {
        self.kinds.is_none() && self.values.is_none() && !self.never && self.objects.is_empty()
    }
}

/// Whether `value` is of `kind`, as JSON Schema sees it: `3.0` is an integer.
#[must_use]
pub fn is_kind(value: &Value, kind: Kind) -> bool {
    match kind {
        Kind::Null => value.is_null(),
        Kind::Boolean => value.is_boolean(),
        Kind::Integer => {
            value.is_i64() || value.is_u64() || value.as_f64().is_some_and(|f| f.fract() == 0.0)
        }
        Kind::Number => value.is_number(),
        Kind::String => value.is_string(),
        Kind::Array => value.is_array(),
        Kind::Object => value.is_object(),
    }
}

impl Document {
    /// Reads a schema file.
    ///
    /// # Errors
    ///
    /// A message that names the file, when it cannot be read or holds no definitions.
    pub fn read(path: &Path) -> Result<Self, String> {
        let text = std::fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))?;
        let root = serde_json::from_str(&text).map_err(|e| format!("{}: {e}", path.display()))?;
        let stem = path.file_stem().map(|s| s.to_string_lossy().into_owned());
        Self::new(stem.unwrap_or_default(), root)
    }

    /// A document from its JSON: 2020-12 `$defs` or draft-07 `definitions`.
    ///
    /// # Errors
    ///
    /// A message, when there are no definitions.
    pub fn new(name: impl Into<String>, root: Value) -> Result<Self, String> {
        let name = name.into();
        let key = ["$defs", "definitions"]
            .into_iter()
            .find(|k| root[*k].is_object());
        let key = key.ok_or_else(|| format!("{name}: no $defs and no definitions"))?;
        let (mut members, mut consts) = (BTreeSet::new(), BTreeMap::new());
        for schema in root[key].as_object().into_iter().flat_map(Map::values) {
            collect(schema, &mut members, &mut consts);
        }
        let members = members.into_iter().collect();
        Ok(Self {
            name,
            root,
            key,
            members,
            consts,
        })
    }

    /// The file's JSON.
    #[must_use]
    pub fn root(&self) -> &Value {
        &self.root
    }

    /// `$defs` or `definitions`.
    #[must_use]
    pub fn key(&self) -> &'static str {
        self.key
    }

    /// Names of all definitions, sorted.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.root[self.key]
            .as_object()
            .into_iter()
            .flat_map(Map::keys)
            .map(String::as_str)
    }

    /// Names of all members that any schema of the file mentions.
    #[must_use]
    pub fn member_names(&self) -> &[String] {
        &self.members
    }

    /// Constants that schemas of the file give to members of this name.
    #[must_use]
    pub fn consts_of(&self, member: &str) -> &[Value] {
        self.consts.get(member).map_or(&[], Vec::as_slice)
    }

    /// The schema of a definition.
    #[must_use]
    pub fn definition(&self, name: &str) -> Option<&Value> {
        self.root[self.key].get(name)
    }

    fn target(&self, reference: &str) -> &Value {
        let pointer = reference.strip_prefix('#').unwrap_or(reference);
        match self.root.pointer(pointer) {
            Some(schema) => schema,
            None => panic!("{}: {reference} leads nowhere", self.name),
        }
    }

    /// Reduces schemas that must all hold to one shape; `pick` chooses among a union's members.
    pub fn shape<'d>(
        &'d self,
        all: &[&'d Value],
        pick: &mut dyn FnMut(usize) -> usize,
    ) -> Shape<'d> {
        let mut shape = Shape::default();
        for schema in all {
            self.join(schema, &mut shape, pick, 0);
        }
        shape
    }

    fn join<'d>(
        &'d self,
        schema: &'d Value,
        shape: &mut Shape<'d>,
        pick: &mut dyn FnMut(usize) -> usize,
        depth: usize,
    ) {
        assert!(
            depth < 64,
            "{}: a schema refers to itself without end",
            self.name
        );
        let object = match schema {
            Value::Object(object) => object,
            Value::Bool(true) => return,
            _ => {
                shape.never = true;
                return;
            }
        };
        if let Some(reference) = object.get("$ref").and_then(Value::as_str) {
            self.join(self.target(reference), shape, pick, depth + 1);
        }
        for part in list(object, "allOf") {
            self.join(part, shape, pick, depth + 1);
        }
        for keyword in ["anyOf", "oneOf"] {
            let options = list(object, keyword);
            if !options.is_empty() {
                let option = &options[pick(options.len())];
                if options.len() > 1 {
                    self.tell_apart(option, options, shape);
                }
                self.join(option, shape, pick, depth + 1);
            }
        }
        if object
            .get("not")
            .is_some_and(|not| not.as_object().is_some_and(Map::is_empty))
        {
            shape.never = true;
        }
        own_keywords(object, shape);
    }

    /// Notes how a picked member of a union differs from the others.
    fn tell_apart<'d>(&'d self, option: &'d Value, options: &'d [Value], shape: &mut Shape<'d>) {
        let own = self.outline(option);
        let others: Vec<_> = options
            .iter()
            .filter(|other| !std::ptr::eq(*other, option))
            .map(|other| self.outline(other))
            .filter(|other| own.kinds.iter().any(|k| other.kinds.contains(k)))
            .collect();
        if others.is_empty() {
            return; // no other member has this JSON kind
        }
        let tag = own.consts.iter().find(|(name, value)| {
            others
                .iter()
                .all(|other| other.consts.get(*name).is_some_and(|v| *v != **value))
        });
        match tag {
            Some((name, value)) => shape.tags.push((name, value)),
            None => shape.ambiguous = true,
        }
    }

    fn outline<'d>(&'d self, schema: &'d Value) -> Outline<'d> {
        let shape = self.shape(&[schema], &mut |_| 0);
        let mut consts = BTreeMap::new();
        for name in shape.required.iter().copied() {
            for schema in shape.member(name) {
                if let Some(value) = self.shape(&[schema], &mut |_| 0).values
                    && let [one] = value[..]
                {
                    consts.insert(name, one);
                }
            }
        }
        let kinds = shape.kinds.unwrap_or_default();
        Outline { kinds, consts }
    }
}

struct Outline<'d> {
    kinds: BTreeSet<Kind>,
    consts: BTreeMap<&'d str, &'d Value>,
}

fn list<'d>(object: &'d Map<String, Value>, keyword: &str) -> &'d [Value] {
    object
        .get(keyword)
        .and_then(Value::as_array)
        .map_or(&[], Vec::as_slice)
}

fn own_keywords<'d>(object: &'d Map<String, Value>, shape: &mut Shape<'d>) {
    let kinds: Option<BTreeSet<Kind>> = match object.get("type") {
        Some(Value::String(name)) => Some(Kind::parse(name).into_iter().collect()),
        Some(Value::Array(names)) => Some(
            names
                .iter()
                .filter_map(|n| Kind::parse(n.as_str()?))
                .collect(),
        ),
        _ => None,
    };
    if let Some(kinds) = kinds {
        shape.kinds = Some(match shape.kinds.take() {
            Some(before) => before.intersection(&kinds).copied().collect(),
            None => kinds,
        });
    }
    let values = match (object.get("const"), object.get("enum")) {
        (Some(value), _) => Some(vec![value]),
        (None, Some(Value::Array(values))) => Some(values.iter().collect()),
        _ => None,
    };
    if let Some(values) = values {
        shape.values = Some(match shape.values.take() {
            Some(before) => before.into_iter().filter(|v| values.contains(v)).collect(),
            None => values,
        });
    }
    let number = |keyword: &str| object.get(keyword).and_then(Value::as_f64);
    let count = |keyword: &str| object.get(keyword).and_then(Value::as_u64);
    shape.minimum = tighter(shape.minimum, number("minimum"), f64::max);
    shape.maximum = tighter(shape.maximum, number("maximum"), f64::min);
    shape.min_items = tighter(shape.min_items, count("minItems"), u64::max);
    shape.max_items = tighter(shape.max_items, count("maxItems"), u64::min);
    shape
        .required
        .extend(list(object, "required").iter().filter_map(Value::as_str));
    shape.items.extend(object.get("items"));
    let properties = object.get("properties").and_then(Value::as_object);
    shape.known.extend(
        properties
            .into_iter()
            .flat_map(Map::keys)
            .map(String::as_str),
    );
    if properties.is_some() || object.contains_key("additionalProperties") {
        shape.objects.push(object);
    }
}

fn tighter<T>(a: Option<T>, b: Option<T>, choose: fn(T, T) -> T) -> Option<T> {
    match (a, b) {
        (Some(a), Some(b)) => Some(choose(a, b)),
        (a, b) => a.or(b),
    }
}

fn collect(
    schema: &Value,
    members: &mut BTreeSet<String>,
    consts: &mut BTreeMap<String, Vec<Value>>,
) {
    let Some(object) = schema.as_object() else {
        return;
    };
    if let Some(properties) = object.get("properties").and_then(Value::as_object) {
        for (name, schema) in properties {
            members.insert(name.clone());
            if let Some(value) = schema.get("const") {
                let all = consts.entry(name.clone()).or_default();
                if !all.contains(value) {
                    all.push(value.clone());
                }
            }
            collect(schema, members, consts);
        }
    }
    for keyword in ["items", "additionalProperties"] {
        if let Some(schema) = object.get(keyword) {
            collect(schema, members, consts);
        }
    }
    for keyword in ["anyOf", "oneOf", "allOf"] {
        for schema in list(object, keyword) {
            collect(schema, members, consts);
        }
    }
}
