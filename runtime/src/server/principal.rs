//! Who is asking. Defined with the tasks, which are bound to it.

pub use crate::task::Principal;
