//! The same server three times: ours with tasks in memory, ours with tasks in SQLite, and one written with rmcp. One
//! tool, `sum`, which is always a task that ends at once.

use std::{path::Path, sync::Arc};

use axum::Router;
use mcp_tasks::{Limits, Server, store::SqliteStore, task_tool};
use rmcp::{
    ErrorData, ServerHandler,
    model::{
        CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, CreateTaskResult,
        GetTaskParams, GetTaskResult, ServerCapabilities, ServerConfig,
    },
    service::{RequestContext, RoleServer},
    task_manager::{TaskManager, TaskOptions},
    transport::streamable_http_server::{
        StreamableHttpServerConfig, StreamableHttpService, session::local::LocalSessionManager,
    },
};
use tokio::net::TcpListener;

/// A server to measure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Contender {
    /// Ours, tasks in memory.
    Memory,
    /// Ours, tasks in a file.
    Sqlite,
    /// The peer.
    Rmcp,
}

impl Contender {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Memory, Self::Sqlite, Self::Rmcp];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Memory => "ours-memory",
            Self::Sqlite => "ours-sqlite",
            Self::Rmcp => "rmcp",
        }
    }

    /// By its name.
    pub fn named(name: &str) -> Self {
        let found = Self::ALL
            .into_iter()
            .find(|contender| contender.name() == name);
        found.unwrap_or_else(|| panic!("no contender {name}"))
    }
}

/// Adds two numbers.
#[task_tool(task = "required", ttl = "5m")]
async fn sum(a: i64, b: i64) -> String {
    (a + b).to_string()
}

fn ours() -> mcp_tasks::ServerBuilder {
    let limits = Limits::default()
        .tasks(1_000_000)
        .tasks_per_principal(1_000_000)
        .stored_tasks(usize::MAX)
        .stored_bytes(usize::MAX);
    Server::builder().tool(sum).limits(limits)
}

/// Follows rmcp's own tests of tasks; the answers are plain JSON, which is its faster way.
#[derive(Clone)]
struct Peer {
    tasks: TaskManager,
}

impl ServerHandler for Peer {
    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let arguments = request.arguments.unwrap_or_default();
        let number = |name: &str| {
            let number = arguments.get(name).and_then(serde_json::Value::as_i64);
            number.ok_or_else(|| ErrorData::invalid_params(format!("{name} is no number"), None))
        };
        let sum = number("a")? + number("b")?;
        let options = TaskOptions::new().with_ttl_ms(300_000);
        let task = self.tasks.spawn(options, move |_| {
            Box::pin(async move {
                Ok(CallToolResult::success(vec![ContentBlock::text(
                    sum.to_string(),
                )]))
            })
        });
        Ok(CallToolResponse::Task(CreateTaskResult::new(task)))
    }

    async fn get_task(
        &self,
        request: GetTaskParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<GetTaskResult, ErrorData> {
        Ok(GetTaskResult::new(self.tasks.get_task(&request.task_id)?))
    }

    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(
            ServerCapabilities::builder()
                .enable_tools()
                .enable_tasks()
                .build(),
        )
    }
}

fn peer() -> Router {
    let tasks = TaskManager::new();
    let service = StreamableHttpService::new(
        move || {
            Ok(Peer {
                tasks: tasks.clone(),
            })
        },
        Arc::new(LocalSessionManager::default()),
        StreamableHttpServerConfig::default()
            .with_sse_keep_alive(None)
            .with_json_response(true),
    );
    Router::new().nest_service("/mcp", service)
}

/// Serves until killed; prints the port.
pub fn serve(contender: Contender, folder: &Path) {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    runtime.block_on(async {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let app = match contender {
            Contender::Memory => ours().build().expect("a server").router(),
            Contender::Sqlite => {
                let store = SqliteStore::open(folder.join("tasks.db")).expect("a store");
                ours().store(store).build().expect("a server").router()
            }
            Contender::Rmcp => peer(),
        };
        println!("{}", listener.local_addr().expect("an address").port());
        axum::serve(listener, app).await.expect("serving");
    });
}
