use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;
use std::time::Duration;

use futures_util::future::{LocalBoxFuture, Shared};
use futures_util::lock::Mutex;
use mediagate_access::refusal::Refusal;
use mediagate_messages::ledger::CreateResponse;
use mediagate_platform::storage::Storage;
use mediagate_platform::{read_message, timestamp_ms};
use mediagate_upstream_client::Upstream;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;
use web_sys::{Request, Response};
use worker::Env;
use worker::worker_sys::DurableObjectState;

use super::history::History;
use super::known::Known;
use super::media::Media;
use super::pipelines::Pipelines;
use super::policy::LedgerPolicy;
use super::results::Results;
use super::sqlite::{MIGRATIONS, Sqlite, is_empty};
use super::store::RETENTION_MS;

/// A ledger. The Worker exports this class, and binds it as `LEDGER`.
///
/// The macro `durable_object` would generate these methods over the worker crate's own requests and
/// responses. They cost each create a dozen more crossings between wasm and JavaScript.
#[wasm_bindgen]
pub struct Ledger(Rc<Inner>);

pub(super) struct Inner {
    pub(super) env: Env,
    pub(super) storage: Rc<Storage>,
    pub(super) policy: LedgerPolicy<Sqlite>,
    pub(super) history: History,
    pub(super) pipelines: Pipelines,
    pub(super) known: Known,
    pub(super) media: Media,
    pub(super) results: Results,
    /// The reads of records whose media are to be stored, by the keys of their tasks.
    pub(super) record_reads: RefCell<HashMap<String, SharedRead>>,
    /// Allows one read at a time, since a record with media may occupy much memory.
    pub(super) record_turn: Mutex<()>,
    /// The creates that are being submitted, by key.
    pub(super) in_progress: RefCell<HashMap<String, SharedResponse>>,
    /// True if an alarm is certainly set.
    has_alarm: Cell<bool>,
}

pub(super) type SharedResponse = Shared<LocalBoxFuture<'static, CreateResponse>>;

pub(super) type SharedRead = Shared<LocalBoxFuture<'static, Result<(), Refusal>>>;

/// The shortest time between two removals.
const MIN_PRUNE_INTERVAL_MS: i64 = 10 * 60 * 1000;

#[wasm_bindgen]
impl Ledger {
    #[wasm_bindgen(constructor)]
    pub fn new(state: DurableObjectState, env: Env) -> Self {
        let storage = Rc::new(Storage::new(state, MIGRATIONS));
        Ledger(Rc::new(Inner {
            env,
            policy: LedgerPolicy::new(Sqlite(Rc::clone(&storage))),
            history: History(Rc::clone(&storage)),
            pipelines: Pipelines(Rc::clone(&storage)),
            known: Known(Rc::clone(&storage)),
            media: Media(Rc::clone(&storage)),
            results: Results(Rc::clone(&storage)),
            storage,
            record_reads: RefCell::default(),
            record_turn: Mutex::default(),
            in_progress: RefCell::default(),
            has_alarm: Cell::new(false),
        }))
    }

    pub async fn fetch(&self, request: Request) -> Result<Response, JsValue> {
        let message = read_message(&request).await?;
        Ok(Rc::clone(&self.0).handle(message).await?)
    }

    /// Removes all that is too old, and deletes the object if nothing is left. If a removal fails,
    /// the alarm is set for the next day.
    pub async fn alarm(&self) -> Result<(), JsValue> {
        let now = timestamp_ms();
        let next = self.0.prune(now);
        self.0.has_alarm.set(false);
        let after = match next {
            Ok(None) => return Ok(self.0.storage.delete_all().await?),
            Ok(Some(at)) => (at - now).max(MIN_PRUNE_INTERVAL_MS),
            Err(_) => RETENTION_MS,
        };
        Ok(self.0.set_alarm(after).await?)
    }
}

impl Inner {
    /// Returns the time of the next removal, or `None` if nothing is left.
    fn prune(&self, now: i64) -> worker::Result<Option<i64>> {
        let next_create = self.policy.prune(now)?;
        let tomorrow = now + RETENTION_MS;
        // The settings have the lifetime of the history. Without them, none of it is removed.
        let Ok(upstream) = Upstream::shared(&self.env) else {
            return Ok(Some(next_create.unwrap_or(tomorrow)));
        };
        let settings = &upstream.settings;
        let history_ms = i64::from(settings.history_days) * RETENTION_MS;
        // A day longer than a pipeline may run, so that its end is stored before this removes it.
        // An ended pipeline stays as long.
        let pipelines_ms = (i64::from(settings.pipelines.days) + 1) * RETENTION_MS;
        let longest_ms = history_ms.max(pipelines_ms);
        let oldest = self.history.prune(now - history_ms, now - longest_ms)?;
        let has_pipelines = self.pipelines.prune(now - pipelines_ms, now)?;
        let has_known = self.known.prune(now - longest_ms)?;
        let next = [
            next_create,
            // Tomorrow at the latest, to forget the keys of creates that are stored until then.
            oldest.map(|oldest| (oldest + history_ms).min(tomorrow)),
            (has_pipelines || has_known).then_some(tomorrow),
            self.results.prune(now)?.map(|first| first.min(tomorrow)),
            self.media.prune(now)?.map(|first| first.min(tomorrow)),
        ];
        Ok(next.into_iter().flatten().min())
    }

    /// Deletes the object if nothing is stored, so that rejected creates leave nothing behind. Rows
    /// that are too old are left to the alarm, which reads every table.
    pub(super) async fn delete_if_empty(&self) -> worker::Result<()> {
        if self.in_progress.borrow().is_empty() && is_empty(&self.storage)? {
            self.has_alarm.set(false);
            self.storage.delete_all().await?;
        }
        Ok(())
    }

    pub(super) async fn ensure_alarm(&self) -> worker::Result<()> {
        if !self.has_alarm.get() {
            if !self.storage.has_alarm().await? {
                self.set_alarm(RETENTION_MS).await?;
            }
            self.has_alarm.set(true);
        }
        Ok(())
    }

    async fn set_alarm(&self, after_ms: i64) -> worker::Result<()> {
        self.storage
            .set_alarm(Duration::from_millis(after_ms.unsigned_abs()))
            .await?;
        self.has_alarm.set(true);
        Ok(())
    }
}
