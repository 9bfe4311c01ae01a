//! Values that are set aside until it is known what they are to become.

use std::fmt;
use std::marker::PhantomData;

use serde::de::{DeserializeSeed, MapAccess, SeqAccess, Visitor};
use serde::forward_to_deserialize_any;

use super::read::Seed;
use super::*;

/// A value that is set aside until it is known what it is to become. Texts stay borrowed where they can, and objects are
/// lists of their members, so that nothing is sorted or copied before its type is known.
#[derive(Clone)]
pub(crate) enum Content<'de> {
    Null,
    Boolean(bool),
    Signed(i64),
    Unsigned(u64),
    Float(f64),
    Text(Cow<'de, str>),
    Array(Vec<Self>),
    Object(Vec<(Cow<'de, str>, Self)>),
}

impl<'de> Decode<'de> for Content<'de> {
    fn decode<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ContentVisitor;
        impl<'de> Visitor<'de> for ContentVisitor {
            type Value = Content<'de>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a value")
            }
            fn visit_unit<E>(self) -> Result<Content<'de>, E> {
                Ok(Content::Null)
            }
            fn visit_bool<E>(self, value: bool) -> Result<Content<'de>, E> {
                Ok(Content::Boolean(value))
            }
            fn visit_i64<E>(self, value: i64) -> Result<Content<'de>, E> {
                Ok(Content::Signed(value))
            }
            fn visit_u64<E>(self, value: u64) -> Result<Content<'de>, E> {
                Ok(Content::Unsigned(value))
            }
            fn visit_f64<E>(self, value: f64) -> Result<Content<'de>, E> {
                Ok(Content::Float(value))
            }
            fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Content<'de>, E> {
                Ok(Content::Text(Cow::Borrowed(text)))
            }
            fn visit_str<E>(self, text: &str) -> Result<Content<'de>, E> {
                Ok(Content::Text(Cow::Owned(text.to_owned())))
            }
            fn visit_string<E>(self, text: String) -> Result<Content<'de>, E> {
                Ok(Content::Text(Cow::Owned(text)))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Content<'de>, A::Error> {
                let mut items = Vec::new();
                while let Some(item) = seq.next_element_seed(Seed(PhantomData))? {
                    items.push(item);
                }
                Ok(Content::Array(items))
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Content<'de>, A::Error> {
                let mut members = Vec::new();
                while let Some(key) = map.next_key_seed(Seed(PhantomData))? {
                    members.push((key, map.next_value_seed(Seed(PhantomData))?));
                }
                Ok(Content::Object(members))
            }
        }
        deserializer.deserialize_any(ContentVisitor)
    }
    fn from_content<E: DecodeError>(content: Self) -> Result<Self, E> {
        Ok(content)
    }
}

impl<'de> Deserializer<'de> for Content<'de> {
    type Error = serde_json::Error;
    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, serde_json::Error> {
        match self {
            Self::Null => visitor.visit_unit(),
            Self::Boolean(value) => visitor.visit_bool(value),
            Self::Signed(value) => visitor.visit_i64(value),
            Self::Unsigned(value) => visitor.visit_u64(value),
            Self::Float(value) => visitor.visit_f64(value),
            Self::Text(Cow::Borrowed(text)) => visitor.visit_borrowed_str(text),
            Self::Text(Cow::Owned(text)) => visitor.visit_string(text),
            Self::Array(items) => visitor.visit_seq(Items(items.into_iter())),
            Self::Object(members) => visitor.visit_map(Entries {
                members: members.into_iter(),
                value: None,
            }),
        }
    }
    fn deserialize_option<V: Visitor<'de>>(
        self,
        visitor: V,
    ) -> Result<V::Value, serde_json::Error> {
        match self {
            Self::Null => visitor.visit_none(),
            other => visitor.visit_some(other),
        }
    }
    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct
        newtype_struct seq tuple tuple_struct map struct enum identifier ignored_any
    }
}

/// Items of an array that was set aside.
struct Items<'de>(std::vec::IntoIter<Content<'de>>);

impl<'de> SeqAccess<'de> for Items<'de> {
    type Error = serde_json::Error;
    fn next_element_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, serde_json::Error> {
        self.0.next().map(|item| seed.deserialize(item)).transpose()
    }
    fn size_hint(&self) -> Option<usize> {
        Some(self.0.len())
    }
}

/// Members of an object that was set aside.
struct Entries<'de> {
    members: std::vec::IntoIter<(Cow<'de, str>, Content<'de>)>,
    value: Option<Content<'de>>,
}

impl<'de> MapAccess<'de> for Entries<'de> {
    type Error = serde_json::Error;
    fn next_key_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, serde_json::Error> {
        let Some((key, value)) = self.members.next() else {
            return Ok(None);
        };
        self.value = Some(value);
        seed.deserialize(Content::Text(key)).map(Some)
    }
    fn next_value_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<S::Value, serde_json::Error> {
        seed.deserialize(self.value.take().unwrap_or(Content::Null))
    }
    fn size_hint(&self) -> Option<usize> {
        Some(self.members.len())
    }
}

/// Members that were set aside, and then those of the input that follow.
pub(crate) struct Replay<'de, M> {
    /// Last member first.
    pub(super) before: Vec<(Cow<'de, str>, Content<'de>)>,
    value: Option<Content<'de>>,
    rest: Option<M>,
}

impl<'de, M> Replay<'de, M> {
    pub(super) fn new(mut before: Vec<(Cow<'de, str>, Content<'de>)>, rest: Option<M>) -> Self {
        before.reverse();
        Self {
            before,
            value: None,
            rest,
        }
    }
}

impl<'de, M: Members<'de>> Members<'de> for Replay<'de, M> {
    type Error = M::Error;
    #[inline]
    fn next_key(&mut self) -> Result<Option<Cow<'de, str>>, M::Error> {
        if let Some((key, value)) = self.before.pop() {
            self.value = Some(value);
            return Ok(Some(key));
        }
        self.rest.as_mut().map_or(Ok(None), M::next_key)
    }
    #[inline]
    fn value<T: Decode<'de>>(&mut self, slot: &mut Option<T>) -> Result<(), M::Error> {
        match (&mut self.value, &mut self.rest) {
            (None, Some(rest)) => rest.value(slot),
            (set_aside, _) => recall(set_aside, slot),
        }
    }
}

/// Decodes a value that was set aside into `slot`.
#[inline(never)]
fn recall<'de, T: Decode<'de>, E: DecodeError>(
    set_aside: &mut Option<Content<'de>>,
    slot: &mut Option<T>,
) -> Result<(), E> {
    let content = set_aside
        .take()
        .ok_or_else(|| E::custom("a value was asked for before its key"))?;
    *slot = Some(T::from_content(content)?);
    Ok(())
}
