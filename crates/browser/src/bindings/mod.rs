//! What JavaScript sees. Each export decodes its arguments, calls the engine and encodes the result. The package's types
//! are beside them.
//!
//! Arguments are bare values, so that one of a wrong type is a `MediagateError` and not an error of the glue. Exports
//! take `&self` and share their state: concurrent calls are the normal case.

mod media;
mod promise;
mod pure;
mod task;
mod types;

pub use media::{Media, connect};
pub use pure::{capabilities, decode_envelope, install, validate};
pub use task::{StreamLease, Task};
