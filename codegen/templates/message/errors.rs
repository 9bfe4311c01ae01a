//! The answer to a request that failed, and the errors in it.

#![allow(private_bounds)]

use std::fmt;

use super::{Held, Hold, Member, Object};
use crate::support::*;

/// The answer to a request that failed: `I` is the type of ids, and `E` that of the error.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct ErrorResponse<I, E> {
    /// What went wrong.
    pub error: E,
    /// Id of the failed request. Absent when that id could not be read.
    pub id: Option<I>,
    /// Members that the schema does not name.
    pub extra: JsonObject,
}

impl<I, E> ErrorResponse<I, E> {
    /// A response of the members that it must have.
    #[must_use]
    #[inline]
    pub fn new(error: E) -> Self {
        Self {
            error,
            id: None,
            extra: JsonObject::new(),
        }
    }

    /// Sets `id`.
    #[must_use]
    #[inline]
    pub fn with_id(mut self, id: I) -> Self {
        self.id = Some(id);
        self
    }
}

impl<I: Member, E: Member> Record for ErrorResponse<I, E> {
    const CONSTANTS: &'static [(&'static str, Constant)] = &[("jsonrpc", Constant::Text("2.0"))];
    const MEMBERS: &'static [&'static str] = &["error", "id"];
    type Slots = (Must<E>, May<I>);
    type Rest = JsonObject;

    #[inline]
    fn build((error, id): Values<Self>, extra: JsonObject) -> Self {
        Self { error, id, extra }
    }

    #[inline]
    fn parts(&self) -> (Parts<'_, Self>, &JsonObject) {
        ((&self.error, &self.id), &self.extra)
    }
}

/// An error of one code: `D` is what it has as `data`, an `Option` where that can be left out.
#[derive(Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct CodedError<const CODE: i64, D> {
    /// More about the error, for programs.
    pub data: D,
    /// One short sentence that says what happened, for people.
    pub message: String,
    /// Members that the schema does not name.
    pub extra: JsonObject,
}

impl<const CODE: i64, D> CodedError<CODE, D> {
    /// What `code` always is.
    pub const CODE: i64 = CODE;
}

impl<const CODE: i64, D: Object> CodedError<CODE, D> {
    /// An error of the members that it must have.
    #[must_use]
    #[inline]
    pub fn new(data: D, message: impl Into<String>) -> Self {
        Self {
            data,
            message: message.into(),
            extra: JsonObject::new(),
        }
    }
}

impl<const CODE: i64, D> CodedError<CODE, Option<D>> {
    /// An error of the members that it must have.
    #[must_use]
    #[inline]
    pub fn new(message: impl Into<String>) -> Self {
        Self {
            data: None,
            message: message.into(),
            extra: JsonObject::new(),
        }
    }

    /// Sets `data`.
    #[must_use]
    #[inline]
    pub fn with_data(mut self, data: D) -> Self {
        self.data = Some(data);
        self
    }
}

impl<const CODE: i64, D: fmt::Debug> fmt::Debug for CodedError<CODE, D> {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CodedError")
            .field("code", &CODE)
            .field("data", &self.data)
            .field("message", &self.message)
            .field("extra", &self.extra)
            .finish()
    }
}

impl<const CODE: i64, D: Hold> Record for CodedError<CODE, D> {
    const CONSTANTS: &'static [(&'static str, Constant)] = &[("code", Constant::Integer(CODE))];
    const MEMBERS: &'static [&'static str] = &["data", "message"];
    type Slots = (Held<D>, Must<String>);
    type Rest = JsonObject;

    #[inline]
    fn build((data, message): Values<Self>, extra: JsonObject) -> Self {
        Self {
            data,
            message,
            extra,
        }
    }

    #[inline]
    fn parts(&self) -> (Parts<'_, Self>, &JsonObject) {
        ((&self.data, &self.message), &self.extra)
    }
}
