//! What JavaScript sees: each export decodes, calls and encodes. The types of the package stand beside them.
//!
//! Arguments arrive as bare values, so that a wrong one is an error of ours and not the glue's. Exports take `&self`
//! and share what they need: concurrent calls are the normal case.

mod media;
mod pure;
mod task;
mod types;

pub use media::{Media, connect};
pub use pure::{capabilities, decode_envelope, install, validate};
pub use task::Task;
