//! What a task is.
