use std::{
    collections::{HashMap, HashSet},
    io,
    sync::{Arc, Mutex, atomic::Ordering::Relaxed},
    time::Duration,
};

use super::{
    output::{Output, TaskResult},
    task::{Task, TaskRecord, TaskRequest},
};
use crate::{storage::RecordStore, sync::lock};

/// All tasks by id. With a record store, they survive a restart.
pub(crate) struct TaskRegistry {
    tasks: Mutex<HashMap<String, Arc<Task>>>,
    records: RecordStore,
}

impl TaskRegistry {
    pub(crate) fn new(records: RecordStore) -> io::Result<Self> {
        let loaded = records
            .load::<TaskRecord<TaskRequest, TaskResult>>()?
            .into_iter()
            .map(Task::from);
        let tasks = loaded
            .map(|task| (task.request.id.text(), Arc::new(task)))
            .collect();
        Ok(TaskRegistry {
            tasks: Mutex::new(tasks),
            records,
        })
    }

    /// Adds a task. A task whose record cannot be written is not added.
    pub(crate) fn add(&self, task: Task) -> io::Result<Arc<Task>> {
        // Written first: no caller may have the id of a task that a restart would lose.
        self.write(&task)?;
        let task = Arc::new(task);
        lock(&self.tasks).insert(task.request.id.text(), task.clone());
        Ok(task)
    }

    /// Sets the result of a task, and ignores any later result. Returns false if a reset has
    /// removed the task.
    pub(crate) fn finish(&self, task: &Task, result: TaskResult) -> bool {
        let exists = lock(&self.tasks).contains_key(&task.request.id.text());
        // Fails if there is a result already, which then stays.
        let _ = task.result.set(result);
        if exists && let Err(error) = self.write(task) {
            tracing::error!(%error, "the record of a task cannot be written");
        }
        exists
    }

    fn write(&self, task: &Task) -> io::Result<()> {
        let record = TaskRecord {
            request: &task.request,
            result: task.result.get(),
        };
        self.records.put(&task.request.id.text(), &record)
    }

    /// Returns the task with this id, if one of these capabilities created it.
    pub(crate) fn find(&self, id: &str, capabilities: &[&str]) -> Option<Arc<Task>> {
        let task = lock(&self.tasks).get(id).cloned()?;
        capabilities
            .contains(&task.request.capability.as_str())
            .then_some(task)
    }

    pub(crate) fn output_names(&self) -> HashSet<String> {
        let tasks = self.all();
        let results = tasks.iter().filter_map(|task| task.result.get());
        results
            .flatten()
            .flatten()
            .map(|output| output.name.clone())
            .collect()
    }

    /// Returns every task, in no order.
    pub(crate) fn all(&self) -> Vec<Arc<Task>> {
        lock(&self.tasks).values().cloned().collect()
    }

    /// Expires successful tasks that ended at least `after` ago, and returns their results.
    pub(crate) fn expire(&self, after: Duration) -> Vec<Output> {
        let tasks = self.all();
        let mut expired = Vec::new();
        for task in tasks.iter().filter(|task| task.ended_before(after)) {
            let Some(Ok(outputs)) = task.result.get() else {
                continue; // a failed task has nothing to remove, and keeps its message
            };
            // Parallel requests expire a task only once.
            if !task.expired.swap(true, Relaxed) {
                expired.extend_from_slice(outputs);
            }
        }
        expired
    }

    pub(crate) fn clear(&self) -> io::Result<()> {
        lock(&self.tasks).clear();
        self.records.clear()
    }
}
