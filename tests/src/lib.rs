//! Shared parts of the workspace tests.
