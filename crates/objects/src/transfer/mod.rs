//! Moves outputs of tasks and files with a URL into the storage, to use them as inputs. Their bytes
//! do not pass through a page.
//!
//! Every output or URL of a caller has exactly one Durable Object. A transfer runs once, even if it
//! is requested several times, and continues if its caller leaves.

mod keep;
mod object;
mod run;
mod source;
mod state;

pub use object::Transfer;
