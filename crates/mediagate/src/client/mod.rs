//! The client, its calls and its tasks.

mod call;
mod connect;
mod create;
mod handle;
mod history;
mod inner;
mod methods;
mod task;
mod updates;
mod upload;

pub use call::{Call, CallKind};
pub use connect::Connect;
pub use create::{Create, Estimate, Models};
pub use history::{Forget, HistoryEntry, TaskError, TaskPage, Tasks};
pub use inner::Client;
pub use task::{Done, Refresh, SavedTask, Task};
pub use updates::Updates;
pub use upload::Upload;
