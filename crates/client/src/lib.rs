//! The engine of Mediagate's client: sessions, calls with retries, creates, uploads, and tasks and
//! pipelines that are followed. It is pure:
//! no I/O, no clock, no randomness, no futures.
//!
//! An [`Engine`] learns what happened by its methods, and starts what is next through its [`Platform`]. What it keeps is in
//! tables; each module of `state` has one kind of it, with the stages that it goes through. The module of [`engine`] with
//! the same subject has the events that move it from one stage to the next.
//!
//! | Modules | What is kept | Ends with |
//! |---|---|---|
//! | `pending`, `promise` | what a caller waits for, within the caller's limits | the promise, settled |
//! | `gateway`, `session` | a gateway, and the token for it | a token, for the calls that wait |
//! | `call` | one request with its retries | a value or an error, for its owner |
//! | `create` | an input that is not ready | a call |
//! | `upload`, `transfer` | a file, or a result of a task, on its way to the storage | its id, for the promises that wait |
//! | `task`, `pipeline`, `follow`, `stream` | a task or a pipeline of the caller's, and how its changes are waited for | a new snapshot, for its subscribers |

#![no_std]

extern crate alloc;

pub mod engine;
pub mod error;
pub mod input;
pub mod platform;
pub mod rejection;
pub mod response;
mod state;
mod table;

pub use engine::Engine;
pub use error::Error;
pub use platform::{Block, Body, Id, Platform, Request, Response, Snapshot, Wake};
pub use state::gateway::Source;
