//! What the types of this crate share: how objects, unions and scalars are decoded the way JSON Schema reads
//! them, and encoded again. An object is decoded in one pass over its members; what is not known goes to `extra`.

use std::fmt;
use std::marker::PhantomData;

use serde::de::value::{BorrowedStrDeserializer, SeqAccessDeserializer};
use serde::de::{DeserializeSeed, IntoDeserializer, MapAccess, SeqAccess, Visitor};
use serde::forward_to_deserialize_any;

pub(crate) use serde::de::{Error as DecodeError, Unexpected};
pub(crate) use serde::ser::SerializeMap;
pub(crate) use serde::{Deserialize, Deserializer, Serialize, Serializer};
pub(crate) use serde_json::Value;
pub(crate) use std::borrow::Cow;
pub(crate) use std::collections::BTreeMap;

/// A JSON object of any content.
pub type JsonObject = serde_json::Map<String, Value>;

/// A value that can be decoded exactly as its schema says.
pub(crate) trait Decode<'de>: Sized {
    fn decode<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error>;

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

/// A union whose alternatives are different kinds of JSON value. What is not overridden is refused.
pub(crate) trait DecodeKind<'de>: Sized {
    /// What is accepted, for messages.
    const EXPECTED: &'static str;
    fn from_boolean<E: DecodeError>(value: bool) -> Result<Self, E> {
        Err(E::invalid_type(Unexpected::Bool(value), &Self::EXPECTED))
    }
    fn from_number<D: Deserializer<'de>>(number: D) -> Result<Self, D::Error> {
        refuse(number, Self::EXPECTED)
    }
    fn from_text<D: Deserializer<'de>>(text: D) -> Result<Self, D::Error> {
        refuse(text, Self::EXPECTED)
    }
    fn from_array<D: Deserializer<'de>>(_: D) -> Result<Self, D::Error> {
        Err(D::Error::invalid_type(Unexpected::Seq, &Self::EXPECTED))
    }
    fn from_object<M: Members<'de>>(_: M, _: &mut Option<Self>) -> Result<(), M::Error> {
        Err(M::Error::invalid_type(Unexpected::Map, &Self::EXPECTED))
    }
}

/// Implements the traits of serde for objects.
macro_rules! objects {
    ($($name:ident),* $(,)?) => { $(
        impl<'de> Decode<'de> for $name {
            fn decode<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                filled(|slot| object(deserializer, slot))
            }
            fn fill<D: Deserializer<'de>>(deserializer: D, slot: &mut Option<Self>) -> Result<(), D::Error> {
                object(deserializer, slot)
            }
        }
        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                Self::decode(deserializer)
            }
        }
        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                encode(self, serializer)
            }
        }
    )* };
}

/// Implements decoding for unions of different kinds of JSON value.
macro_rules! kinds {
    ($($name:ident),* $(,)?) => { $(
        impl<'de> Decode<'de> for $name {
            fn decode<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                kind(deserializer)
            }
        }
        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                kind(deserializer)
            }
        }
    )* };
}

/// Implements text forms and the traits of serde for lists of strings.
macro_rules! strings {
    ($($name:ident),* $(,)?) => { $(
        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.as_str())
            }
        }
        impl std::str::FromStr for $name {
            type Err = UnknownValue;
            fn from_str(text: &str) -> Result<Self, UnknownValue> {
                Self::ALL.iter().copied().find(|value| value.as_str() == text).ok_or_else(|| UnknownValue::new(text, Self::NAMES))
            }
        }
        impl<'de> Decode<'de> for $name {
            fn decode<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = Cow::decode(deserializer)?;
                text.parse().map_err(|_| D::Error::unknown_variant(&text, Self::NAMES))
            }
        }
        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                Self::decode(deserializer)
            }
        }
        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }
    )* };
}

pub(crate) use {kinds, objects, strings};

/// A string that is not in the list of an enum.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownValue {
    found: String,
    known: &'static [&'static str],
}

impl UnknownValue {
    pub(crate) fn new(found: &str, known: &'static [&'static str]) -> Self {
        Self {
            found: found.to_owned(),
            known,
        }
    }

    /// The values that are in the list.
    #[must_use]
    pub fn known(&self) -> &'static [&'static str] {
        self.known
    }
}

impl fmt::Display for UnknownValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` is none of {}", self.found, self.known.join(", "))
    }
}

impl std::error::Error for UnknownValue {}

/// A value that has no counterpart in the other revision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConversionError {
    member: &'static str,
    reason: String,
}

impl ConversionError {
    #[allow(dead_code)] // where no two revisions are on there is nothing to convert
    pub(crate) fn new(member: &'static str, reason: String) -> Self {
        Self { member, reason }
    }

    /// The member of the source that does not fit.
    #[must_use]
    pub fn member(&self) -> &'static str {
        self.member
    }
}

impl fmt::Display for ConversionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.member, self.reason)
    }
}

impl std::error::Error for ConversionError {}

// ---- objects

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
struct Direct<A>(A);

impl<'de, A: MapAccess<'de>> Members<'de> for Direct<A> {
    type Error = A::Error;
    #[inline]
    fn next_key(&mut self) -> Result<Option<Cow<'de, str>>, A::Error> {
        self.0.next_key_seed(Seed(PhantomData))
    }
    #[inline]
    fn value<T: Decode<'de>>(&mut self, slot: &mut Option<T>) -> Result<(), A::Error> {
        self.0.next_value_seed(Slot(slot))
    }
}

struct Slot<'a, T>(&'a mut Option<T>);

impl<'de, T: Decode<'de>> DeserializeSeed<'de> for Slot<'_, T> {
    type Value = ();
    #[inline]
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        T::fill(deserializer, self.0)
    }
}

struct Seed<T>(PhantomData<T>);

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
fn value_of<'de, T: Decode<'de>, M: Members<'de>>(map: &mut M, name: &str) -> Result<T, M::Error> {
    filled(|slot| field(map, name, slot))
}

/// Decodes the value of the member `name` into `slot` and checks its bounds.
pub(crate) fn checked<'de, T: Decode<'de>, M: Members<'de>>(
    map: &mut M,
    name: &str,
    slot: &mut Option<T>,
    check: impl FnOnce(&T) -> Result<(), String>,
) -> Result<(), M::Error> {
    field(map, name, slot)?;
    slot.as_ref()
        .map_or(Ok(()), check)
        .map_err(|message| at(name, M::Error::custom(message)))
}

/// Reads a member that can only have the value `expected`.
pub(crate) fn constant<'de, M: Members<'de>>(
    map: &mut M,
    name: &str,
    expected: &str,
) -> Result<bool, M::Error> {
    let found: Cow<'de, str> = value_of(map, name)?;
    if found == expected {
        return Ok(true);
    }
    Err(at(
        name,
        M::Error::invalid_value(Unexpected::Str(&found), &format!("\"{expected}\"").as_str()),
    ))
}

/// Reads a member that can only have the value `expected`.
pub(crate) fn constant_integer<'de, M: Members<'de>>(
    map: &mut M,
    name: &str,
    expected: i64,
) -> Result<bool, M::Error> {
    let found: i64 = value_of(map, name)?;
    if found == expected {
        return Ok(true);
    }
    Err(at(
        name,
        M::Error::invalid_value(Unexpected::Signed(found), &expected.to_string().as_str()),
    ))
}

/// Reads a member that can only have the value `expected`.
pub(crate) fn constant_boolean<'de, M: Members<'de>>(
    map: &mut M,
    name: &str,
    expected: bool,
) -> Result<bool, M::Error> {
    let found: bool = value_of(map, name)?;
    if found == expected {
        return Ok(true);
    }
    Err(at(
        name,
        M::Error::invalid_value(Unexpected::Bool(found), &expected.to_string().as_str()),
    ))
}

/// Keeps a member that is not known.
pub(crate) fn keep<'de, M: Members<'de>>(
    map: &mut M,
    key: Cow<'de, str>,
    extra: &mut JsonObject,
) -> Result<(), M::Error> {
    let value = filled(|slot| map.value(slot))?;
    extra.insert(key.into_owned(), value);
    Ok(())
}

/// Keeps a member that is not known but has a type.
pub(crate) fn keep_typed<'de, T: Decode<'de>, M: Members<'de>>(
    map: &mut M,
    key: Cow<'de, str>,
    extra: &mut BTreeMap<String, T>,
    check: impl FnOnce(&T) -> Result<(), String>,
) -> Result<(), M::Error> {
    let value = filled(|slot| checked(map, &key, slot, check))?;
    extra.insert(key.into_owned(), value);
    Ok(())
}

/// The value of a required member.
#[inline]
pub(crate) fn present<T, E: DecodeError>(value: Option<T>, name: &'static str) -> Result<T, E> {
    value.ok_or_else(|| E::missing_field(name))
}

/// Whether a required constant was there.
pub(crate) fn seen<E: DecodeError>(found: bool, name: &'static str) -> Result<(), E> {
    if found {
        Ok(())
    } else {
        Err(E::missing_field(name))
    }
}

/// Encodes a member that may be absent.
pub(crate) fn optional<T: Serialize, M: SerializeMap>(
    map: &mut M,
    name: &str,
    value: &Option<T>,
) -> Result<(), M::Error> {
    match value {
        Some(value) => map.serialize_entry(name, value),
        None => Ok(()),
    }
}

/// A number that is written without a fraction if it has none, as people and other languages write it.
pub(crate) struct Double(pub(crate) f64);

impl Serialize for Double {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        const EXACT: f64 = 9_007_199_254_740_992.0; // 2^53
        if self.0.fract() == 0.0 && self.0.abs() <= EXACT {
            serializer.serialize_i64(self.0 as i64)
        } else {
            serializer.serialize_f64(self.0)
        }
    }
}

/// Encodes the members that are not known.
pub(crate) fn rest<'a, T: Serialize + 'a, M: SerializeMap>(
    map: &mut M,
    extra: impl IntoIterator<Item = (&'a String, &'a T)>,
) -> Result<(), M::Error> {
    extra
        .into_iter()
        .try_for_each(|(key, value)| map.serialize_entry(key, value))
}

/// Gives the members that `take` does not want to the decoder of a union that lies beside them.
pub(crate) struct Beside<M, F> {
    map: M,
    take: F,
}

impl<M, F> Beside<M, F> {
    pub(crate) fn new(map: M, take: F) -> Self {
        Self { map, take }
    }
}

impl<'de, M, F> Members<'de> for Beside<M, F>
where
    M: Members<'de>,
    F: FnMut(&str, &mut M) -> Result<bool, M::Error>,
{
    type Error = M::Error;
    fn next_key(&mut self) -> Result<Option<Cow<'de, str>>, M::Error> {
        while let Some(key) = self.map.next_key()? {
            if !(self.take)(&key, &mut self.map)? {
                return Ok(Some(key));
            }
        }
        Ok(None)
    }
    fn value<T: Decode<'de>>(&mut self, slot: &mut Option<T>) -> Result<(), M::Error> {
        self.map.value(slot)
    }
}

// ---- unions of objects

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
    before: Vec<(Cow<'de, str>, Content<'de>)>,
    value: Option<Content<'de>>,
    rest: Option<M>,
}

impl<'de, M> Replay<'de, M> {
    fn new(mut before: Vec<(Cow<'de, str>, Content<'de>)>, rest: Option<M>) -> Self {
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

/// Reads up to the member `name`, which tells the alternatives of a union apart, and returns its value.
pub(crate) fn find_tag<'de, M: Members<'de>>(
    mut map: M,
    name: &str,
) -> Result<(Option<Cow<'de, str>>, Replay<'de, M>), M::Error> {
    let mut before = Vec::new();
    let mut tag = None;
    while let Some(key) = map.next_key()? {
        if key == name {
            field(&mut map, name, &mut tag)?;
            break;
        }
        let value = value_of(&mut map, &key)?;
        before.push((key, value));
    }
    Ok((tag, Replay::new(before, Some(map))))
}

/// Puts the tag back for an alternative that keeps it in a field.
pub(crate) fn with_tag<'de, M>(
    mut map: Replay<'de, M>,
    name: &'static str,
    tag: Cow<'de, str>,
) -> Replay<'de, M> {
    map.before.push((Cow::Borrowed(name), Content::Text(tag)));
    map
}

/// Decodes an alternative of a union and puts it into the union's slot.
#[inline]
pub(crate) fn variant<T, U, E>(
    slot: &mut Option<U>,
    wrap: impl FnOnce(T) -> U,
    decode: impl FnOnce(&mut Option<T>) -> Result<(), E>,
) -> Result<(), E> {
    let mut inner = None;
    decode(&mut inner)?;
    *slot = inner.map(wrap);
    Ok(())
}

/// The tag has a value that is not known.
pub(crate) fn unknown_tag<E: DecodeError>(
    name: &str,
    found: &str,
    known: &'static [&'static str],
) -> E {
    at(name, E::unknown_variant(found, known))
}

/// What is known of an alternative without decoding it.
pub(crate) struct Candidate {
    /// Members that must be present.
    pub(crate) required: &'static [&'static str],
    /// Members that can be present.
    pub(crate) known: &'static [&'static str],
    /// Members that must have one of these values.
    pub(crate) values: &'static [(&'static str, &'static [&'static str])],
}

impl Candidate {
    fn fits(&self, object: &[(Cow<'_, str>, Content<'_>)]) -> bool {
        let find = |name: &str| {
            object
                .iter()
                .find(|(key, _)| key == name)
                .map(|(_, value)| value)
        };
        self.required.iter().all(|name| find(name).is_some())
            && self.values.iter().all(|(name, values)| match find(name) {
                None => true,
                Some(Content::Text(text)) => values.contains(&&**text),
                Some(_) => false,
            })
    }

    fn weight(&self, object: &[(Cow<'_, str>, Content<'_>)]) -> (bool, usize, usize) {
        let known = object
            .iter()
            .filter(|(key, _)| self.known.contains(&&**key))
            .count();
        (self.fits(object), known, self.required.len())
    }
}

/// Decodes an object as the most specific alternative that it fits: the one that knows most of its members. What does
/// not fit is not tried, save to say why.
pub(crate) fn choose<'de, M: Members<'de>>(
    mut map: M,
    candidates: &[Candidate],
    mut decode: impl FnMut(usize, Replay<'de, M>) -> Result<(), M::Error>,
) -> Result<(), M::Error> {
    let mut object = Vec::new();
    while let Some(key) = map.next_key()? {
        let value = value_of(&mut map, &key)?;
        object.push((key, value));
    }
    let mut order: Vec<_> = candidates
        .iter()
        .map(|candidate| candidate.weight(&object))
        .enumerate()
        .collect();
    order.sort_by_key(|(_, weight)| std::cmp::Reverse(*weight));
    let fitting = order.iter().filter(|(_, weight)| weight.0).count().max(1);
    let mut first = None;
    for (position, (index, _)) in order.into_iter().take(fitting).enumerate() {
        let members = if position + 1 == fitting {
            std::mem::take(&mut object)
        } else {
            object.clone()
        };
        match decode(index, Replay::new(members, None)) {
            Ok(()) => return Ok(()),
            Err(error) => first = first.or(Some(error)),
        }
    }
    // There is always a candidate, so there is an error to show: that of the likeliest.
    Err(first.unwrap_or_else(|| M::Error::custom("invalid value: no alternative")))
}

// ---- unions of different kinds of JSON value

/// Decodes by the kind of JSON value.
pub(crate) fn kind<'de, T: DecodeKind<'de>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<T, D::Error> {
    struct KindVisitor<T>(PhantomData<T>);
    impl<'de, T: DecodeKind<'de>> Visitor<'de> for KindVisitor<T> {
        type Value = T;
        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str(T::EXPECTED)
        }
        fn visit_bool<E: DecodeError>(self, value: bool) -> Result<T, E> {
            T::from_boolean(value)
        }
        fn visit_i64<E: DecodeError>(self, value: i64) -> Result<T, E> {
            T::from_number(value.into_deserializer())
        }
        fn visit_u64<E: DecodeError>(self, value: u64) -> Result<T, E> {
            T::from_number(value.into_deserializer())
        }
        fn visit_f64<E: DecodeError>(self, value: f64) -> Result<T, E> {
            T::from_number(value.into_deserializer())
        }
        fn visit_borrowed_str<E: DecodeError>(self, value: &'de str) -> Result<T, E> {
            T::from_text(BorrowedStrDeserializer::new(value))
        }
        fn visit_str<E: DecodeError>(self, value: &str) -> Result<T, E> {
            T::from_text(value.to_owned().into_deserializer())
        }
        fn visit_string<E: DecodeError>(self, value: String) -> Result<T, E> {
            T::from_text(value.into_deserializer())
        }
        fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<T, A::Error> {
            T::from_array(SeqAccessDeserializer::new(seq))
        }
        fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<T, A::Error> {
            filled(|slot| T::from_object(Direct(map), slot))
        }
    }
    deserializer.deserialize_any(KindVisitor(PhantomData))
}

/// Decodes an object into a map.
pub(crate) fn free<'de, T: Decode<'de>, C: Default + Extend<(String, T)>, M: Members<'de>>(
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

fn refuse<'de, T, D: Deserializer<'de>>(scalar: D, expected: &'static str) -> Result<T, D::Error> {
    struct Refuse(&'static str);
    impl Visitor<'_> for Refuse {
        type Value = std::convert::Infallible;
        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str(self.0)
        }
    }
    match scalar.deserialize_any(Refuse(expected))? {}
}

// ---- scalars and containers

impl<'de> Decode<'de> for String {
    fn decode<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::deserialize(deserializer)
    }
    fn from_content<E: DecodeError>(content: Content<'de>) -> Result<Self, E> {
        Cow::from_content(content).map(Cow::into_owned)
    }
}

/// Borrowed where the input allows it.
impl<'de> Decode<'de> for Cow<'de, str> {
    fn decode<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct TextVisitor;
        impl<'de> Visitor<'de> for TextVisitor {
            type Value = Cow<'de, str>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string")
            }
            fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
                Ok(Cow::Borrowed(text))
            }
            fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
                Ok(Cow::Owned(text.to_owned()))
            }
            fn visit_string<E>(self, text: String) -> Result<Self::Value, E> {
                Ok(Cow::Owned(text))
            }
        }
        deserializer.deserialize_str(TextVisitor)
    }
    fn from_content<E: DecodeError>(content: Content<'de>) -> Result<Self, E> {
        match content {
            Content::Text(text) => Ok(text),
            other => Self::decode(other).map_err(E::custom),
        }
    }
}

impl<'de> Decode<'de> for bool {
    fn decode<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::deserialize(deserializer)
    }
}

impl<'de> Decode<'de> for f64 {
    fn decode<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::deserialize(deserializer)
    }
}

impl<'de> Decode<'de> for () {
    fn decode<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::deserialize(deserializer)
    }
}

impl<'de> Decode<'de> for Value {
    fn decode<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::deserialize(deserializer)
    }
}

impl<'de> Decode<'de> for JsonObject {
    fn decode<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct FreeVisitor;
        impl<'de> Visitor<'de> for FreeVisitor {
            type Value = JsonObject;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<JsonObject, A::Error> {
                let mut object = JsonObject::new();
                while let Some((key, value)) = map.next_entry()? {
                    object.insert(key, value);
                }
                Ok(object)
            }
        }
        deserializer.deserialize_map(FreeVisitor)
    }
}

/// Integers: a number without a fraction is one, however it is written.
macro_rules! integer {
    ($type:ty, $method:ident, $expected:literal, $in_range:literal) => {
        impl<'de> Decode<'de> for $type {
            fn decode<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                struct IntegerVisitor;
                impl Visitor<'_> for IntegerVisitor {
                    type Value = $type;
                    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                        f.write_str($expected)
                    }
                    fn visit_i64<E: DecodeError>(self, value: i64) -> Result<$type, E> {
                        value
                            .try_into()
                            .map_err(|_| E::invalid_value(Unexpected::Signed(value), &$in_range))
                    }
                    fn visit_u64<E: DecodeError>(self, value: u64) -> Result<$type, E> {
                        value
                            .try_into()
                            .map_err(|_| E::invalid_value(Unexpected::Unsigned(value), &$in_range))
                    }
                    fn visit_f64<E: DecodeError>(self, value: f64) -> Result<$type, E> {
                        // As a float, MAX is 2^63 or 2^64, which the type itself does not reach.
                        let range = <$type>::MIN as f64..<$type>::MAX as f64;
                        if value.fract() != 0.0 {
                            Err(E::invalid_value(Unexpected::Float(value), &self))
                        } else if range.contains(&value) {
                            Ok(value as $type)
                        } else {
                            Err(E::invalid_value(Unexpected::Float(value), &$in_range))
                        }
                    }
                }
                deserializer.$method(IntegerVisitor)
            }
        }
    };
}

integer!(i64, deserialize_i64, "an integer", "an integer of 64 bits");
integer!(
    u64,
    deserialize_u64,
    "an integer of 0 or more",
    "an integer of 0 or more and 64 bits"
);

impl<'de, T: Decode<'de>> Decode<'de> for Box<T> {
    fn decode<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        T::decode(deserializer).map(Self::new)
    }
}

/// The value or null.
impl<'de, T: Decode<'de>> Decode<'de> for Option<T> {
    fn decode<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct OptionVisitor<T>(PhantomData<T>);
        impl<'de, T: Decode<'de>> Visitor<'de> for OptionVisitor<T> {
            type Value = Option<T>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a value or null")
            }
            fn visit_none<E>(self) -> Result<Option<T>, E> {
                Ok(None)
            }
            fn visit_unit<E>(self) -> Result<Option<T>, E> {
                Ok(None)
            }
            fn visit_some<D: Deserializer<'de>>(
                self,
                deserializer: D,
            ) -> Result<Option<T>, D::Error> {
                T::decode(deserializer).map(Some)
            }
        }
        deserializer.deserialize_option(OptionVisitor(PhantomData))
    }
}

impl<'de, T: Decode<'de>> Decode<'de> for Vec<T> {
    fn decode<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct VecVisitor<T>(PhantomData<T>);
        impl<'de, T: Decode<'de>> Visitor<'de> for VecVisitor<T> {
            type Value = Vec<T>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an array")
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Vec<T>, A::Error> {
                // Allocators are quick up to about a kilobyte, which is less than four content blocks.
                let first = (1024 / size_of::<T>().max(1)).clamp(1, 4);
                let (mut items, mut slot) = (Vec::new(), None);
                loop {
                    match seq.next_element_seed(Slot(&mut slot)) {
                        Ok(Some(())) => {
                            if items.is_empty() {
                                items.reserve_exact(first);
                            }
                            items.extend(slot.take());
                        }
                        Ok(None) => return Ok(items),
                        Err(error) => return Err(at(&format!("[{}]", items.len()), error)),
                    }
                }
            }
        }
        deserializer.deserialize_seq(VecVisitor(PhantomData))
    }
}

impl<'de, T: Decode<'de>> Decode<'de> for BTreeMap<String, T> {
    fn decode<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct MapVisitor<T>(PhantomData<T>);
        impl<'de, T: Decode<'de>> Visitor<'de> for MapVisitor<T> {
            type Value = BTreeMap<String, T>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut entries = BTreeMap::new();
                while let Some(key) = map.next_key::<String>()? {
                    let value = map
                        .next_value_seed(Seed(PhantomData))
                        .map_err(|error| at(&key, error))?;
                    entries.insert(key, value);
                }
                Ok(entries)
            }
        }
        deserializer.deserialize_map(MapVisitor(PhantomData))
    }
}

// ---- bounds

/// Checks the bounds of a number.
pub(crate) fn within<T: PartialOrd + fmt::Display>(
    value: T,
    min: Option<T>,
    max: Option<T>,
) -> Result<(), String> {
    match (min, max) {
        (Some(min), _) if value < min => {
            Err(format!("invalid value: {value}, expected at least {min}"))
        }
        (_, Some(max)) if value > max => {
            Err(format!("invalid value: {value}, expected at most {max}"))
        }
        _ => Ok(()),
    }
}

/// Checks the bounds of a number that it must not reach.
pub(crate) fn between(value: f64, above: Option<f64>, below: Option<f64>) -> Result<(), String> {
    match (above, below) {
        (Some(above), _) if value <= above => Err(format!(
            "invalid value: {value}, expected more than {above}"
        )),
        (_, Some(below)) if value >= below => Err(format!(
            "invalid value: {value}, expected less than {below}"
        )),
        _ => Ok(()),
    }
}

/// Checks that a number is in a list.
pub(crate) fn among<T: PartialEq + fmt::Display>(value: T, list: &[T]) -> Result<(), String> {
    if list.contains(&value) {
        return Ok(());
    }
    let list: Vec<String> = list.iter().map(T::to_string).collect();
    Err(format!(
        "invalid value: {value}, expected one of {}",
        list.join(", ")
    ))
}

/// Checks a number of items or characters.
pub(crate) fn sized(count: usize, min: Option<usize>, max: Option<usize>) -> Result<(), String> {
    match (min, max) {
        (Some(min), _) if count < min => {
            Err(format!("invalid length {count}, expected at least {min}"))
        }
        (_, Some(max)) if count > max => {
            Err(format!("invalid length {count}, expected at most {max}"))
        }
        _ => Ok(()),
    }
}

// ---- errors

/// Puts the member's name before the path that an error already carries. Errors of JSON syntax stay as they are: they
/// say where they are by line and column, and callers tell them apart.
#[cold]
#[inline(never)]
pub(crate) fn at<E: DecodeError>(name: &str, error: E) -> E {
    const DATA: [&str; 7] = [
        "invalid type",
        "invalid value",
        "invalid length",
        "missing field",
        "unknown variant",
        "unknown field",
        "duplicate field",
    ];
    let text = error.to_string();
    let is_plain = DATA.iter().any(|start| text.starts_with(start));
    if is_plain {
        return E::custom(format!("{name}: {text}"));
    }
    let has_path = text
        .match_indices(": ")
        .any(|(end, _)| DATA.iter().any(|start| text[end + 2..].starts_with(start)));
    match (has_path, text.starts_with('[')) {
        (false, _) => error,
        (true, true) => E::custom(format!("{name}{text}")),
        (true, false) => E::custom(format!("{name}.{text}")),
    }
}

// ---- the registry

/// Decodes `json` as `T` and encodes it again.
#[cfg(feature = "registry")]
pub(crate) fn round_trip<T: for<'de> Decode<'de> + Serialize>(
    json: &str,
    check: impl FnOnce(&T) -> Result<(), String>,
) -> Result<String, serde_json::Error> {
    let mut deserializer = serde_json::Deserializer::from_str(json);
    let value = T::decode(&mut deserializer)?;
    deserializer.end()?;
    check(&value).map_err(serde_json::Error::custom)?;
    serde_json::to_string(&value)
}
