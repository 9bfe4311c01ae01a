//! How messages travel: lines on byte streams, and streamable HTTP.

#[cfg(feature = "http")]
mod http;
mod stream;

#[cfg(feature = "http")]
pub use self::http::McpService;
#[cfg(feature = "http")]
pub(crate) use self::http::Sessions;
