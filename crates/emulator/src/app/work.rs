use std::{
    io,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
    time::{Duration, Instant},
};

use serde_json::Value;

use super::state::{App, MAX_JOBS};
use crate::{
    command::CreateCommand,
    config::Results,
    faults::Directive,
    jobs::{self, Product},
    media::MediaError,
    tasks::{Failure, Output, Task, TaskResult},
};

impl App {
    pub(crate) fn start(
        self: &Arc<Self>,
        command: CreateCommand,
        directive: Directive,
    ) -> io::Result<Arc<Task>> {
        let duration = self.account().scene.task_seconds.0;
        let task = self.tasks.add(Task::new(&command, directive, duration))?;
        if task.needs_work() {
            let app = self.clone();
            let task = task.clone();
            tokio::spawn(async move { app.finish(&task, app.work(command).await) });
        }
        Ok(task)
    }

    /// Repeats the work of every task that a restart interrupted.
    pub(crate) fn resume(self: &Arc<Self>) {
        for task in self
            .tasks
            .all()
            .into_iter()
            .filter(|task| task.needs_work())
        {
            let app = self.clone();
            tokio::spawn(async move {
                let capability = app.config.capability(&task.request.capability);
                let body = Value::Object(task.request.input.clone());
                // The record has only the body. Files and models are looked up again, as the scene
                // may have changed since the create.
                let command = match capability {
                    Some(capability) => app.validate(capability, body).await.ok(),
                    None => None,
                };
                let result = match command {
                    Some(command) => app.work(command).await,
                    None => Err(Failure::from(MediaError::new(
                        "the emulator was restarted, and the request is no longer valid",
                    ))),
                };
                app.finish(&task, result);
            });
        }
    }

    fn finish(&self, task: &Task, result: TaskResult) {
        if self.stopping.load(Relaxed) {
            // The task stays unfinished, so that a restart repeats its work.
            return;
        }
        let names: Vec<String> = result
            .iter()
            .flatten()
            .map(|output| output.name.clone())
            .collect();
        if !self.tasks.finish(task, result) {
            self.files.remove_outputs(names.iter().map(String::as_str));
        }
    }

    /// Does the work of a command and stores its results. At most [`MAX_JOBS`] run at a time. A job
    /// that panics, exceeds its time or is interrupted by the end of the emulator fails.
    pub(crate) async fn work(self: &Arc<Self>, command: CreateCommand) -> TaskResult {
        let permit = self.jobs.clone().acquire_owned().await;
        if self.stopping.load(Relaxed) {
            return Err(Failure::from(MediaError::new("the emulator was stopped")));
        }
        // Videos are processed by ffmpeg, whose runs have a limit of their own and can be killed.
        let limit = (command.capability.medium() != "video").then_some(self.config.job_seconds);
        let app = self.clone();
        // Job and timeout may end at once. The first that sets this flag decides the result.
        let decided = Arc::new(AtomicBool::new(false));
        let job_decided = decided.clone();
        let mut job = tokio::task::spawn_blocking(move || {
            // Held by the job, as it cannot be cancelled and continues after a timeout.
            let _permit = permit;
            let started = Instant::now();
            let products = match app.config.results {
                Results::Drawn => jobs::run(&command, &app.tools),
                Results::Placeholder => jobs::placeholder(&command),
            };
            let products = products.map_err(Failure::from)?;
            // The timeout cannot stop the job, so results that come after it are dropped here.
            if let Some(limit) = limit.filter(|limit| started.elapsed() > *limit) {
                return Err(Failure::from(MediaError::Timeout(limit)));
            }
            if job_decided.swap(true, Relaxed) {
                // The task has failed already. Results that are stored now would never be removed.
                return Ok(Vec::new());
            }
            products
                .into_iter()
                .map(|product| app.publish(product).map_err(Failure::from))
                .collect()
        });
        let joined = match limit {
            Some(limit) => match tokio::time::timeout(limit, &mut job).await {
                Ok(joined) => joined,
                // The job decided first, so its result is nearly ready.
                Err(_) if decided.swap(true, Relaxed) => job.await,
                Err(_) => return Err(Failure::from(MediaError::Timeout(limit))),
            },
            None => job.await,
        };
        joined.unwrap_or_else(|_| Err(Failure::from(MediaError::Panicked)))
    }

    /// Ends all work and waits until no job uses files any more. The wait is 5 seconds at most,
    /// because only runs of ffmpeg can be killed.
    pub(crate) async fn shut_down(&self) {
        const MAX_WAIT: Duration = Duration::from_secs(5);
        self.stopping.store(true, Relaxed);
        if tokio::time::timeout(MAX_WAIT, self.jobs.acquire_many(MAX_JOBS as u32))
            .await
            .is_err()
        {
            tracing::warn!("a job did not end in time; its files may be left in the directory");
        }
    }

    fn publish(&self, product: Product) -> Result<Output, MediaError> {
        let Product {
            bytes,
            content,
            note,
        } = product;
        let name = self.files.add_output(&bytes, content.extension);
        let name = name.map_err(|_| MediaError::new("there is no room for the result"))?;
        Ok(Output {
            name,
            mime: content.mime.into(),
            size: bytes.len(),
            note,
        })
    }
}
