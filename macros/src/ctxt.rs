//! Collects mistakes, so that all of them are shown at once.

use std::{cell::RefCell, fmt::Display, thread};

use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::Error;

/// The mistakes found so far. Must be looked at with [`Ctxt::check`].
pub(crate) struct Ctxt {
    errors: RefCell<Option<Vec<Error>>>,
}

impl Ctxt {
    pub(crate) fn new() -> Self {
        Self {
            errors: RefCell::new(Some(Vec::new())),
        }
    }

    /// Notes a mistake, shown at `tokens`.
    pub(crate) fn error(&self, tokens: impl ToTokens, message: impl Display) {
        self.add(Error::new_spanned(tokens, message));
    }

    /// Notes a mistake that already knows its place.
    pub(crate) fn add(&self, error: Error) {
        if let Some(errors) = self.errors.borrow_mut().as_mut() {
            errors.push(error);
        }
    }

    /// Whether nothing was wrong so far.
    pub(crate) fn is_clean(&self) -> bool {
        self.errors.borrow().as_ref().is_none_or(Vec::is_empty)
    }

    /// The mistakes as compiler errors, if there are any.
    pub(crate) fn check(self) -> Result<(), TokenStream> {
        let errors = self.errors.borrow_mut().take().unwrap_or_default();
        if errors.is_empty() {
            Ok(())
        } else {
            Err(errors.iter().map(Error::to_compile_error).collect())
        }
    }
}

impl Drop for Ctxt {
    fn drop(&mut self) {
        debug_assert!(
            thread::panicking() || self.errors.borrow().is_none(),
            "somebody forgot to look at the mistakes"
        );
    }
}
