//! The Model Context Protocol at `/mcp`: the same operations, as tools for agents.
//!
//! There are no sessions: nothing is stored between requests. `version` tells how a request is to be answered, `rpc` reads
//! and writes messages, `tools` describes the tools from the catalogue, and `calls` runs the gateway's own operations. What
//! takes long is followed through its watcher: `progress` reports on the request's stream, and `tasks` is for clients that
//! poll.

mod access;
mod calls;
mod content;
mod follow;
mod progress;
mod response;
mod rpc;
mod server;
mod tasks;
mod tools;
mod version;

pub(crate) use access::{METADATA_PATHS, challenge, protected_resource, refused};
pub(crate) use server::serve;
