mod id;
mod output;
mod registry;
mod task;

pub(crate) use output::{Failure, Output, TaskResult};
pub(crate) use registry::TaskRegistry;
pub(crate) use task::Task;
