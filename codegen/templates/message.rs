//! Messages whose frame is JSON-RPC's and nothing else. Each revision has a name for every one of its own, such as
//! `CallToolRequest`.

// What can be decoded is for this crate to say.
#![allow(private_bounds)]

use std::fmt;
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;

use crate::method::Method;
use crate::support::*;

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

impl<M: Method, I: Member, P: Params> Record for Request<M, I, P> {
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

impl<M: Method, P: Params> Record for Notification<M, P> {
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
    ($($name:ident<$($parameter:ident: $bound:ident),*>)*) => { $(
        impl<'de, $($parameter: $bound),*> Decode<'de> for $name<$($parameter),*> {
            fn fill<D: Deserializer<'de>>(deserializer: D, slot: &mut Option<Self>) -> Result<(), D::Error> {
                object(deserializer, slot)
            }
        }
        impl<'de, $($parameter: $bound),*> Deserialize<'de> for $name<$($parameter),*> {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                Self::decode(deserializer)
            }
        }
        impl<$($parameter: $bound),*> Serialize for $name<$($parameter),*> {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                encode(self, serializer)
            }
        }
    )* };
}

messages! {
    Request<M: Method, I: Member, P: Params>
    Notification<M: Method, P: Params>
    Response<I: Member, R: Member>
}

/// What can be a member.
trait Member: for<'de> Decode<'de> + Serialize {}

impl<T: for<'de> Decode<'de> + Serialize> Member for T {}

/// What can be `params`: an object, or an `Option` of one.
trait Params: Sized {
    type Object: Object;
    fn take<E: DecodeError>(object: Option<Self::Object>, name: &'static str) -> Result<Self, E>;
    fn object(&self) -> Option<&Self::Object>;
}

impl<T: Object> Params for T {
    type Object = T;

    #[inline]
    fn take<E: DecodeError>(object: Option<T>, name: &'static str) -> Result<T, E> {
        object.ok_or_else(|| E::missing_field(name))
    }

    #[inline]
    fn object(&self) -> Option<&T> {
        Some(self)
    }
}

impl<T: Object> Params for Option<T> {
    type Object = T;

    #[inline]
    fn take<E: DecodeError>(object: Option<T>, _: &'static str) -> Result<Option<T>, E> {
        Ok(object)
    }

    #[inline]
    fn object(&self) -> Option<&T> {
        self.as_ref()
    }
}

/// The slot of `params`.
pub(crate) struct Held<P: Params>(Option<P::Object>);

impl<P: Params> Default for Held<P> {
    #[inline]
    fn default() -> Self {
        Self(None)
    }
}

impl<P: Params> Slot for Held<P> {
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
        match part.object() {
            Some(object) => map.serialize_entry(name, object),
            None => Ok(()),
        }
    }
}

impl<'de, P: Params> Fill<'de> for Held<P> {
    #[inline]
    fn fill<M: Members<'de>>(&mut self, map: &mut M, name: &str) -> Result<(), M::Error> {
        field(map, name, &mut self.0)
    }
}
