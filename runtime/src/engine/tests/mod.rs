//! The engine from outside, in paused time.

mod asking;
mod ending;
mod limits;
mod races;
mod recovery;
mod starting;
mod time;
mod watching;

use std::{future::Future, sync::Arc, time::Duration};

use serde_json::{Value, json};
use tokio::sync::oneshot;

use super::*;
use crate::{
    JsonObject,
    context::{InputKinds, TaskContext},
    store::MemoryStore,
    task::{Outcome, Status},
    tool::{ToolDescriptor, ToolFuture, ToolHandler},
};

/// A tool made of a closure.
struct Closure<F>(F);

impl<F, Fut> ToolHandler for Closure<F>
where
    F: Fn(TaskContext) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<ToolOutput, ToolError>> + Send + 'static,
{
    fn check(&self, _arguments: &JsonObject) -> Result<(), ToolError> {
        Ok(())
    }

    fn start(&self, call: ToolCall) -> Result<ToolFuture, ToolError> {
        Ok(Box::pin((self.0)(call.context)))
    }
}

fn tool<F, Fut>(run: F) -> Tool
where
    F: Fn(TaskContext) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<ToolOutput, ToolError>> + Send + 'static,
{
    Tool::new(ToolDescriptor::new("t"), Closure(run))
}

fn with(mut tool: Tool, set: impl FnOnce(&mut crate::tool::TaskOptions)) -> Tool {
    set(&mut Arc::make_mut(&mut tool.descriptor).options);
    tool
}

/// A tool that never ends by itself.
fn endless() -> Tool {
    tool(|_| std::future::pending())
}

/// A tool that ends when told, with what it is told.
fn told() -> (Tool, oneshot::Sender<Result<ToolOutput, ToolError>>) {
    let (tell, told) = oneshot::channel();
    let told = Arc::new(tokio::sync::Mutex::new(Some(told)));
    let tool = tool(move |_| {
        let told = Arc::clone(&told);
        async move { told.lock().await.take().unwrap().await.unwrap() }
    });
    (tool, tell)
}

fn done(text: &str) -> Result<ToolOutput, ToolError> {
    Ok(ToolOutput::text(text))
}

fn engine() -> Engine {
    Engine::new(Arc::new(MemoryStore::new())).unwrap()
}

fn limited(limits: Limits) -> Engine {
    Engine::builder(Arc::new(MemoryStore::new()))
        .limits(limits)
        .build()
        .unwrap()
}

fn launch(tool: Tool) -> Launch {
    Launch {
        can_ask: InputKinds::ALL,
        ..Launch::new(tool)
    }
}

fn started(started: Started) -> Arc<Task> {
    match started {
        Started::Task(task) => task,
        Started::Inline(outcome) => panic!("no task, but {outcome:?}"),
    }
}

impl Engine {
    /// Starts a task and gives its id.
    async fn go(&self, tool: Tool) -> String {
        started(self.start(launch(tool)).await.unwrap())
            .id()
            .to_string()
    }

    /// Lets everything run that can, and gives the task.
    async fn look(&self, id: &str) -> Arc<Task> {
        settle().await;
        self.get(id, None).await.unwrap()
    }

    async fn end(&self, id: &str) -> Arc<Task> {
        self.wait(id, None).await.unwrap()
    }
}

/// Lets every other future of a paused runtime go as far as it can.
async fn settle() {
    for _ in 0..50 {
        tokio::task::yield_now().await;
    }
}

fn result(task: &Arc<Task>) -> Value {
    match task.outcome() {
        Some(Outcome::Completed { result, .. }) => result.read().unwrap(),
        other => panic!("no result but {other:?}"),
    }
}

fn error(task: &Arc<Task>) -> crate::task::TaskFailure {
    match task.outcome() {
        Some(Outcome::Failed(error)) => error.clone(),
        other => panic!("no error but {other:?}"),
    }
}

fn text(text: &str) -> Value {
    json!({"content": [{"type": "text", "text": text}]})
}

const SECOND: Duration = Duration::from_secs(1);
