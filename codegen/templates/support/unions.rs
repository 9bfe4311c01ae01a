//! Unions: told apart by a tag, by what is present, or by the kind of JSON value.

use std::fmt;
use std::marker::PhantomData;

use serde::de::value::{BorrowedStrDeserializer, SeqAccessDeserializer};
use serde::de::{IntoDeserializer, MapAccess, SeqAccess, Visitor};

use super::read::Direct;
use super::*;

// ---- by a tag

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
pub(crate) fn variant<'de, T: DecodeObject<'de>, U, M: Members<'de>>(
    slot: &mut Option<U>,
    wrap: impl FnOnce(T) -> U,
    map: M,
    tag: &str,
) -> Result<(), M::Error> {
    let mut inner = None;
    T::from_map(map, tag, &mut inner)?;
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

// ---- by what is present

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

// ---- by the kind of JSON value

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
