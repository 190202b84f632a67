//! Moves outputs of tasks into the storage, so that they are inputs again, and no byte passes through a page.
//!
//! Every output of an owner's has a Durable Object, of which there is exactly one instance: however often the transfer is
//! requested, it runs once, and goes on when its caller has left.

mod object;
mod run;
mod source;
mod stored_state;

pub use object::Transfer;
