use std::{
    io,
    path::Path,
    sync::{Arc, PoisonError, RwLock, atomic::AtomicBool},
    time::Duration,
};

use mediagate_core::{Capability, Code};
use serde_json::Value;
use tokio::sync::Semaphore;

use crate::{
    account::Account,
    command::{CreateCommand, validate_create},
    config::{Config, Results, ResultsSecret},
    http::Refusal,
    media::{Ffmpeg, FfmpegLimits, MediaError, Tools},
    scene::Scene,
    storage::{Files, Objects, RecordStore},
    tasks::TaskRegistry,
};

/// The number of jobs that may run at once. Each uses a whole processor.
pub(super) const MAX_JOBS: usize = 2;

pub(crate) struct App {
    pub(crate) config: Config,
    /// The URL that callers use, without a slash at its end.
    pub(crate) base_url: String,
    pub(crate) initial_scene: Scene,
    account: RwLock<Arc<Account>>,
    pub(crate) files: Files,
    pub(crate) bucket: Objects,
    pub(crate) results_secret: ResultsSecret,
    pub(crate) tasks: TaskRegistry,
    pub(crate) tools: Tools,
    /// True once the emulator is stopping. Every run of ffmpeg then ends.
    pub(super) stopping: Arc<AtomicBool>,
    pub(super) jobs: Arc<Semaphore>,
}

pub(crate) type SharedApp = Arc<App>;

impl App {
    /// Returns the state of an emulator. With `--data`, this loads the tasks and files of an
    /// earlier run. `base_url` has no slash at its end. Fails if the directory or a record cannot
    /// be read or written.
    pub(crate) fn new(
        config: Config,
        scene: Scene,
        base_url: String,
        directory: &Path,
    ) -> io::Result<Self> {
        let records = |kind| RecordStore::new(config.data.is_some().then(|| directory.join(kind)));
        let tasks = TaskRegistry::new(records("tasks")?)?;
        let files = Files::new(directory, records("upload_urls")?)?;
        let bucket = Objects::new(directory.join("bucket"), records("objects")?)?;
        // A process that was killed may have left results that no task names.
        files.retain_outputs(&tasks.output_names())?;
        let stopping = Arc::new(AtomicBool::new(false));
        // The account is not stored. The prices of the loaded tasks are the spent credits.
        let spent = tasks.all().iter().map(|task| task.request.credits).sum();
        Ok(App {
            base_url,
            account: RwLock::new(Arc::new(Account::new(scene.clone(), spent))),
            initial_scene: scene,
            files,
            bucket,
            results_secret: config
                .results_secret
                .clone()
                .unwrap_or_else(ResultsSecret::random),
            tasks,
            tools: tools(&config, directory, stopping.clone())?,
            stopping,
            jobs: Arc::new(Semaphore::new(MAX_JOBS)),
            config,
        })
    }

    pub(crate) fn account(&self) -> Arc<Account> {
        self.account
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// Replaces the scene. Its credits are unspent, and the counters of faults and of the rate
    /// limit start again.
    pub(crate) fn set_scene(&self, scene: Scene) {
        *self.account.write().unwrap_or_else(PoisonError::into_inner) =
            Arc::new(Account::new(scene, 0));
    }

    /// Restores the state at the start: the initial scene, no tasks, no files. The bucket stays as
    /// it is.
    pub(crate) fn reset(&self) -> io::Result<()> {
        self.set_scene(self.initial_scene.clone());
        self.tasks.clear()?;
        self.files.clear()
    }

    /// Validates the body of a create request and charges nothing, see [`validate_create`]. Refuses
    /// with 99 if a check panics.
    pub(crate) async fn validate(
        self: &Arc<Self>,
        capability: &'static Capability,
        body: Value,
    ) -> Result<CreateCommand, Refusal> {
        let app = self.clone();
        // Measuring references blocks.
        let validated = tokio::task::spawn_blocking(move || {
            validate_create(&app.account(), &app.files, &app.tools, capability, &body)
        });
        validated
            .await
            .unwrap_or_else(|_| Err(Refusal::new(Code::SERVER_ERROR)))
    }

    pub(crate) fn expire(&self, after: Duration) {
        let expired = self.tasks.expire(after);
        self.files
            .remove_outputs(expired.iter().map(|output| output.name.as_str()));
    }
}

fn tools(config: &Config, directory: &Path, stopping: Arc<AtomicBool>) -> io::Result<Tools> {
    let scratch = directory.join("work");
    if scratch.exists() {
        // A process that was killed may have left files.
        std::fs::remove_dir_all(&scratch)?;
    }
    std::fs::create_dir(&scratch)?;
    let limits = FfmpegLimits {
        time: config.job_seconds,
        bytes: config.max_output_bytes,
    };
    let ffmpeg = match config.results {
        Results::Drawn => Ffmpeg::locate(config.ffmpeg.as_deref(), limits, scratch, stopping),
        Results::Placeholder => Err(MediaError::new("the results are placeholders")),
    };
    let measures = config.results == Results::Drawn;
    Ok(Tools {
        ffmpeg: ffmpeg.map_err(|missing| missing.to_string().into()),
        seed: config.seed,
        measures,
    })
}
