//! Tools that are methods: `#[task_tools]` on an `impl` block, with what they share in `self`.
//!
//! `cargo run -p mcp-tasks --example impl_block` talks to itself and ends. In a program of yours the last lines are
//! `server.serve_http(listener).await` or `server.serve_stdio().await`.
#![allow(clippy::print_stdout, missing_docs)]

use std::{
    collections::BTreeMap,
    error::Error,
    sync::{Mutex, PoisonError},
};

use mcp_tasks::{Json, Server, TaskContext, ToolError, task_tools, testing::TestClient};
use serde_json::json;

/// What is in stock, by name.
#[derive(Default)]
struct Pantry {
    stock: Mutex<BTreeMap<String, u32>>,
}

/// How much of something there is.
#[derive(serde::Serialize, schemars::JsonSchema)]
struct Stock {
    name: String,
    amount: u32,
}

#[task_tools]
impl Pantry {
    /// Puts something in.
    #[task_tool(task = "forbidden", annotations(destructive = false))]
    async fn put(
        &self,
        /// What
        name: String,
        /// How much of it
        #[arg(default = 1)]
        amount: u32,
    ) -> Result<Json<Stock>, ToolError> {
        let mut stock = self.lock();
        let entry = stock.entry(name.clone()).or_default();
        let sum = entry
            .checked_add(amount)
            .ok_or_else(|| ToolError::new("that is too much"))?;
        *entry = sum;
        Ok(Json(Stock { name, amount: sum }))
    }

    /// Counts everything, which takes a while.
    #[task_tool(poll_interval = "500ms")]
    async fn count(&self, ctx: TaskContext) -> String {
        let names: Vec<String> = self.lock().keys().cloned().collect();
        let mut total = 0u64;
        for (done, name) in names.iter().enumerate() {
            ctx.status(format!("counting {name}, {done} of {} done", names.len()))
                .await;
            total += u64::from(self.lock().get(name).copied().unwrap_or_default());
        }
        format!("{total} in all")
    }

    /// Throws everything away, if the user agrees.
    #[task_tool(annotations(destructive))]
    async fn clear(&self, ctx: TaskContext) -> Result<String, ToolError> {
        let sure: bool = ctx.elicit("Throw everything away?").await?.required()?;
        if sure {
            self.lock().clear();
        }
        Ok(if sure {
            "The pantry is empty."
        } else {
            "Nothing was done."
        }
        .to_owned())
    }

    // A method without the attribute is no tool.
    fn lock(&self) -> std::sync::MutexGuard<'_, BTreeMap<String, u32>> {
        self.stock.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let server = Server::builder()
        .name("pantry")
        .version(env!("CARGO_PKG_VERSION"))
        .tools(Pantry::default())
        .build()?;

    let client = TestClient::modern(&server);
    for tool in client.list_tools().await? {
        println!("{}: {}", tool.name, tool.description.unwrap_or_default());
    }
    client
        .call("put", json!({"name": "flour", "amount": 3}))
        .await?;
    client.call("put", json!({"name": "eggs"})).await?;
    let counted = client.call("count", json!({})).await?;
    println!("{}", serde_json::to_string(&counted.content)?);

    let task = client.start("clear", json!({})).await?;
    println!("{} is {}", task.id(), task.settled().await?.status);
    let question = task.questions().await?.remove(0);
    task.accept(&question, json!({"value": true})).await?;
    println!("{}", serde_json::to_string(&task.result().await?.content)?);
    Ok(())
}
