//! Decodes JSON values into Rust types, and says what does not fit, and where.
//!
//! Stricter and kinder than decoding from a `serde_json::Value`: an integer may be written `5.0`, an array is not
//! taken for an object, and an error carries the path of the value, what was expected, and the kind of what was there.

mod error;
mod parts;
mod probe;

use std::fmt;

use serde::de::{DeserializeOwned, Deserializer, Visitor};
use serde_json::{Number, Value};

use super::schema::LARGEST_FLOAT;
use crate::JsonObject;

pub(crate) use error::{DecodeError, names};
pub(super) use error::{Step, path_below};
pub(crate) use probe::{Kinds, from_nothing, kinds_of};

use error::{one_of, text_kind};
use parts::{Members, Variant, visit_array};

/// Whole doubles below this are an `i128`.
const WHOLE: f64 = 1e38;

/// Decodes a value.
pub(crate) fn from_value<T: DeserializeOwned>(value: &Value) -> Result<T, DecodeError> {
    let decoded = T::deserialize(Item::Value(value)).or_else(|error| {
        let mut value = value.clone();
        if write_whole(&mut value) {
            T::deserialize(Item::Value(&value))
        } else {
            Err(error)
        }
    });
    decoded.map_err(|error| error.of(Item::Value(value)))
}

/// Decodes an object.
pub(crate) fn from_object<T: DeserializeOwned>(object: &JsonObject) -> Result<T, DecodeError> {
    T::deserialize(Item::Object(object)).or_else(|error| {
        let mut object = object.clone();
        if write_whole_members(&mut object) {
            T::deserialize(Item::Object(&object))
        } else {
            Err(error)
        }
    })
}

/// Writes `5.0` as `5`, and says whether there was any. Tagged and flattened types read their members before they
/// know which are integers, and then find a float where there should be an integer.
fn write_whole(value: &mut Value) -> bool {
    match value {
        Value::Number(number) if number.is_f64() => {
            let whole = integral(number).and_then(|whole| {
                let small = i64::try_from(whole).map(Number::from);
                small
                    .or_else(|_| u64::try_from(whole).map(Number::from))
                    .ok()
            });
            whole.map(|whole| *number = whole).is_some()
        }
        Value::Array(items) => items
            .iter_mut()
            .fold(false, |any, item| write_whole(item) | any),
        Value::Object(members) => write_whole_members(members),
        _ => false,
    }
}

fn write_whole_members(members: &mut JsonObject) -> bool {
    members
        .values_mut()
        .fold(false, |any, member| write_whole(member) | any)
}

/// A value to decode. Objects are apart so that a map need not be wrapped in a value first.
#[derive(Clone, Copy)]
pub(super) enum Item<'a> {
    Value(&'a Value),
    Object(&'a JsonObject),
}

impl<'a> Item<'a> {
    /// What the value is, in a few words.
    pub(super) fn kind(self) -> String {
        match self {
            Self::Object(_) | Self::Value(Value::Object(_)) => "an object".to_owned(),
            Self::Value(Value::Null) => "null".to_owned(),
            Self::Value(Value::Bool(value)) => format!("the boolean {value}"),
            Self::Value(Value::Number(value)) => format!("the number {value}"),
            Self::Value(Value::String(value)) => text_kind(value),
            Self::Value(Value::Array(_)) => "an array".to_owned(),
        }
    }

    /// Whether it is neither an object nor an array.
    fn is_plain(self) -> bool {
        !matches!(
            self,
            Self::Object(_) | Self::Value(Value::Object(_) | Value::Array(_))
        )
    }

    pub(super) fn object(self) -> Result<&'a JsonObject, DecodeError> {
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
        let number = self.number("a number")?.as_f64();
        match number.filter(|number| number.abs() <= LARGEST_FLOAT) {
            Some(number) => visitor.visit_f64(number),
            None => Err(DecodeError::expected(
                format_args!("a number from -{LARGEST_FLOAT:e} to {LARGEST_FLOAT:e}"),
                self,
            )),
        }
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

    /// The value of a tag. By its number a variant is not known to clients.
    fn deserialize_identifier<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        match self.string() {
            Ok(name) => visitor.visit_borrowed_str(name),
            Err(error) => Err(error.vaguely()),
        }
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        visitor.visit_unit()
    }
}
