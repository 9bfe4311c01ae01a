//! Runs a call as a task.
