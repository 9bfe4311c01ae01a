//! `#[task_tool]`.
use proc_macro::TokenStream;
/// Makes a tool of an async function.
#[proc_macro_attribute]
pub fn task_tool(_: TokenStream, item: TokenStream) -> TokenStream { item }
/// Makes tools of methods.
#[proc_macro_attribute]
pub fn task_tools(_: TokenStream, item: TokenStream) -> TokenStream { item }
