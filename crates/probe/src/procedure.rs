//! The procedure of the probe, from its first request to its report.

use serde_json::json;

use super::coroutine::{Channel, Coroutine};
use super::history::History;
use super::report::{Known, Report};
use super::session::{INTERRUPTED, Session, Stop};
use super::step::{Event, Step};
use super::task::path_setting;
use super::{assets, estimate, models, readings, task, upload};
use mediagate_core::{Group, find};

/// The prompt of the generation task.
const PROMPT: &str = "A lighthouse at dusk, seen from the sea";
/// The capabilities of the tasks that the probe creates: one of each group.
pub const CREATED: [&str; 2] = [GENERATION, PROCESSING];
const GENERATION: &str = "text_to_image_turbo";
const PROCESSING: &str = "background_removal";

/// A probe of one service.
pub struct Probe(Coroutine);

impl Probe {
    /// Creates a probe of the media service at a base URL. The caller has checked the URL: https,
    /// or http on this machine. The probe tries the known settings first.
    pub fn new(base_url: &str, known: Known) -> Self {
        let base_url = String::from(base_url);
        Probe(Coroutine::new(move |channel| run(channel, base_url, known)))
    }

    /// Passes an event to the probe, [`Event::Continued`] at first. Returns the next step.
    pub fn advance(&mut self, event: Event) -> Step {
        self.0.advance(event)
    }
}

async fn run(channel: Channel, base_url: String, known: Known) -> Report {
    let mut report = Report::new(&known);
    let session = Session::new(channel, &base_url, known);
    report.stopped = all(&session, &mut report).await.err();
    if report.stopped.is_none() && session.is_interrupted() {
        report.stopped = Some(INTERRUPTED.into());
    }
    report.check(&session.known);
    // An empty path switches the feature off: with a wrong path, each of its requests would fail. A
    // known path stays, because its failure may be temporary.
    for setting in [models::SETTING, estimate::SETTING] {
        if report.stopped.is_none()
            && report.lacks(setting)
            && session.known.path(setting).is_none()
        {
            report.set(setting, "");
        }
    }
    report
}

async fn all(session: &Session, report: &mut Report) -> Result<(), Stop> {
    // The upload comes first: its path is documented, so a wrong key or address shows at once.
    let file_id = upload::find(session, report).await?;
    models::find(session, report).await;
    estimate::find(session, report, file_id.as_deref()).await?;
    let mut histories: Vec<History> = Vec::new();
    let processing = file_id.map(|file_id| json!({ "file_id": file_id }));
    for (name, input) in [
        (GENERATION, Some(json!({ "prompt": PROMPT }))),
        (PROCESSING, processing),
    ] {
        match (find(name), input) {
            (Some(capability), Some(input)) => {
                task::follow(session, report, &mut histories, capability, input).await
            }
            _ => {
                let why = "no file could be uploaded, so that no processing task was created";
                report.untried(path_setting(Group::Process), why);
            }
        }
    }
    readings::add(report, &histories, &session.known);
    assets::find(session, report, &histories).await;
    Ok(())
}
