//! The parts of a value as serde asks for them: elements, members and their names, and variants.

use std::fmt;

use serde::de::{
    DeserializeSeed, Deserializer, EnumAccess, IntoDeserializer as _, MapAccess, SeqAccess,
    VariantAccess, Visitor, value::StrDeserializer,
};
use serde_json::Value;

use super::{
    DecodeError, Item,
    error::{Step, text_kind},
};

pub(super) fn visit_array<'de, V: Visitor<'de>>(
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
            .map_err(|error| error.of(Item::Value(value)).within(Step::Index(index)))
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.all.len() - self.next)
    }
}

pub(super) struct Members<'de> {
    pub(super) rest: serde_json::map::Iter<'de>,
    pub(super) value: Option<(&'de String, &'de Value)>,
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
            .map_err(|error| error.of(Item::Value(value)).within(Step::Key(key.clone())))
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.rest.len())
    }
}

fn between(least: impl fmt::Display, most: impl fmt::Display) -> String {
    format!("an integer from {least} to {most}")
}

/// A member's name. Maps may have keys of other types, written as strings.
struct Key<'de>(&'de str);

macro_rules! parsed_keys {
    ($($deserialize:ident $visit:ident $ty:ty, $what:expr;)*) => {$(
        fn $deserialize<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
            match self.0.parse::<$ty>() {
                // Schemas of such maps know no plus sign.
                Ok(value) if !self.0.starts_with('+') => visitor.$visit(value),
                _ => Err(DecodeError::new(format!("expected {} as key, got {}", $what, text_kind(self.0)))),
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
        deserialize_i8 visit_i8 i8, between(i8::MIN, i8::MAX);
        deserialize_i16 visit_i16 i16, between(i16::MIN, i16::MAX);
        deserialize_i32 visit_i32 i32, between(i32::MIN, i32::MAX);
        deserialize_i64 visit_i64 i64, between(i64::MIN, i64::MAX);
        deserialize_i128 visit_i128 i128, between(i128::MIN, i128::MAX);
        deserialize_u8 visit_u8 u8, between(u8::MIN, u8::MAX);
        deserialize_u16 visit_u16 u16, between(u16::MIN, u16::MAX);
        deserialize_u32 visit_u32 u32, between(u32::MIN, u32::MAX);
        deserialize_u64 visit_u64 u64, between(u64::MIN, u64::MAX);
        deserialize_u128 visit_u128 u128, between(u128::MIN, u128::MAX);
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

pub(super) struct Variant<'de> {
    pub(super) name: &'de str,
    pub(super) content: Option<&'de Value>,
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

pub(super) struct Content<'de> {
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
        let content = self.present()?;
        seed.deserialize(content)
            .map_err(|error| self.inside(error.of(content)))
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
