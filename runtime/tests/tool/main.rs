//! `#[task_tool]` as its users see it: what may be written, and what becomes of it.

mod support;

mod agreement;
mod arguments;
mod asks;
mod choices;
mod faults;
mod hygiene;
mod methods;
mod results;
mod settings;
mod surroundings;
