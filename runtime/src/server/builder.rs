//! The description of a server, checked as a whole by [`ServerBuilder::build`].

use std::{
    sync::{Arc, Once},
    time::Duration,
};

use serde_json::{Value, json};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use crate::{
    JsonObject,
    engine::Engine,
    gauge::Gauge,
    protocol::{legacy::Asking, seal::Sealer},
    store::{MemoryStore, TaskStore},
    task::Clock,
    tool::{IntoTool, IntoTools, RegisterError, StateMap, Tool, ToolSet},
    types::{
        v2025_11_25,
        v2026_07_28::{self, CacheScope, ResultMetaObject},
    },
};

use super::{Catalog, Connection, Fallback, Inner, Limits, Server};

/// Why a server could not be built.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BuildError {
    /// A tool cannot be registered.
    #[error(transparent)]
    Register(#[from] RegisterError),
    /// A tool's schema cannot be served.
    #[error("the tool `{tool}` cannot be served: {reason}")]
    Schema {
        /// The tool's name.
        tool: String,
        /// What is wrong.
        reason: String,
    },
    /// A declared capability is one that the server answers itself.
    #[error("the capability `{0}` cannot be declared, because the server itself speaks for it")]
    Capability(String),
    /// The settings of a declared capability are not what clients can read.
    #[error("the declared capabilities cannot be served: {0}; see `ServerBuilder::capability`")]
    Capabilities(String),
    /// The operating system gave no random bytes for the key.
    #[error("no random bytes from the operating system: {0}; set a key with `ServerBuilder::key`")]
    Random(String),
}

/// The capability of servers that write to the log of their clients.
const LOGGING: &str = "logging";

/// What a server is told.
pub(crate) struct Config {
    pub(crate) instructions: Option<String>,
    pub(crate) limits: Limits,
    /// Capabilities besides tools and tasks.
    pub(crate) capabilities: JsonObject,
    pub(crate) fallback: Option<Arc<dyn Fallback>>,
    pub(crate) logging: bool,
    pub(crate) strict_task_headers: bool,
    pub(crate) allowed_hosts: Vec<String>,
    pub(crate) allowed_origins: Vec<String>,
    pub(crate) cache_ttl: Duration,
    pub(crate) cache_scope: CacheScope,
    pub(crate) legacy: bool,
}

impl Config {
    pub(crate) fn cache_ttl_ms(&self) -> u64 {
        u64::try_from(self.cache_ttl.as_millis()).unwrap_or(u64::MAX)
    }
}

/// Describes a server. Start with [`Server::builder`].
#[must_use = "a builder does nothing until `build` is called"]
pub struct ServerBuilder {
    info: JsonObject,
    tools: Vec<Tool>,
    state: StateMap,
    store: Option<Arc<dyn TaskStore>>,
    clock: Option<Arc<dyn Clock>>,
    lease: Option<Duration>,
    key: Option<[u8; 32]>,
    config: Config,
}

impl Default for ServerBuilder {
    fn default() -> Self {
        let config = Config {
            instructions: None,
            limits: Limits::default(),
            capabilities: JsonObject::new(),
            fallback: None,
            logging: false,
            strict_task_headers: false,
            allowed_hosts: Vec::new(),
            allowed_origins: Vec::new(),
            cache_ttl: Duration::ZERO,
            cache_scope: CacheScope::Public,
            legacy: true,
        };
        let builder = Self {
            info: JsonObject::new(),
            tools: Vec::new(),
            state: StateMap::new(),
            store: None,
            clock: None,
            lease: None,
            key: None,
            config,
        };
        builder.name("mcp-tasks").version(env!("CARGO_PKG_VERSION"))
    }
}

impl ServerBuilder {
    fn info(mut self, member: &str, value: impl Into<Value>) -> Self {
        self.info.insert(member.to_owned(), value.into());
        self
    }

    /// The server's name, for logs and programs.
    pub fn name(self, name: impl Into<String>) -> Self {
        self.info("name", name.into())
    }

    /// The server's version.
    pub fn version(self, version: impl Into<String>) -> Self {
        self.info("version", version.into())
    }

    /// The server's name for people.
    pub fn title(self, title: impl Into<String>) -> Self {
        self.info("title", title.into())
    }

    /// What the server is for, in a sentence.
    pub fn description(self, text: impl Into<String>) -> Self {
        self.info("description", text.into())
    }

    /// Where to read more about the server.
    pub fn website(self, url: impl Into<String>) -> Self {
        self.info("websiteUrl", url.into())
    }

    /// What a model should know to use the tools well.
    pub fn instructions(mut self, text: impl Into<String>) -> Self {
        self.config.instructions = Some(text.into());
        self
    }

    /// Adds a tool: a function marked `#[task_tool]`, or a [`Tool`].
    pub fn tool<M>(mut self, tool: impl IntoTool<M>) -> Self {
        self.tools.push(tool.into_tool());
        self
    }

    /// Adds several tools: `tools![a, b]`, or a value whose type has `#[task_tools]`.
    pub fn tools(mut self, tools: impl IntoTools) -> Self {
        self.tools.extend(tools.into_tools());
        self
    }

    /// Adds a value that tools take with `State<T>`; one for each type.
    pub fn state<T: Clone + Send + Sync + 'static>(mut self, value: T) -> Self {
        self.state.insert(value);
        self
    }

    /// Where tasks are kept; in memory by default, up to [`Limits::stored_bytes`].
    pub fn store(self, store: impl TaskStore) -> Self {
        self.shared_store(Arc::new(store))
    }

    /// Where tasks are kept, when others use the store too.
    pub fn shared_store(mut self, store: Arc<dyn TaskStore>) -> Self {
        self.store = Some(store);
        self
    }

    /// Where time comes from; the machine's clocks by default.
    pub fn clock(mut self, clock: impl Clock) -> Self {
        self.clock = Some(Arc::new(clock));
        self
    }

    /// How long after the last sign of life the tasks of a process may be taken up by another that shares its store.
    pub fn lease(mut self, lease: Duration) -> Self {
        self.lease = Some(lease);
        self
    }

    /// How much the server takes on.
    pub fn limits(mut self, limits: Limits) -> Self {
        self.config.limits = limits;
        self
    }

    /// The secret that protects `requestState`, which carries a plain call of the modern era from one round of questions
    /// to the next.
    ///
    /// It is random if not set, and then a restart ends every call that is waiting for answers: the retry is refused with
    /// -32602, and the client has to start again. Set the same 32 secret bytes for each start, and for all servers behind
    /// one balancer, so that any of them takes the retry. Tasks do not depend on it.
    pub fn key(mut self, key: [u8; 32]) -> Self {
        self.key = Some(key);
        self
    }

    /// Declares a capability that the [`fallback`](Self::fallback) serves, such as `prompts`; its settings are an object.
    pub fn capability(mut self, name: impl Into<String>, settings: Value) -> Self {
        self.config.capabilities.insert(name.into(), settings);
        self
    }

    /// Lets tools write to the log of their client with [`TaskContext::log`](crate::TaskContext::log), and declares that.
    /// Off by default, because the modern era has deprecated it.
    pub fn logging(mut self) -> Self {
        self.config.logging = true;
        self
    }

    /// Answers methods that are not of tools, tasks or the lifecycle.
    pub fn fallback(mut self, fallback: impl Fallback) -> Self {
        self.config.fallback = Some(Arc::new(fallback));
        self
    }

    /// Refuses modern `tasks/*` requests over HTTP that lack `Mcp-Name`. Off by default, because a client in wide use
    /// leaves it out: then it is logged, once a connection if the server accepts connections itself
    /// ([`serve_http`](Server::serve_http)), else once.
    pub fn strict_task_headers(mut self, strict: bool) -> Self {
        self.config.strict_task_headers = strict;
        self
    }

    /// A further `Host` to answer to (`example.com`, `example.com:8443`, or `*` for any). Loopback names are always
    /// allowed.
    pub fn allow_host(mut self, host: impl Into<String>) -> Self {
        self.config.allowed_hosts.push(host.into());
        self
    }

    /// A further `Origin` to answer to (`https://example.com`, or `*` for any). Loopback origins are always allowed.
    pub fn allow_origin(mut self, origin: impl Into<String>) -> Self {
        self.config.allowed_origins.push(origin.into());
        self
    }

    /// How long, and by whom, the tool list and the discovery result may be cached. Not at all by default. What a
    /// [`fallback`](Self::fallback) gives says so itself.
    pub fn cache(mut self, ttl: Duration, scope: CacheScope) -> Self {
        self.config.cache_ttl = ttl;
        self.config.cache_scope = scope;
        self
    }

    /// Whether clients of 2025-11-25 and before are served. They are by default.
    pub fn legacy(mut self, serve: bool) -> Self {
        self.config.legacy = serve;
        self
    }

    /// Checks the description and makes the server.
    ///
    /// # Errors
    /// See [`BuildError`].
    pub fn build(mut self) -> Result<Server, BuildError> {
        let mut set = ToolSet::new();
        for tool in self.tools {
            set.add(tool)?;
        }
        set.check_state(&self.state)?;
        let ours = ["tools", "tasks"].into_iter();
        let logging = self.config.logging.then_some(LOGGING);
        if let Some(name) = ours
            .chain(logging)
            .find(|name| self.config.capabilities.contains_key(*name))
        {
            return Err(BuildError::Capability(name.to_owned()));
        }
        if let Some(name) = logging {
            self.config.capabilities.insert(name.into(), json!({}));
        }
        let declared = || Value::Object(self.config.capabilities.clone());
        serde_json::from_value::<v2026_07_28::ServerCapabilities>(declared())
            .map(drop)
            .and_then(|()| {
                serde_json::from_value::<v2025_11_25::ServerCapabilities>(declared()).map(drop)
            })
            .map_err(|error| BuildError::Capabilities(error.to_string()))?;
        let key = match self.key {
            Some(key) => key,
            None => {
                let mut key = [0; 32];
                getrandom::fill(&mut key).map_err(|error| BuildError::Random(error.to_string()))?;
                key
            }
        };
        let limits = &self.config.limits;
        let store = self.store.unwrap_or_else(|| {
            let (all, each) = (limits.stored_bytes, limits.stored_bytes_per_principal);
            Arc::new(MemoryStore::limited(all, each))
        });
        let mut engine = Engine::builder(store).limits(self.config.limits.for_engine());
        if let Some(clock) = self.clock {
            engine = engine.clock(clock);
        }
        if let Some(lease) = self.lease {
            engine = engine.lease(lease);
        }
        let info = serde_json::from_value(Value::Object(self.info.clone()))
            .expect("the methods of the builder set strings alone, and name and version are set");
        Ok(Server {
            inner: Arc::new(Inner {
                catalog: Catalog::new(set)?,
                result_meta: ResultMetaObject::new().with_server_info(info),
                info: self.info,
                state: self.state,
                engine: engine
                    .build()
                    .map_err(|error| BuildError::Random(error.to_string()))?,
                sealer: Sealer::new(&key),
                asking: Asking::default(),
                #[cfg(feature = "http")]
                sessions: Default::default(),
                calls: Gauge::default(),
                streams: Gauge::default(),
                shutdown: CancellationToken::new(),
                shutdown_calls: CancellationToken::new(),
                requests: TaskTracker::new(),
                connection: Connection::default(),
                started: Once::new(),
                config: self.config,
            }),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tool::{ToolCall, ToolDescriptor, ToolFuture, ToolHandler};

    struct Nothing;

    impl ToolHandler for Nothing {
        fn check(&self, _: &JsonObject) -> Result<(), crate::ToolError> {
            Ok(())
        }

        fn start(&self, _: ToolCall) -> Result<ToolFuture, crate::ToolError> {
            unreachable!("nothing is called here")
        }
    }

    #[test]
    fn what_clients_could_not_read_is_refused_before_they_come() {
        let built = Server::builder().capability("prompts", json!(true)).build();
        let Err(error @ BuildError::Capabilities(_)) = built else {
            panic!("the capability was declared")
        };
        assert!(error.to_string().contains("prompts"), "{error}");

        let mut text = ToolDescriptor::new("text");
        text.input_schema = json!({"type": "string"}).as_object().unwrap().clone();
        let built = Server::builder().tool(Tool::new(text, Nothing)).build();
        let Err(error @ BuildError::Schema { .. }) = built else {
            panic!("the tool was taken")
        };
        let message = error.to_string();
        assert!(
            message.contains("`text`") && message.contains("inputSchema"),
            "{message}"
        );
    }
}
