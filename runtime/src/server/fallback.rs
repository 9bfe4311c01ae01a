//! Methods that are not ours: resources, prompts, completion and the like.

use std::future::Future;

use crate::{BoxFuture, JsonObject, task::Principal};

use super::RpcError;

/// The two ways of the protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Era {
    /// Sessions opened by `initialize`: revisions up to 2025-11-25.
    Legacy,
    /// Each request stands alone: revision 2026-07-28.
    Modern,
}

/// A request for a method that this library does not serve.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct FallbackRequest {
    /// The method.
    pub method: String,
    /// The params, `_meta` included.
    pub params: JsonObject,
    /// Which way the client speaks. In the modern era `resultType`, caching hints and `serverInfo` are added for you
    /// where the result lacks them; the hints then say that nobody may keep it (`ttlMs` 0, `cacheScope` private).
    pub era: Era,
    /// Who is asking.
    pub principal: Option<Principal>,
    /// What the client declared that it can do. A session keeps up to 4 KiB of it; of more it keeps only what can be asked
    /// of the client (`elicitation`, `sampling`, `roots`).
    pub client_capabilities: JsonObject,
}

/// Answers methods that are not ours. Implemented by `async fn(FallbackRequest) -> Result<JsonObject, RpcError>`.
///
/// Give [`RpcError::method_not_found`] for what you do not know either. Methods of tools, tasks and the lifecycle never
/// get here.
pub trait Fallback: Send + Sync + 'static {
    /// Answers one request.
    fn call(&self, request: FallbackRequest) -> BoxFuture<'static, Result<JsonObject, RpcError>>;
}

impl<F, Fut> Fallback for F
where
    F: Fn(FallbackRequest) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<JsonObject, RpcError>> + Send + 'static,
{
    fn call(&self, request: FallbackRequest) -> BoxFuture<'static, Result<JsonObject, RpcError>> {
        Box::pin(self(request))
    }
}
