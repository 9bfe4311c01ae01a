//! What the types of this crate share: how objects, unions and scalars are decoded the way JSON Schema reads
//! them, and encoded again. An object is decoded in one pass over its members; what is not known goes to `extra`.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use serde::de::value::{BorrowedStrDeserializer, MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{DeserializeSeed, IntoDeserializer, Visitor};

pub(crate) use serde::de::{Error as DecodeError, MapAccess, SeqAccess, Unexpected};
pub(crate) use serde::ser::SerializeMap;
pub(crate) use serde::{Deserialize, Deserializer, Serialize, Serializer};
pub(crate) use serde_json::Value;
pub(crate) use std::collections::BTreeMap;

/// A JSON object of any content.
pub type JsonObject = serde_json::Map<String, Value>;

/// A value that can be decoded exactly as its schema says.
pub(crate) trait Decode<'de>: Sized {
    fn decode<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error>;
}

/// A type whose values are objects.
pub(crate) trait DecodeObject<'de>: Sized {
    /// Decodes the members of `map`. The constant member `tag` was read and found right before; it does not come again.
    fn from_map<A: MapAccess<'de>>(map: A, tag: &str) -> Result<Self, A::Error>;
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
    fn from_object<A: MapAccess<'de>>(_: A) -> Result<Self, A::Error> {
        Err(A::Error::invalid_type(Unexpected::Map, &Self::EXPECTED))
    }
}

/// Implements the traits of serde for objects.
macro_rules! objects {
    ($($name:ident),* $(,)?) => { $(
        impl<'de> Decode<'de> for $name {
            fn decode<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                object(deserializer)
            }
        }
        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                object(deserializer)
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
                let text = deserializer.deserialize_str(Key)?;
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

/// Decodes an object; arrays and all other values are refused.
pub(crate) fn object<'de, T: DecodeObject<'de>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<T, D::Error> {
    struct ObjectVisitor<T>(PhantomData<T>);
    impl<'de, T: DecodeObject<'de>> Visitor<'de> for ObjectVisitor<T> {
        type Value = T;
        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an object")
        }
        fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<T, A::Error> {
            T::from_map(map, "")
        }
    }
    deserializer.deserialize_map(ObjectVisitor(PhantomData))
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

/// The key of a member, borrowed where the input allows it.
pub(crate) struct Key;

impl<'de> DeserializeSeed<'de> for Key {
    type Value = Cow<'de, str>;
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl<'de> Visitor<'de> for Key {
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

struct Seed<T>(PhantomData<T>);

impl<'de, T: Decode<'de>> DeserializeSeed<'de> for Seed<T> {
    type Value = T;
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<T, D::Error> {
        T::decode(deserializer)
    }
}

/// Decodes the value of the member `name`.
pub(crate) fn field<'de, T: Decode<'de>, A: MapAccess<'de>>(
    map: &mut A,
    name: &str,
) -> Result<T, A::Error> {
    map.next_value_seed(Seed(PhantomData))
        .map_err(|error| at(name, error))
}

/// Decodes the value of the member `name` and checks its bounds.
pub(crate) fn checked<'de, T: Decode<'de>, A: MapAccess<'de>>(
    map: &mut A,
    name: &str,
    check: impl FnOnce(&T) -> Result<(), String>,
) -> Result<T, A::Error> {
    let value = field(map, name)?;
    check(&value).map_err(|message| at(name, A::Error::custom(message)))?;
    Ok(value)
}

/// Reads a member that can only have the value `expected`.
pub(crate) fn constant<'de, A: MapAccess<'de>>(
    map: &mut A,
    name: &str,
    expected: &str,
) -> Result<bool, A::Error> {
    let found = map.next_value_seed(Key).map_err(|error| at(name, error))?;
    if found == expected {
        return Ok(true);
    }
    Err(at(
        name,
        A::Error::invalid_value(Unexpected::Str(&found), &format!("\"{expected}\"").as_str()),
    ))
}

/// Reads a member that can only have the value `expected`.
pub(crate) fn constant_integer<'de, A: MapAccess<'de>>(
    map: &mut A,
    name: &str,
    expected: i64,
) -> Result<bool, A::Error> {
    let found: i64 = field(map, name)?;
    if found == expected {
        return Ok(true);
    }
    Err(at(
        name,
        A::Error::invalid_value(Unexpected::Signed(found), &expected.to_string().as_str()),
    ))
}

/// Reads a member that can only have the value `expected`.
pub(crate) fn constant_boolean<'de, A: MapAccess<'de>>(
    map: &mut A,
    name: &str,
    expected: bool,
) -> Result<bool, A::Error> {
    let found: bool = field(map, name)?;
    if found == expected {
        return Ok(true);
    }
    Err(at(
        name,
        A::Error::invalid_value(Unexpected::Bool(found), &expected.to_string().as_str()),
    ))
}

/// Keeps a member that is not known.
pub(crate) fn keep<'de, A: MapAccess<'de>>(
    map: &mut A,
    key: Cow<'de, str>,
    extra: &mut JsonObject,
) -> Result<(), A::Error> {
    let value = map.next_value()?;
    extra.insert(key.into_owned(), value);
    Ok(())
}

/// Keeps a member that is not known but has a type.
pub(crate) fn keep_typed<'de, T: Decode<'de>, A: MapAccess<'de>>(
    map: &mut A,
    key: Cow<'de, str>,
    extra: &mut BTreeMap<String, T>,
    check: impl FnOnce(&T) -> Result<(), String>,
) -> Result<(), A::Error> {
    let value = checked(map, &key, check)?;
    extra.insert(key.into_owned(), value);
    Ok(())
}

/// The value of a required member.
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
pub(crate) struct Beside<A, F> {
    map: A,
    take: F,
}

impl<A, F> Beside<A, F> {
    pub(crate) fn new(map: A, take: F) -> Self {
        Self { map, take }
    }
}

impl<'de, A, F> MapAccess<'de> for Beside<A, F>
where
    A: MapAccess<'de>,
    F: FnMut(&str, &mut A) -> Result<bool, A::Error>,
{
    type Error = A::Error;
    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, A::Error> {
        while let Some(key) = self.map.next_key_seed(Key)? {
            if !(self.take)(&key, &mut self.map)? {
                return read_key(key, seed).map(Some);
            }
        }
        Ok(None)
    }
    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, A::Error> {
        self.map.next_value_seed(seed)
    }
}

fn read_key<'de, K: DeserializeSeed<'de>, E: DecodeError>(
    key: Cow<'de, str>,
    seed: K,
) -> Result<K::Value, E> {
    match key {
        Cow::Borrowed(key) => seed.deserialize(BorrowedStrDeserializer::new(key)),
        Cow::Owned(key) => seed.deserialize(key.into_deserializer()),
    }
}

// ---- unions of objects

/// An object whose tag is known: the members before the tag were set aside and come first.
pub(crate) struct Replay<'de, A> {
    before: std::vec::IntoIter<(Cow<'de, str>, Value)>,
    value: Option<Value>,
    rest: A,
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for Replay<'de, A> {
    type Error = A::Error;
    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, A::Error> {
        match self.before.next() {
            Some((key, value)) => {
                self.value = Some(value);
                read_key(key, seed).map(Some)
            }
            None => self.rest.next_key_seed(seed),
        }
    }
    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, A::Error> {
        match self.value.take() {
            Some(value) => seed.deserialize(value).map_err(A::Error::custom),
            None => self.rest.next_value_seed(seed),
        }
    }
}

/// Reads up to the member `name`, which tells the alternatives of a union apart, and returns its value.
pub(crate) fn find_tag<'de, A: MapAccess<'de>>(
    mut map: A,
    name: &str,
) -> Result<(Option<Cow<'de, str>>, Replay<'de, A>), A::Error> {
    let mut before = Vec::new();
    let mut tag = None;
    while let Some(key) = map.next_key_seed(Key)? {
        if key == name {
            tag = Some(map.next_value_seed(Key).map_err(|error| at(name, error))?);
            break;
        }
        let value = map.next_value().map_err(|error| at(&key, error))?;
        before.push((key, value));
    }
    Ok((
        tag,
        Replay {
            before: before.into_iter(),
            value: None,
            rest: map,
        },
    ))
}

/// Puts the tag back for an alternative that keeps it in a field.
pub(crate) fn with_tag<'de, A>(
    map: Replay<'de, A>,
    name: &'static str,
    tag: Cow<'de, str>,
) -> Replay<'de, A> {
    let mut before: Vec<_> = map.before.collect();
    before.push((Cow::Borrowed(name), Value::String(tag.into_owned())));
    Replay {
        before: before.into_iter(),
        ..map
    }
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
    fn fits(&self, object: &JsonObject) -> bool {
        self.required.iter().all(|name| object.contains_key(*name))
            && self.values.iter().all(|(name, values)| {
                let found = object.get(*name);
                found.is_none_or(|value| value.as_str().is_some_and(|text| values.contains(&text)))
            })
    }

    fn weight(&self, object: &JsonObject) -> (bool, usize, usize) {
        let known = self
            .known
            .iter()
            .filter(|name| object.contains_key(**name))
            .count();
        (self.fits(object), known, self.required.len())
    }
}

/// Decodes an object as the most specific alternative that it fits: the one that knows most of its members.
pub(crate) fn choose<'de, T, A: MapAccess<'de>>(
    mut map: A,
    candidates: &[Candidate],
    decode: impl Fn(usize, &JsonObject) -> Result<T, serde_json::Error>,
) -> Result<T, A::Error> {
    let mut object = JsonObject::new();
    while let Some(key) = map.next_key_seed(Key)? {
        let value = map.next_value().map_err(|error| at(&key, error))?;
        object.insert(key.into_owned(), value);
    }
    let mut order: Vec<usize> = (0..candidates.len()).collect();
    order.sort_by_key(|index| std::cmp::Reverse(candidates[*index].weight(&object)));
    let mut first = None;
    for index in order {
        match decode(index, &object) {
            Ok(value) => return Ok(value),
            Err(error) => first = first.or(Some(error)),
        }
    }
    // There is always a candidate, so there is an error to show: that of the likeliest.
    Err(first.map_or_else(
        || A::Error::custom("invalid value: no alternative"),
        A::Error::custom,
    ))
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
            T::from_object(map)
        }
    }
    deserializer.deserialize_any(KindVisitor(PhantomData))
}

/// Decodes an object into a type that is not a struct of this crate.
pub(crate) fn free<'de, T: Decode<'de>, A: MapAccess<'de>>(map: A) -> Result<T, A::Error> {
    T::decode(MapAccessDeserializer::new(map))
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
                let mut items = Vec::new();
                loop {
                    match seq.next_element_seed(Seed(PhantomData)) {
                        Ok(Some(item)) => items.push(item),
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
                    let value = field(&mut map, &key)?;
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
