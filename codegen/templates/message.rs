//! Messages whose frame is JSON-RPC's and nothing else, and the errors in them. Each revision has a name for every one
//! of its own, such as `CallToolRequest`.

// What can be decoded is for this crate to say.
#![allow(private_bounds)]

use std::fmt;
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;

mod errors;

use crate::method::Method;
use crate::support::*;

pub use errors::{CodedError, ErrorResponse};

/// Any JSON object, or a type whose values are objects.
pub trait Object: for<'de> DecodeObject<'de> + Member {}

impl<T: for<'de> DecodeObject<'de> + Member> Object for T {}

/// A request: `M` is its method, `I` the type of ids, and `P` what it has as `params`, an `Option` where they can be
/// left out.
#[non_exhaustive]
pub struct Request<M, I, P> {
    /// Id that the answer repeats. Unique among the sender's open requests.
    pub id: I,
    /// What the request is about.
    pub params: P,
    /// Members that the schema does not name.
    pub extra: JsonObject,
    method: PhantomData<fn() -> M>,
}

impl<M, I, P: Object> Request<M, I, P> {
    /// A request of the members that it must have.
    #[must_use]
    #[inline]
    pub fn new(id: I, params: P) -> Self {
        Self::of((id, params), JsonObject::new())
    }
}

impl<M, I, P> Request<M, I, Option<P>> {
    /// A request of the members that it must have.
    #[must_use]
    #[inline]
    pub fn new(id: I) -> Self {
        Self::of((id, None), JsonObject::new())
    }

    /// Sets `params`.
    #[must_use]
    #[inline]
    pub fn with_params(mut self, params: P) -> Self {
        self.params = Some(params);
        self
    }
}

impl<M, I, P> Request<M, I, P> {
    #[inline]
    fn of((id, params): (I, P), extra: JsonObject) -> Self {
        Self {
            id,
            params,
            extra,
            method: PhantomData,
        }
    }

    #[inline]
    fn key(&self) -> (&I, &P, &JsonObject) {
        (&self.id, &self.params, &self.extra)
    }
}

impl<M, I: Clone, P: Clone> Clone for Request<M, I, P> {
    #[inline]
    fn clone(&self) -> Self {
        Self::of((self.id.clone(), self.params.clone()), self.extra.clone())
    }
}

impl<M: Method, I: fmt::Debug, P: fmt::Debug> fmt::Debug for Request<M, I, P> {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Request")
            .field("method", &M::NAME)
            .field("id", &self.id)
            .field("params", &self.params)
            .field("extra", &self.extra)
            .finish()
    }
}

impl<M, I: PartialEq, P: PartialEq> PartialEq for Request<M, I, P> {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}

impl<M, I: Eq, P: Eq> Eq for Request<M, I, P> {}

impl<M, I: Hash, P: Hash> Hash for Request<M, I, P> {
    #[inline]
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.key().hash(state);
    }
}

impl<M: Method, I: Member, P: Hold> Record for Request<M, I, P> {
    const CONSTANTS: &'static [(&'static str, Constant)] = &[
        ("jsonrpc", Constant::Text("2.0")),
        ("method", Constant::Text(M::NAME)),
    ];
    const MEMBERS: &'static [&'static str] = &["id", "params"];
    type Slots = (Must<I>, Held<P>);
    type Rest = JsonObject;

    #[inline]
    fn build(members: Values<Self>, extra: JsonObject) -> Self {
        Self::of(members, extra)
    }

    #[inline]
    fn parts(&self) -> (Parts<'_, Self>, &JsonObject) {
        ((&self.id, &self.params), &self.extra)
    }
}

/// A notification: `M` is its method, and `P` what it has as `params`, an `Option` where they can be left out.
#[non_exhaustive]
pub struct Notification<M, P> {
    /// What the notification says.
    pub params: P,
    /// Members that the schema does not name.
    pub extra: JsonObject,
    method: PhantomData<fn() -> M>,
}

impl<M, P: Object> Notification<M, P> {
    /// A notification of the members that it must have.
    #[must_use]
    #[inline]
    pub fn new(params: P) -> Self {
        Self::of(params, JsonObject::new())
    }
}

impl<M, P> Notification<M, Option<P>> {
    /// One without any member that could be left out.
    #[must_use]
    #[inline]
    pub fn new() -> Self {
        Self::of(None, JsonObject::new())
    }

    /// Sets `params`.
    #[must_use]
    #[inline]
    pub fn with_params(mut self, params: P) -> Self {
        self.params = Some(params);
        self
    }
}

impl<M, P> Notification<M, P> {
    #[inline]
    fn of(params: P, extra: JsonObject) -> Self {
        Self {
            params,
            extra,
            method: PhantomData,
        }
    }

    #[inline]
    fn key(&self) -> (&P, &JsonObject) {
        (&self.params, &self.extra)
    }
}

impl<M, P> Default for Notification<M, Option<P>> {
    #[inline]
    fn default() -> Self {
        Self::new()
    }
}

impl<M, P: Clone> Clone for Notification<M, P> {
    #[inline]
    fn clone(&self) -> Self {
        Self::of(self.params.clone(), self.extra.clone())
    }
}

impl<M: Method, P: fmt::Debug> fmt::Debug for Notification<M, P> {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Notification")
            .field("method", &M::NAME)
            .field("params", &self.params)
            .field("extra", &self.extra)
            .finish()
    }
}

impl<M, P: PartialEq> PartialEq for Notification<M, P> {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}

impl<M, P: Eq> Eq for Notification<M, P> {}

impl<M, P: Hash> Hash for Notification<M, P> {
    #[inline]
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.key().hash(state);
    }
}

impl<M: Method, P: Hold> Record for Notification<M, P> {
    const CONSTANTS: &'static [(&'static str, Constant)] = &[
        ("jsonrpc", Constant::Text("2.0")),
        ("method", Constant::Text(M::NAME)),
    ];
    const MEMBERS: &'static [&'static str] = &["params"];
    type Slots = (Held<P>,);
    type Rest = JsonObject;

    #[inline]
    fn build((params,): Values<Self>, extra: JsonObject) -> Self {
        Self::of(params, extra)
    }

    #[inline]
    fn parts(&self) -> (Parts<'_, Self>, &JsonObject) {
        ((&self.params,), &self.extra)
    }
}

/// The answer to a request that succeeded: `I` is the type of ids, and `R` that of the result.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Response<I, R> {
    /// Id of the request that this answers.
    pub id: I,
    /// What the request is answered with.
    pub result: R,
    /// Members that the schema does not name.
    pub extra: JsonObject,
}

impl<I, R> Response<I, R> {
    /// A response of the members that it must have.
    #[must_use]
    #[inline]
    pub fn new(id: I, result: R) -> Self {
        Self {
            id,
            result,
            extra: JsonObject::new(),
        }
    }
}

impl<I: Member, R: Member> Record for Response<I, R> {
    const CONSTANTS: &'static [(&'static str, Constant)] = &[("jsonrpc", Constant::Text("2.0"))];
    const MEMBERS: &'static [&'static str] = &["id", "result"];
    type Slots = (Must<I>, Must<R>);
    type Rest = JsonObject;

    #[inline]
    fn build((id, result): Values<Self>, extra: JsonObject) -> Self {
        Self { id, result, extra }
    }

    #[inline]
    fn parts(&self) -> (Parts<'_, Self>, &JsonObject) {
        ((&self.id, &self.result), &self.extra)
    }
}

/// Implements the traits of serde.
macro_rules! messages {
    ($(($($parameters:tt)*) $name:ty;)*) => { $(
        impl<'de, $($parameters)*> Decode<'de> for $name {
            fn fill<D: Deserializer<'de>>(deserializer: D, slot: &mut Option<Self>) -> Result<(), D::Error> {
                object(deserializer, slot)
            }
        }
        impl<'de, $($parameters)*> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                Self::decode(deserializer)
            }
        }
        impl<$($parameters)*> Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                encode(self, serializer)
            }
        }
    )* };
}

messages! {
    (M: Method, I: Member, P: Hold) Request<M, I, P>;
    (M: Method, P: Hold) Notification<M, P>;
    (I: Member, R: Member) Response<I, R>;
    (I: Member, E: Member) ErrorResponse<I, E>;
    (const CODE: i64, T: Hold) CodedError<CODE, T>;
}

/// What can be a member.
pub(crate) trait Member: for<'de> Decode<'de> + Serialize {}

impl<T: for<'de> Decode<'de> + Serialize> Member for T {}

/// What messages are about: an object, or an `Option` of anything.
pub(crate) trait Hold: Sized {
    type Value: Member;
    fn take<E: DecodeError>(value: Option<Self::Value>, name: &'static str) -> Result<Self, E>;
    fn value(&self) -> Option<&Self::Value>;
}

impl<T: Object> Hold for T {
    type Value = T;

    #[inline]
    fn take<E: DecodeError>(value: Option<T>, name: &'static str) -> Result<T, E> {
        value.ok_or_else(|| E::missing_field(name))
    }

    #[inline]
    fn value(&self) -> Option<&T> {
        Some(self)
    }
}

impl<T: Member> Hold for Option<T> {
    type Value = T;

    #[inline]
    fn take<E: DecodeError>(value: Option<T>, _: &'static str) -> Result<Option<T>, E> {
        Ok(value)
    }

    #[inline]
    fn value(&self) -> Option<&T> {
        self.as_ref()
    }
}

/// The slot of what a message is about.
pub(crate) struct Held<P: Hold>(Option<P::Value>);

impl<P: Hold> Default for Held<P> {
    #[inline]
    fn default() -> Self {
        Self(None)
    }
}

impl<P: Hold> Slot for Held<P> {
    type Value = P;
    type Part<'a>
        = &'a P
    where
        P: 'a;

    #[inline]
    fn take<E: DecodeError>(self, name: &'static str) -> Result<P, E> {
        P::take(self.0, name)
    }

    #[inline]
    fn write<M: SerializeMap>(part: &P, map: &mut M, name: &str) -> Result<(), M::Error> {
        match part.value() {
            Some(value) => map.serialize_entry(name, value),
            None => Ok(()),
        }
    }
}

impl<'de, P: Hold> Fill<'de> for Held<P> {
    #[inline]
    fn fill<M: Members<'de>>(&mut self, map: &mut M, name: &str) -> Result<(), M::Error> {
        field(map, name, &mut self.0)
    }
}
