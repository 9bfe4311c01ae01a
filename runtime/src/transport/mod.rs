//! How messages travel: standard streams and streamable HTTP.
