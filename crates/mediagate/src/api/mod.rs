mod call;
mod client;
mod connect;
mod create;
mod history;
mod methods;
mod task;
mod updates;
mod upload;

pub use call::{Call, CallKind, Retry};
pub use client::Client;
pub use connect::Connect;
pub use create::{Capabilities, Create, Estimate, Models};
pub use history::{Forget, HistoryEntry, TaskError, TaskPage, Tasks};
pub use task::{Done, Refresh, SavedTask, Task};
pub use updates::Updates;
pub use upload::Upload;
