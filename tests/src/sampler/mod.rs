//! Random messages from JSON Schemas: valid ones, mutants with one fault, and
//! the comparison of a decoder under test with a JSON Schema validator.
//!
//! * [`schema`]: a schema file as the sampler sees it, reduced to conjunctions
//! * [`value`] and [`valid`]: arbitrary values, and values that fit a schema
//! * [`mutate`]: one fault put into a valid message
//! * [`spell`]: the many texts of one value
//! * [`json`]: equality of texts, with numbers compared exactly
//! * [`oracle`]: the `jsonschema` crate, one validator a definition
//! * [`pipe`]: a decoder in another process
//! * [`shrink`]: the smallest message that still shows a mismatch
//! * [`relax`]: declared deviations
//! * [`run`](mod@run) and [`report`]: the loop and what is printed of it
//!
//! Nothing here knows a Rust type: the decoder under test is a function from a
//! definition's name and a text to the text it encodes again.

pub mod json;
pub mod mutate;
pub mod oracle;
pub mod pipe;
pub mod relax;
pub mod report;
pub mod run;
pub mod schema;
pub mod shrink;
pub mod spell;
pub mod valid;
pub mod value;

pub use pipe::Pipe;
pub use relax::{Limit, Relaxation};
pub use report::Report;
pub use run::{Plan, run};
pub use schema::Document;
