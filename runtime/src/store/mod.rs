//! Where tasks are kept.
