//! The client, its calls and its tasks.

mod call;
mod connect;
mod create;
mod handle;
mod inner;
mod methods;
mod task;
mod updates;
mod upload;

pub use call::{Call, CallKind};
pub use connect::Connect;
pub use create::{Create, Estimate, Models};
pub use inner::Client;
pub use task::{Done, Refresh, SavedTask, Task};
pub use updates::Updates;
pub use upload::Upload;
