//! How messages travel: lines on byte streams, and streamable HTTP.

#[cfg(feature = "http")]
mod http;
#[cfg(all(test, feature = "http"))]
mod kit;
mod stream;

#[cfg(feature = "http")]
pub use self::http::McpService;
#[cfg(feature = "http")]
pub(crate) use self::http::Sessions;
