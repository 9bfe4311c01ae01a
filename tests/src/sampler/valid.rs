//! Values that fit a schema, with a note of every place in them that a schema constrains.

use fastrand::Rng;
use serde_json::{Map, Value};

use super::schema::{Document, Kind, Shape};
use super::value;

/// One step into a value.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Step {
    Member(String),
    Item(usize),
}

/// A constrained place in a sample.
#[derive(Debug, Clone)]
pub struct Site<'d> {
    /// Where it is.
    pub path: Vec<Step>,
    /// What must hold there.
    pub shape: Shape<'d>,
    /// How many steps of the path an error can be expected to name: fewer than
    /// all, when the way passes a union whose members no constant tells apart.
    pub clear: usize,
    /// This member is the constant that tells its union's members apart.
    pub is_tag: bool,
}

/// A value and its constrained places.
#[derive(Debug, Clone)]
pub struct Sample<'d> {
    /// The value.
    pub value: Value,
    /// Its constrained places, outer before inner.
    pub sites: Vec<Site<'d>>,
}

/// Makes a random value that fits a definition.
///
/// # Panics
///
/// When the document has no such definition.
pub fn sample<'d>(document: &'d Document, definition: &str, rng: &mut Rng) -> Sample<'d> {
    let schema = document.definition(definition);
    let schema = schema.unwrap_or_else(|| panic!("{}: no {definition}", document.name));
    let density = *value::one_of(rng, &[0.0, 0.15, 0.4, 0.6, 0.95]);
    let budget = rng.i32(5..60);
    let mut maker = Maker {
        document,
        rng,
        density,
        budget,
        sites: Vec::new(),
    };
    let value = maker.make(&[schema], &mut Vec::new(), &Way::default());
    Sample {
        value,
        sites: maker.sites,
    }
}

struct Maker<'d, 'r> {
    document: &'d Document,
    rng: &'r mut Rng,
    /// How likely an optional member is.
    density: f64,
    /// How many more values may be made before only what is required is.
    budget: i32,
    sites: Vec<Site<'d>>,
}

/// What is known of the way to a value.
#[derive(Clone, Copy, Default)]
struct Way {
    clear: Option<usize>,
    is_tag: bool,
}

impl<'d> Maker<'d, '_> {
    fn make(&mut self, schemas: &[&'d Value], path: &mut Vec<Step>, way: &Way) -> Value {
        self.budget -= 1;
        let shape = self.document.shape(schemas, &mut |n| self.rng.usize(..n));
        if shape.is_any() {
            return value::anything(self.rng, self.document.member_names(), 3);
        }
        let clear = way.clear.or(shape.ambiguous.then_some(path.len()));
        let at = self.sites.len();
        self.sites.push(Site {
            path: path.clone(),
            clear: clear.unwrap_or(path.len()),
            is_tag: way.is_tag,
            shape: Shape::default(),
        });
        let value = self.fill(&shape, path, clear);
        self.sites[at].shape = shape;
        value
    }

    fn fill(&mut self, shape: &Shape<'d>, path: &mut Vec<Step>, clear: Option<usize>) -> Value {
        if let Some(values) = &shape.values {
            let fit: Vec<_> = values
                .iter()
                .filter(|v| shape.kinds.is_none() || fits(shape, v))
                .collect();
            return fit
                .get(self.rng.usize(..fit.len().max(1)))
                .map_or(Value::Null, |v| (**v).clone());
        }
        let kinds: Vec<Kind> = match &shape.kinds {
            Some(kinds) => kinds.iter().copied().collect(),
            None => vec![Kind::Object],
        };
        if kinds.is_empty() {
            return Value::Null;
        }
        match value::one_of(self.rng, &kinds) {
            Kind::Null => Value::Null,
            Kind::Boolean => self.rng.bool().into(),
            Kind::Integer => self.integer(shape),
            Kind::Number => self.number(shape),
            Kind::String => value::text(self.rng).into(),
            Kind::Array => self.array(shape, path, clear),
            Kind::Object => self.object(shape, path, clear),
        }
    }

    fn integer(&mut self, shape: &Shape<'_>) -> Value {
        let rng = &mut *self.rng;
        let (low, high) = (shape.minimum, shape.maximum);
        if low.is_none() && high.is_none() {
            return if rng.u8(..100) == 0 {
                value::past_64_bits(rng)
            } else {
                value::integer(rng)
            };
        }
        #[allow(clippy::cast_possible_truncation)] // saturates, and bounds are whole
        let (least, most) = (
            low.map_or(i64::MIN, |f| f.ceil() as i64),
            high.map_or(i64::MAX, |f| f.floor() as i64),
        );
        match rng.u8(..6) {
            0 => least.into(),
            1 => most.into(),
            2 if high.is_none() && rng.u8(..8) == 0 => u64::MAX.into(),
            3 => value::finite(least.max(-3).min(most) as f64),
            4 => rng.i64(least..=most).into(),
            _ => rng
                .i64(least.max(-3).min(most)..=most.min(100).max(least))
                .into(),
        }
    }

    fn number(&mut self, shape: &Shape<'_>) -> Value {
        let rng = &mut *self.rng;
        match (shape.minimum, shape.maximum) {
            (None, None) => value::number(rng),
            (low, high) => {
                let low = low.unwrap_or(-1e6);
                let high = high.unwrap_or(low.abs().mul_add(2.0, 1e6));
                match rng.u8(..5) {
                    0 => value::finite(low),
                    1 => value::finite(high),
                    #[allow(clippy::cast_possible_truncation)] // any integer will do
                    2 => Value::from(low.ceil() as i64),
                    3 => value::finite((low + high) * 0.8 / 2.0),
                    _ => value::finite(rng.f64().mul_add(high - low, low).clamp(low, high)),
                }
            }
        }
    }

    fn array(&mut self, shape: &Shape<'d>, path: &mut Vec<Step>, clear: Option<usize>) -> Value {
        let most = shape
            .max_items
            .map_or(3, |m| m.min(3))
            .max(shape.min_items.unwrap_or(0));
        let mut count = shape.min_items.unwrap_or(0);
        if self.budget > 0 {
            count = self.rng.u64(count..=most);
        }
        if shape.max_items.is_some() && self.rng.u8(..20) == 0 {
            count = shape.max_items.unwrap_or(count);
        }
        let way = Way {
            clear,
            is_tag: false,
        };
        let items = (0..count).map(|i| {
            path.push(Step::Item(usize::try_from(i).unwrap_or(usize::MAX)));
            let item = self.make(&shape.items, path, &way);
            path.pop();
            item
        });
        Value::Array(items.collect())
    }

    fn object(&mut self, shape: &Shape<'d>, path: &mut Vec<Step>, clear: Option<usize>) -> Value {
        let mut names: Vec<String> = Vec::new();
        for name in shape.known.union(&shape.required) {
            let wanted = self.budget > 0 && self.rng.f64() < self.density;
            if shape.required.contains(name) || wanted {
                names.push((*name).to_owned());
            }
        }
        let spare = match self.budget > 0 {
            true if shape.known.is_empty() => self.rng.usize(..4),
            true if self.rng.f64() < self.density.min(0.3) => self.rng.usize(1..3),
            _ => 0,
        };
        for _ in 0..spare {
            let name = value::key(self.rng, self.document.member_names());
            if !shape.known.contains(name.as_str()) && !names.contains(&name) {
                names.push(name);
            }
        }
        let mut object = Map::new();
        for name in names {
            let schemas = shape.member(&name);
            let is_required = shape.required.contains(name.as_str());
            if !is_required && self.document.shape(&schemas, &mut |_| 0).never {
                continue;
            }
            let is_tag = shape.tags.iter().any(|(tag, _)| *tag == name);
            path.push(Step::Member(name.clone()));
            let member = self.make(&schemas, path, &Way { clear, is_tag });
            path.pop();
            object.insert(name, member);
        }
        Value::Object(object)
    }
}

fn fits(shape: &Shape<'_>, value: &Value) -> bool {
    const ALL: [Kind; 7] = [
        Kind::Null,
        Kind::Boolean,
        Kind::Integer,
        Kind::Number,
        Kind::String,
        Kind::Array,
        Kind::Object,
    ];
    let kinds = shape.kinds.as_ref();
    ALL.iter()
        .any(|k| super::schema::is_kind(value, *k) && kinds.is_none_or(|a| a.contains(k)))
}

/// The value at the end of a path.
#[must_use]
pub fn at<'v>(value: &'v Value, path: &[Step]) -> Option<&'v Value> {
    path.iter().try_fold(value, |value, step| match step {
        Step::Member(name) => value.get(name),
        Step::Item(index) => value.get(index),
    })
}

/// The value at the end of a path, to be changed.
pub fn at_mut<'v>(value: &'v mut Value, path: &[Step]) -> Option<&'v mut Value> {
    path.iter().try_fold(value, |value, step| match step {
        Step::Member(name) => value.get_mut(name),
        Step::Item(index) => value.get_mut(index),
    })
}
