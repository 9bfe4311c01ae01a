//! Decodes JSON values into Rust types, and says what does not fit, and where.
//!
//! Stricter and kinder than decoding from a `serde_json::Value`: an integer may be written `5.0`, an array is not
//! taken for an object, and an error carries the path of the value, what was expected, and the kind of what was there.

use std::fmt;

use serde::de::{
    self, DeserializeOwned, DeserializeSeed, Deserializer, EnumAccess, IntoDeserializer as _,
    MapAccess, SeqAccess, Unexpected, VariantAccess, Visitor, value::StrDeserializer,
};
use serde_json::{Number, Value};

use crate::JsonObject;

/// Whole doubles below this are an `i128`.
const WHOLE: f64 = 1e38;

/// Decodes a value.
pub(crate) fn from_value<T: DeserializeOwned>(value: &Value) -> Result<T, DecodeError> {
    T::deserialize(Item::Value(value))
}

/// Decodes an object.
pub(crate) fn from_object<T: DeserializeOwned>(object: &JsonObject) -> Result<T, DecodeError> {
    T::deserialize(Item::Object(object))
}

/// Decodes the absence of a value: `None` for an `Option`, nothing for most other types.
pub(crate) fn from_nothing<T: DeserializeOwned>() -> Option<T> {
    T::deserialize(Absent).ok()
}

/// What does not fit, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct DecodeError {
    /// Innermost step first, as the error travels outwards.
    path: Vec<Step>,
    message: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Step {
    Key(String),
    Index(usize),
}

impl DecodeError {
    fn new(message: impl Into<String>) -> Self {
        Self {
            path: Vec::new(),
            message: message.into(),
        }
    }

    fn expected(what: impl fmt::Display, item: Item<'_>) -> Self {
        Self::new(format!("expected {what}, got {}", item.kind()))
    }

    fn within(mut self, step: Step) -> Self {
        self.path.push(step);
        self
    }

    /// What does not fit.
    pub(crate) fn message(&self) -> &str {
        &self.message
    }

    /// Where, below `root`: `items[2].count`.
    pub(crate) fn path_below(&self, root: &str) -> String {
        let mut path = root.to_owned();
        for step in self.path.iter().rev() {
            match step {
                Step::Index(index) => path.push_str(&format!("[{index}]")),
                Step::Key(key) if path.is_empty() => path.push_str(key),
                Step::Key(key) => {
                    path.push('.');
                    path.push_str(key);
                }
            }
        }
        path
    }
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.path_below("");
        if path.is_empty() {
            f.write_str(&self.message)
        } else {
            write!(f, "`{path}`: {}", self.message)
        }
    }
}

impl std::error::Error for DecodeError {}

impl de::Error for DecodeError {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self::new(message.to_string())
    }

    fn invalid_type(unexpected: Unexpected<'_>, expected: &dyn de::Expected) -> Self {
        Self::new(format!("expected {expected}, got {}", kind_of(&unexpected)))
    }

    fn invalid_value(unexpected: Unexpected<'_>, expected: &dyn de::Expected) -> Self {
        Self::invalid_type(unexpected, expected)
    }

    fn invalid_length(length: usize, expected: &dyn de::Expected) -> Self {
        Self::new(format!("expected {expected}, got {length} elements"))
    }

    fn unknown_variant(variant: &str, expected: &'static [&'static str]) -> Self {
        Self::new(format!(
            "expected {}, got the string {variant:?}",
            one_of(expected)
        ))
    }

    fn unknown_field(field: &str, expected: &'static [&'static str]) -> Self {
        match expected {
            [] => Self::new(format!("unknown field `{field}`; there are no fields")),
            _ => Self::new(format!(
                "unknown field `{field}`; known are {}",
                names(expected)
            )),
        }
    }

    fn missing_field(field: &'static str) -> Self {
        Self::new(format!("the field `{field}` is missing"))
    }

    fn duplicate_field(field: &'static str) -> Self {
        Self::new(format!("the field `{field}` is given twice"))
    }
}

/// `a`, `b`, `c`
pub(crate) fn names<S: AsRef<str>>(names: &[S]) -> String {
    let quoted: Vec<String> = names
        .iter()
        .map(|name| format!("`{}`", name.as_ref()))
        .collect();
    quoted.join(", ")
}

fn one_of(variants: &[&str]) -> String {
    let quoted: Vec<String> = variants.iter().map(|name| format!("{name:?}")).collect();
    match quoted.as_slice() {
        [only] => only.clone(),
        _ => format!("one of {}", quoted.join(", ")),
    }
}

fn kind_of(unexpected: &Unexpected<'_>) -> String {
    match unexpected {
        Unexpected::Bool(value) => format!("the boolean {value}"),
        Unexpected::Unsigned(value) => format!("the number {value}"),
        Unexpected::Signed(value) => format!("the number {value}"),
        Unexpected::Float(value) => format!("the number {value}"),
        Unexpected::Char(value) => format!("the string {:?}", value.to_string()),
        Unexpected::Str(value) => text_kind(value),
        Unexpected::Unit | Unexpected::Option => "null".to_owned(),
        Unexpected::Seq | Unexpected::TupleVariant => "an array".to_owned(),
        Unexpected::Map | Unexpected::StructVariant => "an object".to_owned(),
        other => other.to_string(),
    }
}

/// What a value is, in a few words.
pub(super) fn kind_of_value(value: &Value) -> String {
    Item::Value(value).kind()
}

/// A string of the caller, shortened.
fn text_kind(text: &str) -> String {
    const SHOWN: usize = 40;
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("the string {:?}, shortened", &text[..end]),
        None => format!("the string {text:?}"),
    }
}

/// A value to decode. Objects are apart so that a map need not be wrapped in a value first.
#[derive(Clone, Copy)]
enum Item<'a> {
    Value(&'a Value),
    Object(&'a JsonObject),
}

impl<'a> Item<'a> {
    fn kind(self) -> String {
        match self {
            Self::Object(_) | Self::Value(Value::Object(_)) => "an object".to_owned(),
            Self::Value(Value::Null) => "null".to_owned(),
            Self::Value(Value::Bool(value)) => format!("the boolean {value}"),
            Self::Value(Value::Number(value)) => format!("the number {value}"),
            Self::Value(Value::String(value)) => text_kind(value),
            Self::Value(Value::Array(_)) => "an array".to_owned(),
        }
    }

    fn object(self) -> Result<&'a JsonObject, DecodeError> {
        match self {
            Self::Object(object) | Self::Value(Value::Object(object)) => Ok(object),
            Self::Value(_) => Err(DecodeError::expected("an object", self)),
        }
    }

    fn string(self) -> Result<&'a str, DecodeError> {
        match self {
            Self::Value(Value::String(text)) => Ok(text),
            _ => Err(DecodeError::expected("a string", self)),
        }
    }

    fn array(self, length: Option<usize>) -> Result<&'a [Value], DecodeError> {
        match (self, length) {
            (Self::Value(Value::Array(items)), Some(length)) if items.len() != length => {
                Err(DecodeError::new(format!(
                    "expected an array of {length}, got an array of {}",
                    items.len()
                )))
            }
            (Self::Value(Value::Array(items)), _) => Ok(items),
            (_, Some(length)) => Err(DecodeError::expected(
                format_args!("an array of {length}"),
                self,
            )),
            (_, None) => Err(DecodeError::expected("an array", self)),
        }
    }

    fn number(self, what: impl fmt::Display) -> Result<&'a Number, DecodeError> {
        match self {
            Self::Value(Value::Number(number)) => Ok(number),
            _ => Err(DecodeError::expected(what, self)),
        }
    }

    fn integer(self, min: i128, max: i128) -> Result<i128, DecodeError> {
        let what = format_args!("an integer from {min} to {max}");
        let number = self.number(what)?;
        integral(number)
            .filter(|value| (min..=max).contains(value))
            .ok_or_else(|| DecodeError::expected(what, self))
    }
}

/// The number as an integer, also when it is written `5.0`.
pub(super) fn integral(number: &Number) -> Option<i128> {
    if let Some(value) = number.as_i64() {
        return Some(value.into());
    }
    if let Some(value) = number.as_u64() {
        return Some(value.into());
    }
    let value = number.as_f64()?;
    #[expect(
        clippy::cast_possible_truncation,
        reason = "whole and within the range"
    )]
    (value.fract() == 0.0 && value.abs() < WHOLE).then_some(value as i128)
}

macro_rules! integers {
    ($($deserialize:ident $visit:ident $int:ty),* $(,)?) => {$(
        fn $deserialize<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
            let value = self.integer(<$int>::MIN.into(), <$int>::MAX.into())?;
            match <$int>::try_from(value) {
                Ok(value) => visitor.$visit(value),
                Err(_) => Err(DecodeError::expected("an integer", self)),
            }
        }
    )*};
}

impl<'de> Deserializer<'de> for Item<'de> {
    type Error = DecodeError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        match self {
            Self::Object(_) | Self::Value(Value::Object(_)) => self.deserialize_map(visitor),
            Self::Value(Value::Null) => visitor.visit_unit(),
            Self::Value(Value::Bool(value)) => visitor.visit_bool(*value),
            Self::Value(Value::String(text)) => visitor.visit_borrowed_str(text),
            Self::Value(Value::Array(_)) => self.deserialize_seq(visitor),
            Self::Value(Value::Number(number)) => {
                if let Some(value) = number.as_u64() {
                    visitor.visit_u64(value)
                } else if let Some(value) = number.as_i64() {
                    visitor.visit_i64(value)
                } else {
                    self.deserialize_f64(visitor)
                }
            }
        }
    }

    integers!(
        deserialize_i8 visit_i8 i8,
        deserialize_i16 visit_i16 i16,
        deserialize_i32 visit_i32 i32,
        deserialize_i64 visit_i64 i64,
        deserialize_u8 visit_u8 u8,
        deserialize_u16 visit_u16 u16,
        deserialize_u32 visit_u32 u32,
        deserialize_u64 visit_u64 u64,
    );

    fn deserialize_i128<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        visitor.visit_i128(self.integer(i64::MIN.into(), u64::MAX.into())?)
    }

    fn deserialize_u128<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        visitor.visit_u128(self.integer(0, u64::MAX.into())?.unsigned_abs())
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        match self {
            Self::Value(Value::Bool(value)) => visitor.visit_bool(*value),
            _ => Err(DecodeError::expected("true or false", self)),
        }
    }

    fn deserialize_f32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        self.deserialize_f64(visitor)
    }

    fn deserialize_f64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        match self.number("a number")?.as_f64() {
            Some(value) => visitor.visit_f64(value),
            None => Err(DecodeError::expected("a number", self)),
        }
    }

    fn deserialize_char<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        let text = self.string()?;
        let mut chars = text.chars();
        match (chars.next(), chars.next()) {
            (Some(only), None) => visitor.visit_char(only),
            _ => Err(DecodeError::expected("a string of one character", self)),
        }
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        visitor.visit_borrowed_str(self.string()?)
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        self.deserialize_str(visitor)
    }

    fn deserialize_bytes<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        match self {
            Self::Value(Value::String(text)) => visitor.visit_borrowed_str(text),
            _ => self.deserialize_seq(visitor),
        }
    }

    fn deserialize_byte_buf<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        self.deserialize_bytes(visitor)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        match self {
            Self::Value(Value::Null) => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_unit<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        match self {
            Self::Value(Value::Null) => visitor.visit_unit(),
            _ => Err(DecodeError::expected("null", self)),
        }
    }

    fn deserialize_unit_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, DecodeError> {
        self.deserialize_unit(visitor)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, DecodeError> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        visit_array(self.array(None)?, visitor)
    }

    fn deserialize_tuple<V: Visitor<'de>>(
        self,
        length: usize,
        visitor: V,
    ) -> Result<V::Value, DecodeError> {
        visit_array(self.array(Some(length))?, visitor)
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        length: usize,
        visitor: V,
    ) -> Result<V::Value, DecodeError> {
        self.deserialize_tuple(length, visitor)
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        visitor.visit_map(Members {
            rest: self.object()?.iter(),
            value: None,
        })
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, DecodeError> {
        self.deserialize_map(visitor)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, DecodeError> {
        if let Self::Value(Value::String(name)) = self {
            return visitor.visit_enum(Variant {
                name,
                content: None,
            });
        }
        let shape = || match variants {
            [] => "a variant".to_owned(),
            _ => one_of(variants),
        };
        match self
            .object()
            .ok()
            .map(|object| (object.len(), object.iter().next()))
        {
            Some((1, Some((name, content)))) => visitor.visit_enum(Variant {
                name,
                content: Some(content),
            }),
            Some((count, _)) => Err(DecodeError::new(format!(
                "expected {}, got an object of {count} members",
                shape()
            ))),
            None => Err(DecodeError::expected(shape(), self)),
        }
    }

    fn deserialize_identifier<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        self.deserialize_any(visitor)
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        visitor.visit_unit()
    }
}

fn visit_array<'de, V: Visitor<'de>>(
    items: &'de [Value],
    visitor: V,
) -> Result<V::Value, DecodeError> {
    let mut elements = Elements {
        all: items,
        next: 0,
    };
    let value = visitor.visit_seq(&mut elements)?;
    if elements.next < items.len() {
        return Err(DecodeError::new(format!(
            "expected an array of {}, got an array of {}",
            elements.next,
            items.len()
        )));
    }
    Ok(value)
}

struct Elements<'de> {
    all: &'de [Value],
    next: usize,
}

impl<'de> SeqAccess<'de> for Elements<'de> {
    type Error = DecodeError;

    fn next_element_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, DecodeError> {
        let index = self.next;
        let Some(value) = self.all.get(index) else {
            return Ok(None);
        };
        self.next += 1;
        seed.deserialize(Item::Value(value))
            .map(Some)
            .map_err(|error| error.within(Step::Index(index)))
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.all.len() - self.next)
    }
}

struct Members<'de> {
    rest: serde_json::map::Iter<'de>,
    value: Option<(&'de String, &'de Value)>,
}

impl<'de> MapAccess<'de> for Members<'de> {
    type Error = DecodeError;

    fn next_key_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, DecodeError> {
        self.value = self.rest.next();
        let Some((key, _)) = self.value else {
            return Ok(None);
        };
        seed.deserialize(Key(key))
            .map(Some)
            .map_err(|error| error.within(Step::Key(key.clone())))
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<S::Value, DecodeError> {
        let Some((key, value)) = self.value.take() else {
            return Err(DecodeError::new("a value was read before its key"));
        };
        seed.deserialize(Item::Value(value))
            .map_err(|error| error.within(Step::Key(key.clone())))
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.rest.len())
    }
}

/// A member's name. Maps may have keys of other types, written as strings.
struct Key<'de>(&'de str);

macro_rules! parsed_keys {
    ($($deserialize:ident $visit:ident $ty:ty, $what:literal;)*) => {$(
        fn $deserialize<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
            match self.0.parse::<$ty>() {
                Ok(value) => visitor.$visit(value),
                Err(_) => Err(DecodeError::new(format!("expected {} as key, got {}", $what, text_kind(self.0)))),
            }
        }
    )*};
}

impl<'de> Deserializer<'de> for Key<'de> {
    type Error = DecodeError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        visitor.visit_borrowed_str(self.0)
    }

    parsed_keys! {
        deserialize_i8 visit_i8 i8, "an integer";
        deserialize_i16 visit_i16 i16, "an integer";
        deserialize_i32 visit_i32 i32, "an integer";
        deserialize_i64 visit_i64 i64, "an integer";
        deserialize_i128 visit_i128 i128, "an integer";
        deserialize_u8 visit_u8 u8, "an integer";
        deserialize_u16 visit_u16 u16, "an integer";
        deserialize_u32 visit_u32 u32, "an integer";
        deserialize_u64 visit_u64 u64, "an integer";
        deserialize_u128 visit_u128 u128, "an integer";
        deserialize_bool visit_bool bool, "true or false";
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, DecodeError> {
        visitor.visit_enum(Variant {
            name: self.0,
            content: None,
        })
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, DecodeError> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        visitor.visit_some(self)
    }

    serde::forward_to_deserialize_any! {
        f32 f64 char str string bytes byte_buf unit unit_struct seq tuple tuple_struct map struct identifier ignored_any
    }
}

struct Variant<'de> {
    name: &'de str,
    content: Option<&'de Value>,
}

impl<'de> EnumAccess<'de> for Variant<'de> {
    type Error = DecodeError;
    type Variant = Content<'de>;

    fn variant_seed<S: DeserializeSeed<'de>>(
        self,
        seed: S,
    ) -> Result<(S::Value, Content<'de>), DecodeError> {
        let name: StrDeserializer<'_, DecodeError> = self.name.into_deserializer();
        Ok((
            seed.deserialize(name)?,
            Content {
                name: self.name,
                value: self.content,
            },
        ))
    }
}

struct Content<'de> {
    name: &'de str,
    value: Option<&'de Value>,
}

impl<'de> Content<'de> {
    fn present(&self) -> Result<Item<'de>, DecodeError> {
        let name = self.name;
        self.value.map(Item::Value).ok_or_else(|| {
            DecodeError::new(format!(
                "expected an object with the member `{name}`, got the string {name:?}"
            ))
        })
    }

    fn inside(&self, error: DecodeError) -> DecodeError {
        error.within(Step::Key(self.name.to_owned()))
    }
}

impl<'de> VariantAccess<'de> for Content<'de> {
    type Error = DecodeError;

    fn unit_variant(self) -> Result<(), DecodeError> {
        match self.value {
            None => Ok(()),
            Some(_) => Err(DecodeError::new(format!(
                "expected the string {:?}, got an object",
                self.name
            ))),
        }
    }

    fn newtype_variant_seed<S: DeserializeSeed<'de>>(
        self,
        seed: S,
    ) -> Result<S::Value, DecodeError> {
        seed.deserialize(self.present()?)
            .map_err(|error| self.inside(error))
    }

    fn tuple_variant<V: Visitor<'de>>(
        self,
        length: usize,
        visitor: V,
    ) -> Result<V::Value, DecodeError> {
        self.present()?
            .deserialize_tuple(length, visitor)
            .map_err(|error| self.inside(error))
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, DecodeError> {
        self.present()?
            .deserialize_map(visitor)
            .map_err(|error| self.inside(error))
    }
}

/// Stands for a member that is not there: only an option can be made of it.
struct Absent;

impl<'de> Deserializer<'de> for Absent {
    type Error = DecodeError;

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, DecodeError> {
        Err(DecodeError::new("missing"))
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        visitor.visit_none()
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct
        newtype_struct seq tuple tuple_struct map struct enum identifier ignored_any
    }
}
