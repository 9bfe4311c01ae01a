//! Odd surroundings: no prelude, shadowed names, strict lints, other names for the crate.

#![deny(warnings, clippy::all, clippy::pedantic)]

use serde_json::json;

use crate::support::{run, text, tool};

#[no_implicit_prelude]
mod bare {
    use ::mcp_tasks::task_tool;
    use ::std::string::String;

    /// Echoes.
    #[task_tool(ttl = "1h", icons("a.png"), annotations(read_only))]
    pub(super) async fn echo(
        /// What
        text: String,
        #[arg(default = 2)] times: u8,
        #[ask("Sure?")] sure: bool,
        ctx: ::mcp_tasks::TaskContext,
    ) -> String {
        let _ = ctx;
        ::std::format!("{text} {times} {sure}")
    }

    pub(super) struct Methods;

    #[::mcp_tasks::task_tools]
    impl Methods {
        #[task_tool]
        async fn method(&self, #[arg(default)] text: String) -> String {
            text
        }
    }
}

mod shadowed {
    #![allow(dead_code, reason = "they only stand in the way")]

    use mcp_tasks::task_tool;

    pub(super) struct Result;
    pub(super) struct Option;
    pub(super) struct String;
    pub(super) struct Box;
    pub(super) struct Vec;
    pub(super) trait Future {}
    pub(super) trait Into {}
    pub(super) trait Default {}
    pub(super) mod core {}
    pub(super) mod std {}
    pub(super) mod mcp_tasks_shadow {}
    pub(super) fn reader() {}
    pub(super) fn output() {}
    pub(super) const PARAMETER_0: u8 = 1;
    #[allow(
        non_upper_case_globals,
        reason = "a name that generated code might use"
    )]
    pub(super) const value_0: u8 = 2;
    #[allow(
        non_upper_case_globals,
        reason = "a name that generated code might use"
    )]
    pub(super) const parameter_0: u8 = 3;

    #[task_tool]
    pub(super) async fn add(
        output: u8,
        reader: u8,
        start: u8,
        this: u8,
        #[arg(default = "x")] tool: ::std::string::String,
    ) -> ::std::string::String {
        ::std::format!("{} {tool}", output + reader + start + this)
    }
}

/// The crate under another name, as with `tasks = { package = "mcp-tasks" }`.
mod renamed {
    pub(super) mod deep {
        pub(crate) use mcp_tasks as tasks;
    }

    #[deep::tasks::task_tool(crate = "self::deep::tasks")]
    pub(super) async fn text(n: u8, #[arg(default)] unit: String) -> String {
        format!("{n}{unit}")
    }

    macro_rules! through {
        () => {
            #[deep::tasks::task_tool(crate = $crate::hygiene::renamed::deep::tasks)]
            pub(super) async fn through(#[arg(default)] n: u8) -> String {
                n.to_string()
            }
        };
    }

    through!();

    pub(super) struct Methods;

    #[deep::tasks::task_tools(crate = deep::tasks)]
    impl Methods {
        #[task_tool]
        async fn method(&self) -> &'static str {
            "renamed"
        }
    }
}

macro_rules! make {
    ($name:ident, $ttl:expr, $ty:ty) => {
        #[mcp_tasks::task_tool(ttl = $ttl)]
        async fn $name(n: $ty) -> String {
            n.to_string()
        }
    };
}

make!(made, "5m", u16);

#[mcp_tasks::task_tool]
#[tracing::instrument(skip(first))]
async fn traced(mut first: Vec<u8>, second: u8) -> String {
    first.push(second);
    format!("{first:?}")
}

#[tokio::test]
async fn generated_code_depends_on_no_name_around_it() {
    let mut call = crate::support::call(json!({"text": "a"}));
    call.answers = crate::support::object(json!({"sure": {"sure": true}}));
    assert_eq!(
        run(&tool(bare::echo), call).await.unwrap().joined_text(),
        "a 2 true"
    );
    let methods = mcp_tasks::tool::IntoTools::into_tools(bare::Methods);
    assert_eq!(text(&methods[0], json!({"text": "m"})).await, "m");
    let arguments = json!({"output": 1, "reader": 2, "start": 3, "this": 4});
    assert_eq!(text(&tool(shadowed::add), arguments).await, "10 x");
}

#[tokio::test]
async fn the_crate_may_have_another_name() {
    assert_eq!(text(&tool(renamed::text), json!({"n": 1})).await, "1");
    assert_eq!(text(&tool(renamed::through), json!({})).await, "0");
    let methods = mcp_tasks::tool::IntoTools::into_tools(renamed::Methods);
    assert_eq!(text(&methods[0], json!({})).await, "renamed");
}

/// Parameters that the function does not use.
#[mcp_tasks::task_tool]
async fn unused(_ctx: mcp_tasks::TaskContext, _name: String) {}

#[tokio::test]
async fn a_parameter_may_be_unused() {
    let unused = tool(unused);
    assert_eq!(unused.descriptor.input_schema["required"], json!(["_name"]));
    assert_eq!(text(&unused, json!({"_name": "a"})).await, "");
}

macro_rules! failures {
    ($name:ident, $variant:ident) => {
        #[derive(Debug, thiserror::Error, mcp_tasks::ToolError)]
        #[error("it failed")]
        enum $name {
            #[tool_error(code = -32001)]
            $variant {
                _detail: u8,
            },
            Other,
        }
    };
}

failures!(Failure, Coded);

#[test]
fn an_error_can_be_made_by_a_macro() {
    let coded = mcp_tasks::ToolError::from(Failure::Coded { _detail: 1 });
    assert!(
        matches!(coded, mcp_tasks::ToolError::Protocol { code: -32001, .. }),
        "{coded}"
    );
    let other = mcp_tasks::ToolError::from(Failure::Other);
    assert!(matches!(other, mcp_tasks::ToolError::Tool(_)), "{other}");
}

#[tokio::test]
async fn tools_can_be_made_by_macros_and_carry_other_attributes() {
    let made = tool(made);
    assert_eq!(
        made.descriptor.options.ttl.map(|ttl| ttl.as_secs()),
        Some(300)
    );
    assert_eq!(text(&made, json!({"n": 3})).await, "3");
    assert_eq!(
        text(&tool(traced), json!({"first": [1], "second": 2})).await,
        "[1, 2]"
    );
}

#[tokio::test]
async fn a_tool_can_be_defined_inside_a_function() {
    const STEP: u8 = 2;

    #[mcp_tasks::task_tool]
    async fn local(n: u8) -> String {
        (n + STEP).to_string()
    }

    assert_eq!(text(&tool(local), json!({"n": 1})).await, "3");
    assert_eq!(local(2).await, "4");
}
