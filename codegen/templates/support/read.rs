//! Reading: what can be decoded, and where the members of an object come from.

use std::fmt;
use std::marker::PhantomData;

use serde::de::{DeserializeSeed, MapAccess, Visitor};

use super::*;

/// A value that can be decoded exactly as its schema says. One of the first two methods is written, which gives the other.
pub(crate) trait Decode<'de>: Sized {
    #[inline]
    fn decode<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        filled(|slot| Self::fill(deserializer, slot))
    }

    /// Decodes into `slot`, so that a large value is built close to where it stays.
    #[inline]
    fn fill<D: Deserializer<'de>>(
        deserializer: D,
        slot: &mut Option<Self>,
    ) -> Result<(), D::Error> {
        *slot = Some(Self::decode(deserializer)?);
        Ok(())
    }

    /// Decodes a value that was set aside.
    fn from_content<E: DecodeError>(content: Content<'de>) -> Result<Self, E> {
        Self::decode(content).map_err(E::custom)
    }
}

/// A type whose values are objects.
pub(crate) trait DecodeObject<'de>: Sized {
    /// Decodes the members of `map` into `slot`. The constant member `tag` was read and found right before; it does not
    /// come again.
    fn from_map<M: Members<'de>>(
        map: M,
        tag: &str,
        slot: &mut Option<Self>,
    ) -> Result<(), M::Error>;
}

/// The members of an object that is being decoded, from the input or set aside before.
pub(crate) trait Members<'de> {
    type Error: DecodeError;
    fn next_key(&mut self) -> Result<Option<Cow<'de, str>>, Self::Error>;
    fn value<T: Decode<'de>>(&mut self, slot: &mut Option<T>) -> Result<(), Self::Error>;
}

/// A type whose values are objects.
pub(crate) trait EncodeObject {
    /// Writes the members to `map`.
    fn members<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error>;
}

/// The value that `fill` puts into the slot that it gets.
#[inline]
pub(crate) fn filled<T, E: DecodeError>(
    fill: impl FnOnce(&mut Option<T>) -> Result<(), E>,
) -> Result<T, E> {
    let mut slot = None;
    fill(&mut slot)?;
    slot.ok_or_else(|| E::custom("a value was asked for where there is none"))
}

/// Decodes an object into `slot`; arrays and all other values are refused.
pub(crate) fn object<'de, T: DecodeObject<'de>, D: Deserializer<'de>>(
    deserializer: D,
    slot: &mut Option<T>,
) -> Result<(), D::Error> {
    struct ObjectVisitor<'a, T>(&'a mut Option<T>);
    impl<'de, T: DecodeObject<'de>> Visitor<'de> for ObjectVisitor<'_, T> {
        type Value = ();
        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an object")
        }
        fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<(), A::Error> {
            T::from_map(Direct(map), "", self.0)
        }
    }
    deserializer.deserialize_map(ObjectVisitor(slot))
}

/// Encodes an object.
pub(crate) fn encode<T: EncodeObject, S: Serializer>(
    value: &T,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(None)?;
    value.members(&mut map)?;
    map.end()
}

/// Members straight from the input.
pub(super) struct Direct<A>(pub(super) A);

impl<'de, A: MapAccess<'de>> Members<'de> for Direct<A> {
    type Error = A::Error;
    #[inline]
    fn next_key(&mut self) -> Result<Option<Cow<'de, str>>, A::Error> {
        self.0.next_key_seed(Seed(PhantomData))
    }
    #[inline]
    fn value<T: Decode<'de>>(&mut self, slot: &mut Option<T>) -> Result<(), A::Error> {
        self.0.next_value_seed(FillSeed(slot))
    }
}

pub(super) struct FillSeed<'a, T>(pub(super) &'a mut Option<T>);

impl<'de, T: Decode<'de>> DeserializeSeed<'de> for FillSeed<'_, T> {
    type Value = ();
    #[inline]
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        T::fill(deserializer, self.0)
    }
}

pub(super) struct Seed<T>(pub(super) PhantomData<T>);

impl<'de, T: Decode<'de>> DeserializeSeed<'de> for Seed<T> {
    type Value = T;
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<T, D::Error> {
        T::decode(deserializer)
    }
}

/// Decodes the value of the member `name` into `slot`.
pub(crate) fn field<'de, T: Decode<'de>, M: Members<'de>>(
    map: &mut M,
    name: &str,
    slot: &mut Option<T>,
) -> Result<(), M::Error> {
    map.value(slot).map_err(|error| at(name, error))
}

/// Decodes the value of the member `name` and gives it back.
pub(crate) fn value_of<'de, T: Decode<'de>, M: Members<'de>>(
    map: &mut M,
    name: &str,
) -> Result<T, M::Error> {
    filled(|slot| field(map, name, slot))
}

impl<'de> DecodeObject<'de> for JsonObject {
    fn from_map<M: Members<'de>>(map: M, _: &str, slot: &mut Option<Self>) -> Result<(), M::Error> {
        free(map, slot)
    }
}

impl<'de, T: Decode<'de>> DecodeObject<'de> for BTreeMap<String, T> {
    fn from_map<M: Members<'de>>(map: M, _: &str, slot: &mut Option<Self>) -> Result<(), M::Error> {
        free(map, slot)
    }
}

/// Decodes an object into a map.
fn free<'de, T: Decode<'de>, C: Default + Extend<(String, T)>, M: Members<'de>>(
    mut map: M,
    slot: &mut Option<C>,
) -> Result<(), M::Error> {
    let mut out = C::default();
    while let Some(key) = map.next_key()? {
        let value = value_of(&mut map, &key)?;
        out.extend([(key.into_owned(), value)]);
    }
    *slot = Some(out);
    Ok(())
}
