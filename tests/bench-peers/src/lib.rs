//! Nothing: `tests/bench compile` builds this with one dependency at a time.
