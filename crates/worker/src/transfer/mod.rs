//! Moves outputs of tasks, and files that have a URL, into the storage, so that they are inputs,
//! and no byte passes through a page.
//!
//! Every output or URL of a caller's has a Durable Object, of which there is exactly one instance:
//! however often the transfer is requested, it runs once, and goes on when its caller has left.

mod keep;
mod object;
mod run;
mod source;
mod stored_state;

pub use object::Transfer;
