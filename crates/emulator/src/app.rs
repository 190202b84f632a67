//! Everything that requests share.

use std::{
    io,
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
};

use tokio::sync::Semaphore;

use crate::{
    account::Account,
    checks::Order,
    config::Config,
    directive::Directive,
    files::Files,
    jobs::{self, Product, Tools},
    media::ffmpeg::{Ffmpeg, Limits},
    models::{self, Model},
    tasks::{Outcome, Output, Task, Tasks},
};

/// Jobs that run at the same time: they take whole processors.
const JOBS: usize = 2;

/// The emulator's state.
pub(crate) struct App {
    pub(crate) config: Config,
    /// Where callers reach this server, without a slash at its end.
    pub(crate) base_url: String,
    pub(crate) account: Account,
    pub(crate) models: Vec<Model>,
    pub(crate) files: Files,
    pub(crate) tasks: Tasks,
    pub(crate) tools: Tools,
    /// Tells whatever runs to end.
    stopping: Arc<AtomicBool>,
    jobs: Arc<Semaphore>,
}

/// The state, as handlers hold it.
pub(crate) type Shared = Arc<App>;

impl App {
    /// State whose files are in an empty directory.
    pub(crate) fn new(config: Config, base_url: String, directory: &Path) -> io::Result<Self> {
        let stopping = Arc::new(AtomicBool::new(false));
        Ok(App {
            base_url,
            account: Account::new(&config),
            models: models::catalogue(&config),
            files: Files::new(directory)?,
            tasks: Tasks::default(),
            tools: tools(&config, directory, stopping.clone())?,
            stopping,
            jobs: Arc::new(Semaphore::new(JOBS)),
            config,
        })
    }

    /// Creates the task of an order and begins its work.
    pub(crate) fn start(self: &Arc<Self>, order: Order, directive: Directive) -> Arc<Task> {
        let task = self.tasks.add(Task::new(&order, directive, self.config.task_seconds));
        if task.wished_end().is_none() {
            let (app, task) = (self.clone(), task.clone());
            tokio::spawn(async move { task.finish(app.work(order).await) });
        }
        task
    }

    /// Does the work of an order, whatever its media are; a job that panics is a job that failed.
    pub(crate) async fn work(self: &Arc<Self>, order: Order) -> Outcome {
        let permit = self.jobs.clone().acquire_owned().await;
        if self.stopping.load(Relaxed) {
            return Err("the emulator was stopped".into());
        }
        let app = self.clone();
        let job = tokio::task::spawn_blocking(move || {
            // Held by the work itself, which goes on where nobody waits for it any more.
            let _permit = permit;
            let products = jobs::run(&order, &app.tools).map_err(|it| it.to_string())?;
            products.into_iter().map(|it| app.publish(it)).collect()
        });
        job.await.unwrap_or_else(|_| Err("the media could not be processed".into()))
    }

    /// Ends what runs, and waits until it has left its files alone.
    pub(crate) async fn settle(&self) {
        self.stopping.store(true, Relaxed);
        // The semaphore is never closed.
        let _ = self.jobs.acquire_many(JOBS as u32).await;
    }

    fn publish(&self, product: Product) -> Result<Output, String> {
        let Product { bytes, content, note } = product;
        let name = self.files.publish(&bytes, content.extension);
        let name = name.map_err(|_| "there is no room for the result".to_owned())?;
        let url = format!("{}/files/{name}", self.base_url);
        Ok(Output { url, mime: content.mime, size: bytes.len(), note })
    }
}

fn tools(config: &Config, directory: &Path, stopping: Arc<AtomicBool>) -> io::Result<Tools> {
    let scratch = directory.join("work");
    std::fs::create_dir(&scratch)?;
    let limits = Limits { time: config.job_seconds, bytes: config.max_output_bytes };
    let ffmpeg = Ffmpeg::find(config.ffmpeg.as_deref(), limits, scratch, stopping);
    Ok(Tools { ffmpeg: ffmpeg.map_err(|missing| missing.to_string().into()), seed: config.seed })
}
