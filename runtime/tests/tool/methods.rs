//! `#[task_tools]` on an `impl` block.

use std::sync::{Arc, Mutex};

use mcp_tasks::{
    State, TaskContext, ToolError, task_tools,
    tool::{IntoTools, Tool},
};
use serde_json::json;

use crate::support::{call, run, text};

#[derive(Default)]
struct Shop {
    sold: Mutex<Vec<String>>,
}

#[task_tools]
impl Shop {
    /// Not a tool.
    fn count(&self) -> usize {
        self.sold.lock().expect("not poisoned").len()
    }

    /// Sells one thing.
    #[task_tool(ttl = "1m")]
    async fn sell(
        &self,
        /// What
        item: String,
        #[arg(default = 1)] pieces: usize,
        _ctx: TaskContext,
    ) -> Result<String, ToolError> {
        if item.is_empty() {
            return Err(ToolError::new("sell what?"));
        }
        self.sold
            .lock()
            .expect("not poisoned")
            .extend(std::iter::repeat_n(item, pieces));
        Ok(format!("{} sold", self.count()))
    }

    #[task_tool(name = "shop.hours")]
    async fn hours() -> &'static str {
        "9 to 5"
    }

    #[task_tool]
    async fn borrowed(self: &Arc<Self>) -> String {
        Arc::clone(self).count().to_string()
    }

    #[task_tool]
    async fn shared(
        self: Arc<Self>,
        State(bonus): State<usize>,
        #[ask("Sure?")] sure: bool,
    ) -> String {
        format!("{} {sure}", Arc::strong_count(&self).min(1) + bonus)
    }
}

fn find<'a>(tools: &'a [Tool], name: &str) -> &'a Tool {
    tools
        .iter()
        .find(|tool| tool.name() == name)
        .expect("a tool of this name")
}

#[tokio::test]
async fn methods_are_tools_that_share_their_value() {
    let shop = Arc::new(Shop::default());
    let tools = Arc::clone(&shop).into_tools();
    let names: Vec<_> = tools.iter().map(Tool::name).collect();
    assert_eq!(names, ["sell", "shop.hours", "borrowed", "shared"]);
    let sell = find(&tools, "sell");
    assert_eq!(
        sell.descriptor.description.as_deref(),
        Some("Sells one thing.")
    );
    assert_eq!(
        sell.descriptor.input_schema["properties"]["item"]["description"],
        "What"
    );
    assert_eq!(text(sell, json!({"item": "tea"})).await, "1 sold");
    assert_eq!(
        text(sell, json!({"item": "tea", "pieces": 2})).await,
        "3 sold"
    );
    assert_eq!(shop.count(), 3);
    assert_eq!(text(find(&tools, "shop.hours"), json!({})).await, "9 to 5");
    assert_eq!(text(find(&tools, "borrowed"), json!({})).await, "3");
    let mut asked = call(json!({}));
    asked.state.insert(4_usize);
    asked.answers = serde_json::from_value(json!({"sure": {"sure": true}})).unwrap();
    assert_eq!(
        run(find(&tools, "shared"), asked)
            .await
            .unwrap()
            .joined_text(),
        "5 true"
    );
}

#[tokio::test]
async fn methods_stay_methods() {
    let shop = Shop::default();
    let answer = shop.sell("pen".into(), 1, crate::support::context()).await;
    assert_eq!(answer, Ok("1 sold".to_owned()));
    assert_eq!(Shop::hours().await, "9 to 5");
}

trait Source: Send + Sync + 'static {
    fn name(&self) -> String;
}

struct Fixed;

impl Source for Fixed {
    fn name(&self) -> String {
        "fixed".to_owned()
    }
}

struct Reader<S> {
    source: S,
}

#[task_tools]
impl<S> Reader<S>
where
    S: Source,
{
    #[task_tool]
    async fn source(&self) -> String {
        self.source.name()
    }
}

#[tokio::test]
async fn the_type_may_be_generic() {
    let tools = Reader { source: Fixed }.into_tools();
    assert_eq!(text(&tools[0], json!({})).await, "fixed");
}

struct Part;

#[task_tools]
impl Part {
    #[task_tool]
    async fn always(&self) {}

    /// Only in some builds.
    #[task_tool]
    #[cfg(any())]
    async fn never(&self, missing: NoSuchType) {}

    #[cfg_attr(test, allow(dead_code), cfg(any()))]
    #[task_tool]
    async fn never_either(missing: NoSuchType) {}

    #[cfg(test)]
    #[task_tool]
    async fn also(&self) {}
}

#[test]
fn a_tool_is_there_in_the_builds_that_have_its_method() {
    let tools = Part.into_tools();
    let names: Vec<_> = tools.iter().map(Tool::name).collect();
    assert_eq!(names, ["always", "also"]);
}

#[test]
fn each_tool_of_a_block_knows_its_line() {
    let tools = Part.into_tools();
    let lines: Vec<u32> = tools
        .iter()
        .map(|tool| tool.descriptor.location.rsplit_once(':'))
        .map(|place| place.expect("file and line").1.parse().expect("a number"))
        .collect();
    // From the name of `always` to that of `also`.
    assert_eq!(lines[1] - lines[0], 13);
}
