//! Everything that requests share.

use std::{
    io,
    path::Path,
    sync::{
        Arc, PoisonError, RwLock,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
    time::{Duration, Instant},
};

use mediagate_core::find;
use serde_json::Value;
use tokio::sync::Semaphore;

use crate::{
    account::Account,
    checks::{self, Order},
    config::Config,
    faults::Directive,
    files::Files,
    jobs::{self, Product, Tools},
    media::{
        Failure,
        ffmpeg::{Ffmpeg, Limits},
    },
    scene::Scene,
    store::Store,
    tasks::{Outcome, Output, Task, Tasks},
};

/// Jobs that run at the same time: they take whole processors.
const JOBS: usize = 2;

/// The emulator's state.
pub(crate) struct App {
    pub(crate) config: Config,
    /// Where callers reach this server, without a slash at its end.
    pub(crate) base_url: String,
    /// The scene at the start.
    pub(crate) start: Scene,
    account: RwLock<Arc<Account>>,
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
    /// State whose files are in this directory; what is there is taken up again where it is to survive a restart.
    pub(crate) fn new(config: Config, start: Scene, base_url: String, directory: &Path) -> io::Result<Self> {
        let records = |kind| Store::new(config.data.is_some().then(|| directory.join(kind)));
        let tasks = Tasks::new(records("tasks")?)?;
        let files = Files::new(directory, records("upload_urls")?)?;
        files.keep_outputs(&tasks.output_names())?;
        let stopping = Arc::new(AtomicBool::new(false));
        let spent = tasks.all().iter().map(|it| it.beginning.credits).sum();
        Ok(App {
            base_url,
            account: RwLock::new(Arc::new(Account::new(start.clone(), spent))),
            start,
            files,
            tasks,
            tools: tools(&config, directory, stopping.clone())?,
            stopping,
            jobs: Arc::new(Semaphore::new(JOBS)),
            config,
        })
    }

    /// The account as it is now.
    pub(crate) fn account(&self) -> Arc<Account> {
        self.account.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Gives the account another scene: nothing of it is spent, and no fault has struck yet.
    pub(crate) fn set_scene(&self, scene: Scene) {
        *self.account.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(Account::new(scene, 0));
    }

    /// Makes everything as it was at the start: the scene, no tasks, no files.
    pub(crate) fn reset(&self) -> io::Result<()> {
        self.set_scene(self.start.clone());
        self.tasks.clear()?;
        self.files.clear()
    }

    /// Creates the task of an order and begins its work.
    pub(crate) fn start(self: &Arc<Self>, order: Order, directive: Directive) -> io::Result<Arc<Task>> {
        let lasts = self.account().scene.task_seconds.0;
        let task = self.tasks.add(Task::new(&order, directive, lasts))?;
        if task.is_open() {
            let (app, task) = (self.clone(), task.clone());
            tokio::spawn(async move { app.finish(&task, app.work(order).await) });
        }
        Ok(task)
    }

    /// Begins the work again of every task that a restart interrupted.
    pub(crate) fn resume(self: &Arc<Self>) {
        for task in self.tasks.all().into_iter().filter(|it| it.is_open()) {
            let app = self.clone();
            tokio::spawn(async move {
                let capability = find(&task.beginning.capability);
                let body = Value::Object(task.beginning.input.clone());
                let order = match capability {
                    Some(capability) => checks::order(&app, capability, body).await.ok(),
                    None => None,
                };
                let outcome = match order {
                    Some(order) => app.work(order).await,
                    None => Err("the emulator was restarted, and the request is no longer valid".into()),
                };
                app.finish(&task, outcome);
            });
        }
    }

    fn finish(&self, task: &Task, outcome: Outcome) {
        if self.stopping.load(Relaxed) {
            return; // with what a restart may do better
        }
        let names: Vec<String> = outcome.iter().flatten().map(|it| it.name.clone()).collect();
        if !self.tasks.finish(task, outcome) {
            self.files.drop_outputs(names.iter().map(String::as_str));
        }
    }

    /// Ends the time of tasks that ended this long ago, and drops their results.
    pub(crate) fn expire(&self, after: Duration) {
        let expired = self.tasks.expire(after);
        self.files.drop_outputs(expired.iter().map(|it| it.name.as_str()));
    }

    /// Does the work of an order, whatever its media are; a job that panics is a job that failed.
    pub(crate) async fn work(self: &Arc<Self>, order: Order) -> Outcome {
        let permit = self.jobs.clone().acquire_owned().await;
        if self.stopping.load(Relaxed) {
            return Err("the emulator was stopped".into());
        }
        // ffmpeg, which videos go through, has a limit for each of its runs, and can be ended.
        let limit = (order.capability.medium() != "video").then_some(self.config.job_seconds);
        let app = self.clone();
        // Set by whoever is first: the work when it is done, or who has waited long enough.
        let over = Arc::new(AtomicBool::new(false));
        let done = over.clone();
        let mut job = tokio::task::spawn_blocking(move || {
            // Held by the work itself, which goes on where nobody waits for it any more.
            let _permit = permit;
            let started = Instant::now();
            let products = jobs::run(&order, &app.tools).map_err(|it| it.to_string())?;
            if let Some(limit) = limit.filter(|it| started.elapsed() > *it) {
                return Err(Failure::too_long(limit).to_string());
            }
            if done.swap(true, Relaxed) {
                return Ok(Vec::new()); // nobody would ever drop these results
            }
            products.into_iter().map(|it| app.publish(it)).collect()
        });
        let ended = match limit {
            Some(limit) => match tokio::time::timeout(limit, &mut job).await {
                Ok(ended) => ended,
                Err(_) if over.swap(true, Relaxed) => job.await,
                Err(_) => return Err(Failure::too_long(limit).to_string()),
            },
            None => job.await,
        };
        ended.unwrap_or_else(|_| Err("the media could not be processed".into()))
    }

    /// Ends what runs, and waits until it has left its files alone; not for ever, as only ffmpeg can be ended.
    pub(crate) async fn settle(&self) {
        const PATIENCE: Duration = Duration::from_secs(5);
        self.stopping.store(true, Relaxed);
        if tokio::time::timeout(PATIENCE, self.jobs.acquire_many(JOBS as u32)).await.is_err() {
            tracing::warn!("a job did not end in time");
        }
    }

    fn publish(&self, product: Product) -> Result<Output, String> {
        let Product { bytes, content, note } = product;
        let name = self.files.publish(&bytes, content.extension);
        let name = name.map_err(|_| "there is no room for the result".to_owned())?;
        Ok(Output { name, mime: content.mime.into(), size: bytes.len(), note })
    }
}

fn tools(config: &Config, directory: &Path, stopping: Arc<AtomicBool>) -> io::Result<Tools> {
    let scratch = directory.join("work");
    if scratch.exists() {
        std::fs::remove_dir_all(&scratch)?; // what a process that was killed left behind
    }
    std::fs::create_dir(&scratch)?;
    let limits = Limits { time: config.job_seconds, bytes: config.max_output_bytes };
    let ffmpeg = Ffmpeg::find(config.ffmpeg.as_deref(), limits, scratch, stopping);
    Ok(Tools { ffmpeg: ffmpeg.map_err(|missing| missing.to_string().into()), seed: config.seed })
}
