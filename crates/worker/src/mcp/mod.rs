//! The Model Context Protocol at `/mcp`: the gateway's operations as tools for agents.
//!
//! There are no sessions: nothing is stored between requests. `version` determines a request's
//! protocol version, `rpc` reads and writes messages, `tools` describes the tools from the
//! catalogue, with schemas of `mediagate-openapi`, and `calls` runs the gateway's own
//! operations, after `urls` has moved the files that a call names by their URL. A long-running task
//! is followed through its watcher: `progress` reports on the request's stream, and `tasks` serves
//! clients that poll. A pipeline runs at the gateway: `pipelines` starts one, and reads it again
//! until it has ended.

mod access;
mod arguments;
mod calls;
mod content;
mod pipelines;
mod progress;
mod rpc;
mod server;
mod subscription;
mod tasks;
mod tool_schemas;
mod tool_texts;
mod tools;
mod urls;
mod version;

pub(crate) use access::{challenge, refused, token_source};
pub(crate) use server::serve;
