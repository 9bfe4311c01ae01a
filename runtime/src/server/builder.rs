//! The description of a server, checked as a whole by [`ServerBuilder::build`].

use std::{any::Any, sync::Arc, time::Duration};

use crate::{JsonObject, tool::Tool};

use super::{Fallback, Inner, Limits, Server};

/// Who may keep a cached answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum CacheScope {
    /// Anyone: the answer is the same for all.
    #[default]
    Public,
    /// Only caches of the same caller.
    Private,
}

/// Why a server could not be built.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BuildError {
    /// Two tools have one name.
    #[error("two tools are called `{0}`; give one of them another name")]
    DuplicateTool(String),
    /// A tool's schema cannot be served.
    #[error("tool `{tool}`: {reason}")]
    Tool {
        /// The tool's name.
        tool: String,
        /// What is wrong.
        reason: String,
    },
    /// The operating system gave no random bytes for the key.
    #[error("no random bytes from the operating system: {0}; set a key with `ServerBuilder::key`")]
    Random(String),
}

/// What the builder collects.
#[derive(Default)]
pub(crate) struct Config {
    pub(crate) name: String,
    pub(crate) version: String,
    pub(crate) title: Option<String>,
    pub(crate) instructions: Option<String>,
    pub(crate) tools: Vec<Tool>,
    pub(crate) limits: Limits,
    pub(crate) key: Option<[u8; 32]>,
    pub(crate) capabilities: JsonObject,
    pub(crate) fallback: Option<Arc<dyn Fallback>>,
    pub(crate) strict_task_headers: bool,
    pub(crate) allowed_hosts: Vec<String>,
    pub(crate) allowed_origins: Vec<String>,
    pub(crate) cache_ttl: Duration,
    pub(crate) cache_scope: CacheScope,
    pub(crate) legacy: Option<bool>,
}

/// Describes a server. Start with [`Server::builder`].
#[derive(Default)]
pub struct ServerBuilder {
    config: Config,
}

impl ServerBuilder {
    /// The server's name, for logs and user interfaces.
    #[must_use]
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.config.name = name.into();
        self
    }

    /// The server's version.
    #[must_use]
    pub fn version(mut self, version: impl Into<String>) -> Self {
        self.config.version = version.into();
        self
    }

    /// The server's name for people.
    #[must_use]
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.config.title = Some(title.into());
        self
    }

    /// What a model should know to use the tools well.
    #[must_use]
    pub fn instructions(mut self, text: impl Into<String>) -> Self {
        self.config.instructions = Some(text.into());
        self
    }

    /// Adds a tool.
    #[must_use]
    pub fn tool(mut self, tool: impl Into<Tool>) -> Self {
        self.config.tools.push(tool.into());
        self
    }

    /// Adds several tools.
    #[must_use]
    pub fn tools<T: Into<Tool>>(mut self, tools: impl IntoIterator<Item = T>) -> Self {
        self.config.tools.extend(tools.into_iter().map(Into::into));
        self
    }

    /// Adds a value that tools take with `State<T>`; one for each type.
    #[must_use]
    pub fn state<T: Any + Send + Sync>(self, value: T) -> Self {
        drop(value);
        self
    }

    /// How much the server takes on.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.config.limits = limits;
        self
    }

    /// The secret that protects `requestState`. Servers behind one balancer need the same; random if not set.
    #[must_use]
    pub fn key(mut self, key: [u8; 32]) -> Self {
        self.config.key = Some(key);
        self
    }

    /// Declares a capability that the [`fallback`](Self::fallback) serves, such as `prompts`.
    #[must_use]
    pub fn capability(mut self, name: impl Into<String>, settings: serde_json::Value) -> Self {
        self.config.capabilities.insert(name.into(), settings);
        self
    }

    /// Answers methods that are not of tools, tasks or the lifecycle.
    #[must_use]
    pub fn fallback(mut self, fallback: impl Fallback) -> Self {
        self.config.fallback = Some(Arc::new(fallback));
        self
    }

    /// Refuses modern `tasks/*` requests over HTTP that lack `Mcp-Name`. Off by default, because a client in wide use
    /// leaves it out.
    #[must_use]
    pub fn strict_task_headers(mut self, strict: bool) -> Self {
        self.config.strict_task_headers = strict;
        self
    }

    /// Further `Host` values to answer to (`example.com`, `example.com:8443`, or `*` for any). Loopback names are
    /// always allowed.
    #[must_use]
    pub fn allow_host(mut self, host: impl Into<String>) -> Self {
        self.config.allowed_hosts.push(host.into());
        self
    }

    /// Further `Origin` values to answer to (`https://example.com`, or `*` for any). Loopback origins are always
    /// allowed.
    #[must_use]
    pub fn allow_origin(mut self, origin: impl Into<String>) -> Self {
        self.config.allowed_origins.push(origin.into());
        self
    }

    /// How long, and by whom, the tool list and the discovery result may be cached. Not at all by default.
    #[must_use]
    pub fn cache(mut self, ttl: Duration, scope: CacheScope) -> Self {
        self.config.cache_ttl = ttl;
        self.config.cache_scope = scope;
        self
    }

    /// Whether clients of 2025-11-25 and before are served. They are by default.
    #[must_use]
    pub fn legacy(mut self, serve: bool) -> Self {
        self.config.legacy = Some(serve);
        self
    }

    /// Checks the description and makes the server.
    ///
    /// # Errors
    /// See [`BuildError`].
    pub fn build(self) -> Result<Server, BuildError> {
        Ok(Server {
            inner: Arc::new(Inner {
                config: self.config,
            }),
        })
    }
}
