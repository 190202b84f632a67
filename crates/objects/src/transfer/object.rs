use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;

use mediagate_access::identity::Item;
use mediagate_access::refusal::Refusal;
use mediagate_core::Reason;
use mediagate_ids::ResultRef;
use mediagate_messages::transfer::{
    Delete, Keep, Move, TransferMessage, TransferReport, transfer_name,
};
use mediagate_messages::{Keeping, LedgerClient, Request as _, end_transfer};
use mediagate_platform::http::within;
use mediagate_platform::storage::{UNREADABLE_RETRY, is_unreadable};
use mediagate_platform::{
    Document, are_objects_full, date, log, now_ms, read_message, spaced, timestamp_ms,
};
use mediagate_upstream_client::Upstream;
use serde_json::json;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;
use web_sys::{Request, Response};
use worker::Env;
use worker::worker_sys::DurableObjectState;

use super::keep::{KeepError, Problem, delete, keep};
use super::run::{Progress, run};
use super::state::TransferState;

/// The longest transfer. The platform ends an alarm after 15 minutes.
const MAX_TRANSFER: Duration = Duration::from_secs(14 * 60);
/// The most attempts of a transfer. An attempt can be interrupted, for example by a deployment.
const MAX_ATTEMPTS: u32 = 3;
const WAIT: Duration = Duration::from_secs(5);
const WAIT_STEP: Duration = Duration::from_millis(100);
/// The time until the next attempt if there is no room for this one. The object closes before.
const ROOM_RETRY: Duration = Duration::from_secs(15);
/// The delays before the next attempts to keep a result.
const KEEP_RETRY_SECONDS: [u64; 6] = [5, 30, 120, 600, 3600, 4 * 3600];
/// The delay before an interrupted alarm fires again. The platform never runs two alarms of an
/// object in parallel.
const ALARM_RETRY: Duration = Duration::from_secs(10);
const DELETION_RETRY: Duration = Duration::from_secs(60 * 60);
const MAX_DELETIONS: u32 = 24;
/// The lifetime of a failure. A later request begins the transfer again.
const FAILURE_LASTS_S: u32 = 10;

/// A transfer. The Worker exports this class, and binds it as `TRANSFER`.
#[wasm_bindgen]
pub struct Transfer {
    env: Env,
    state: Document,
    /// The progress of the transfer, while this object is running it.
    progress: RefCell<Option<Rc<Progress>>>,
}

#[wasm_bindgen]
impl Transfer {
    #[wasm_bindgen(constructor)]
    pub fn new(state: DurableObjectState, env: Env) -> Self {
        Transfer {
            env,
            state: Document::new(state),
            progress: RefCell::default(),
        }
    }

    pub async fn fetch(&self, request: Request) -> Result<Response, JsValue> {
        Ok(match read_message(&request).await? {
            TransferMessage::Move(request) => {
                request
                    .respond(async |move_| self.handle(move_).await)
                    .await
            }
            TransferMessage::Keep(request) => {
                request
                    .respond(async |keep| self.begin_keeping(keep).await)
                    .await
            }
            TransferMessage::Delete(request) => {
                let delete = async |Delete(result)| self.begin_deletion(&result).await;
                request.respond(delete).await
            }
        }?)
    }

    /// Runs the transfer. After its end, deletes the result or the object if its time is over. A
    /// state that this build can't read stays as it is. The platform calls the alarm again after an
    /// error.
    pub async fn alarm(&self) -> Result<(), JsValue> {
        if self.load().is_err_and(|error| is_unreadable(&error)) {
            log(concat!(
                r#"{"operation":"transfer","#,
                r#""problem":"a stored transfer can't be read; a later build may"}"#,
            ));
            return Ok(self.state.set_alarm(UNREADABLE_RETRY).await?);
        }
        Ok(self.on_alarm().await?)
    }
}

impl Transfer {
    fn load(&self) -> worker::Result<Option<TransferState>> {
        self.state.load()
    }

    /// Begins the transfer, unless it is running or has just ended. Waits some seconds for its end,
    /// and reports the progress.
    async fn handle(&self, request: Move) -> worker::Result<TransferReport> {
        match self.current()? {
            Some(TransferState::Pending { .. }) if self.progress.borrow().is_some() => {}
            // The transfer was interrupted, and its alarm may be lost.
            Some(TransferState::Pending { .. }) => self.state.set_alarm(Duration::ZERO).await?,
            Some(_) => {}
            None => {
                if let Err(refusal) = self.count(&request).await {
                    return Ok(TransferReport::Failed(refusal));
                }
                // Another request may have begun the transfer during the count.
                if self.current()?.is_none() {
                    self.state.store(&TransferState::Pending {
                        request,
                        attempts: 0,
                    })?;
                    self.state.set_alarm(Duration::ZERO).await?;
                }
            }
        }
        // If the transfer takes longer, the report has its progress.
        within(WAIT, self.end()).await;
        self.report()
    }

    /// Counts the transfer of an anonymous caller as an upload. The bytes are counted when their
    /// number is known. The transfer counts before the gateway connects to the URL, so that URLs
    /// without a file count, too. Fails with a 429 if all anonymous callers together have used up
    /// their uploads.
    async fn count(&self, request: &Move) -> Result<(), Refusal> {
        let upstream = Upstream::try_shared(&self.env)?;
        let taking = upstream.settings.anonymous.taking(Item::Upload, 0);
        let ledgers = LedgerClient::new(&self.env, &upstream.settings);
        let object = transfer_name(&upstream.settings.tenant, request);
        ledgers.take(&request.subject, taking, Some(object)).await
    }

    async fn end(&self) {
        while matches!(self.load(), Ok(Some(TransferState::Pending { .. }))) {
            worker::Delay::from(WAIT_STEP).await;
        }
    }

    fn report(&self) -> worker::Result<TransferReport> {
        Ok(match self.load()? {
            Some(TransferState::Ended { report, .. }) => report,
            _ => {
                let progress = self.progress.borrow();
                let (loaded, total) = progress
                    .as_ref()
                    .map_or((0, None), |progress| (progress.loaded(), progress.total()));
                TransferReport::Running { loaded, total }
            }
        })
    }

    /// Returns the state, unless it has expired.
    fn current(&self) -> worker::Result<Option<TransferState>> {
        match self.load()? {
            Some(TransferState::Ended { expires_at, .. }) if expires_at <= timestamp_ms() => {
                Ok(None)
            }
            state => Ok(state),
        }
    }

    async fn on_alarm(&self) -> worker::Result<()> {
        let state = self.load()?;
        let may_wait = state.as_ref().is_some_and(TransferState::may_wait);
        if may_wait && are_objects_full() {
            return self.state.set_alarm(spaced(ROOM_RETRY)).await;
        }
        let (request, attempts) = match state {
            Some(TransferState::Pending { request, attempts }) => (request, attempts),
            Some(TransferState::Keeping { request, attempts }) => {
                return self.keep(request, attempts).await;
            }
            Some(TransferState::Kept { key }) => return self.delete_result(key, 0).await,
            Some(TransferState::Deleting { key, attempts }) => {
                return self.delete_result(key, attempts).await;
            }
            Some(TransferState::Ended { .. }) | None => return self.state.delete().await,
        };
        if self.progress.borrow().is_some() {
            // This object is running the transfer already.
            return Ok(());
        }
        let outcome = if attempts < MAX_ATTEMPTS {
            self.state.store(&TransferState::Pending {
                request: request.clone(),
                attempts: attempts + 1,
            })?;
            let progress = Rc::new(Progress::new());
            *self.progress.borrow_mut() = Some(Rc::clone(&progress));
            let outcome = within(MAX_TRANSFER, run(&self.env, &request, &progress)).await;
            *self.progress.borrow_mut() = None;
            outcome.unwrap_or_else(|| Err(Refusal::from(Reason::Deadline)))
        } else {
            Err(Refusal::from(Reason::TransferFailed))
        };
        let (report, seconds) = match outcome {
            Ok((file_id, size)) => {
                let hours = Upstream::shared(&self.env)?.settings.moved_file_hours;
                (TransferReport::Done { file_id, size }, hours * 3600)
            }
            Err(refusal) => (TransferReport::Failed(refusal), FAILURE_LASTS_S),
        };
        if let Ok(upstream) = Upstream::shared(&self.env) {
            let name = transfer_name(&upstream.settings.tenant, &request);
            end_transfer(&name, now_ms());
        }
        let expires_at = timestamp_ms() + i64::from(seconds) * 1000;
        self.state
            .store(&TransferState::Ended { report, expires_at })?;
        let left = Duration::from_secs(seconds.into());
        self.state.set_alarm(spaced(left)).await
    }

    /// Begins to keep a result. Does nothing if an earlier request has begun it.
    async fn begin_keeping(&self, request: Keep) -> worker::Result<()> {
        if self.load()?.is_none() {
            let attempts = 0;
            self.state
                .store(&TransferState::Keeping { request, attempts })?;
            self.state.set_alarm(Duration::ZERO).await?;
        }
        Ok(())
    }

    /// Attempts to move a result into the bucket. The alarm fires again if the object dies during
    /// the attempt. After success, it fires when the result expires.
    async fn keep(&self, request: Keep, attempts: u32) -> worker::Result<()> {
        let retry = KEEP_RETRY_SECONDS.get(attempts as usize);
        if attempts as usize > KEEP_RETRY_SECONDS.len() {
            // Only attempts in which the object died exceed the delays.
            return self
                .lose(&request.result, Reason::TransferFailed.into())
                .await;
        }
        let key = self.key(&request.result)?;
        let owner = request.result.owner.hash_with(&[]);
        let Some(keeping) = Keeping::begin(key.clone(), owner, now_ms()) else {
            return self.state.set_alarm(spaced(ROOM_RETRY)).await;
        };
        self.state.store(&TransferState::Keeping {
            request: request.clone(),
            attempts: attempts + 1,
        })?;
        self.state.set_alarm(ALARM_RETRY).await?;
        let kept = within(MAX_TRANSFER, keep(&self.env, &request, attempts == 0)).await;
        drop(keeping);
        let outcome = kept.unwrap_or_else(|| Err(KeepError::Temporary(Reason::Deadline.into())));
        if !self.is_keeping()? {
            // The task was forgotten during the attempt. Delete the object that it stored.
            return self.state.set_alarm(Duration::ZERO).await;
        }
        let result = &request.result;
        match outcome {
            Ok(kept) => {
                self.state.store(&TransferState::Kept { key })?;
                let lasts = (kept.expires_at - timestamp_ms()).max(0).unsigned_abs();
                let lasts = Duration::from_millis(lasts);
                self.state.set_alarm(spaced(lasts)).await
            }
            Err(KeepError::Unwanted) => self.begin_deletion(result).await,
            Err(KeepError::Final(problem)) => self.lose(result, problem).await,
            Err(KeepError::Temporary(problem)) => match retry {
                Some(seconds) => {
                    log_unkept(&problem, Some(*seconds));
                    // Waiting does not help, so store the reason now instead of after the last
                    // attempt.
                    if problem.is_refusal() {
                        self.note_unkept(result, problem).await?;
                        if !self.is_keeping()? {
                            // The task was forgotten meanwhile, and has no results any more.
                            self.remove_result(result).await?;
                            return self.state.set_alarm(Duration::ZERO).await;
                        }
                    }
                    let pause = Duration::from_secs(*seconds);
                    self.state.set_alarm(spaced(pause)).await
                }
                None => self.lose(result, problem).await,
            },
        }
    }

    fn is_keeping(&self) -> worker::Result<bool> {
        Ok(matches!(self.load()?, Some(TransferState::Keeping { .. })))
    }

    async fn note_unkept(&self, result: &ResultRef, problem: Problem) -> worker::Result<()> {
        let upstream = Upstream::shared(&self.env)?;
        if let Some(bucket) = &upstream.settings.results {
            let ledgers = LedgerClient::new(&self.env, &upstream.settings);
            let expires_at = timestamp_ms() + bucket.lasts_ms();
            ledgers
                .mark_not_kept(result, problem.reason, expires_at)
                .await;
        }
        Ok(())
    }

    async fn lose(&self, result: &ResultRef, problem: Problem) -> worker::Result<()> {
        log_unkept(&problem, None);
        self.note_unkept(result, problem).await?;
        // An attempt may have stored the result although its response was lost.
        if self.is_keeping()? {
            self.delete_result(self.key(result)?, 0).await?;
        }
        Ok(())
    }

    /// Begins to delete a result. A result that is being moved is deleted after the move.
    async fn begin_deletion(&self, result: &ResultRef) -> worker::Result<()> {
        let key = match self.load()? {
            None | Some(TransferState::Deleting { .. }) => return Ok(()),
            Some(TransferState::Kept { key }) => key,
            Some(_) => self.key(result)?,
        };
        let attempts = 0;
        self.state
            .store(&TransferState::Deleting { key, attempts })?;
        self.state.set_alarm(Duration::ZERO).await?;
        // Its bytes no longer count towards the limits.
        self.remove_result(result).await
    }

    async fn remove_result(&self, result: &ResultRef) -> worker::Result<()> {
        let upstream = Upstream::shared(&self.env)?;
        LedgerClient::new(&self.env, &upstream.settings)
            .remove_result(result)
            .await;
        Ok(())
    }

    /// Deletes a result in the bucket, and then the Durable Object. After the last attempt, only
    /// the bucket's own rules can delete the result.
    async fn delete_result(&self, key: String, attempts: u32) -> worker::Result<()> {
        // Set before the work. An object that dies during it would never wake.
        let next = attempts + 1;
        self.state.store(&TransferState::Deleting {
            key: key.clone(),
            attempts: next,
        })?;
        self.state.set_alarm(spaced(DELETION_RETRY)).await?;
        if delete(&self.env, &key).await || next >= MAX_DELETIONS {
            return self.state.delete().await;
        }
        Ok(())
    }

    fn key(&self, result: &ResultRef) -> worker::Result<String> {
        Ok(result.object_key(&Upstream::shared(&self.env)?.settings.tenant))
    }
}

/// Logs a failed attempt to keep a result. `retry` is the time until the next attempt, in seconds.
fn log_unkept(problem: &Problem, retry: Option<u64>) {
    let now = now_ms();
    let line = json!({
        "next": retry.map(|seconds| date(now + seconds as f64 * 1000.0)),
        "operation": "keep",
        "problem": problem.reason,
        "status": problem.status,
        "time": date(now),
    });
    log(&line.to_string());
}
