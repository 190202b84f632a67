//! The Durable Object of a transfer. Its alarm runs the transfer.

use mediagate_core::Reason;
use serde_json::json;
use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;

use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen_futures::JsFuture;
use web_sys::{Request, Response};
use worker::Env;
use worker::worker_sys::DurableObjectState;

use super::keep::{KeepError, delete, keep};
use super::run::{Progress, run};
use super::stored_state::{StoredState, TransferState};
use crate::identity::Item;
use crate::ids::ResultRef;
use crate::objects::{KeepRequest, LedgerClient, TransferMessage, TransferReport, TransferRequest};
use crate::platform::http::within;
use crate::platform::{log, timestamp_ms};
use crate::refusal::Refusal;
use crate::upstream::Upstream;

/// The longest transfer. The platform ends an alarm after 15 minutes.
const MAX_TRANSFER: Duration = Duration::from_secs(14 * 60);
/// The most attempts of a transfer. An attempt can be interrupted, for example by a deployment.
const MAX_ATTEMPTS: u32 = 3;
/// The longest time that a request waits for the end.
const WAIT: Duration = Duration::from_secs(5);
/// The interval at which a request looks for the end.
const WAIT_STEP: Duration = Duration::from_millis(100);
/// The delays before the next attempts to keep a result, in seconds.
const KEEP_RETRY_SECONDS: [u64; 6] = [5, 30, 120, 600, 3600, 4 * 3600];
/// The delay before an alarm that was interrupted fires again. The platform never runs two alarms
/// of an object in parallel.
const ALARM_RETRY: Duration = Duration::from_secs(10);
/// The delay before the next attempt to delete a result.
const DELETION_RETRY: Duration = Duration::from_secs(60 * 60);
/// The most attempts to delete a result.
const MAX_DELETIONS: u32 = 24;
/// The lifetime of a failure, in milliseconds. A later request begins the transfer again.
const FAILURE_LASTS_MS: i64 = 10_000;

/// A transfer. The Worker that contains the gateway exports this class, and binds it as `TRANSFER`.
#[wasm_bindgen]
pub struct Transfer(Rc<Inner>);

struct Inner {
    env: Env,
    state: StoredState,
    /// The progress of the transfer, while this object is running it.
    progress: RefCell<Option<Rc<Progress>>>,
}

#[wasm_bindgen]
impl Transfer {
    /// Creates the object. The platform calls this when the object starts.
    #[wasm_bindgen(constructor)]
    pub fn new(state: DurableObjectState, env: Env) -> Self {
        Transfer(Rc::new(Inner {
            env,
            state: StoredState::new(state),
            progress: RefCell::default(),
        }))
    }

    /// Handles a `TransferMessage` as JSON.
    ///
    /// # Errors
    /// Those of the storage.
    pub async fn fetch(&self, request: Request) -> Result<Response, JsValue> {
        let text = JsFuture::from(request.text()?)
            .await?
            .as_string()
            .unwrap_or_default();
        let response = match serde_json::from_str(&text).map_err(worker::Error::from)? {
            TransferMessage::Move(request) => {
                let report = Rc::clone(&self.0).handle(request).await?;
                serde_json::to_string(&report).map_err(worker::Error::from)?
            }
            TransferMessage::Keep(request) => {
                self.0.begin_keeping(request).await?;
                "null".to_owned()
            }
            TransferMessage::Delete(result) => {
                self.0.begin_deletion(&result).await?;
                "null".to_owned()
            }
        };
        Response::new_with_opt_str(Some(&response))
    }

    /// Runs the transfer. After its end, deletes the result or the object if its time is over.
    ///
    /// # Errors
    /// Those of the storage. The platform calls the alarm again after an error.
    pub async fn alarm(&self) -> Result<(), JsValue> {
        Ok(Rc::clone(&self.0).on_alarm().await?)
    }
}

impl Inner {
    /// Begins the transfer of a file, unless it is running or has just ended. Waits some seconds
    /// for its end, and reports the progress.
    async fn handle(self: Rc<Self>, request: TransferRequest) -> worker::Result<TransferReport> {
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

    /// Counts the transfer of an anonymous caller as an upload. Its bytes are counted when their
    /// number is known. It counts before the gateway connects to the URL, so that URLs without a
    /// file count, too.
    ///
    /// # Errors
    /// 429 if all anonymous callers together have used up their uploads.
    async fn count(&self, request: &TransferRequest) -> Result<(), Refusal> {
        let upstream = Upstream::shared(&self.env)?;
        let taking = upstream.settings.anonymous.taking(Item::Upload, 0);
        let ledgers = LedgerClient::new(&self.env, &upstream.settings);
        ledgers.take(&request.subject, taking).await
    }

    /// Waits until the transfer is over.
    async fn end(&self) {
        while matches!(self.state.load(), Ok(Some(TransferState::Pending { .. }))) {
            worker::Delay::from(WAIT_STEP).await;
        }
    }

    fn report(&self) -> worker::Result<TransferReport> {
        Ok(match self.state.load()? {
            Some(TransferState::Done { file_id, size, .. }) => {
                TransferReport::Done { file_id, size }
            }
            Some(TransferState::Failed { refusal, .. }) => TransferReport::Failed(refusal),
            _ => {
                let progress = self.progress.borrow();
                let (loaded, total) = progress
                    .as_ref()
                    .map_or((0, None), |progress| (progress.loaded(), progress.total()));
                TransferReport::Running { loaded, total }
            }
        })
    }

    /// Returns the state, unless it has expired. A moved file is valid for hours, and a failure for
    /// some seconds.
    fn current(&self) -> worker::Result<Option<TransferState>> {
        let now = timestamp_ms();
        Ok(self.state.load()?.filter(|state| match state {
            TransferState::Pending { .. } => true,
            TransferState::Done { at, .. } => {
                now < at + i64::try_from(self.lifetime().as_millis()).unwrap_or(i64::MAX)
            }
            TransferState::Failed { at, .. } => now < at + FAILURE_LASTS_MS,
            _ => true,
        }))
    }

    async fn on_alarm(self: Rc<Self>) -> worker::Result<()> {
        let (request, attempts) = match self.state.load()? {
            Some(TransferState::Pending { request, attempts }) => (request, attempts),
            Some(TransferState::Keeping { request, attempts }) => {
                return self.keep(request, attempts).await;
            }
            Some(TransferState::Kept { key }) => return self.delete_result(key, 0).await,
            Some(TransferState::Deleting { key, attempts }) => {
                return self.delete_result(key, attempts).await;
            }
            Some(TransferState::Done { .. } | TransferState::Failed { .. }) | None => {
                return self.state.delete().await;
            }
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
        let at = timestamp_ms();
        let (state, lifetime) = match outcome {
            Ok((file_id, size)) => (TransferState::Done { file_id, size, at }, self.lifetime()),
            Err(refusal) => {
                let lifetime = Duration::from_millis(FAILURE_LASTS_MS as u64);
                (TransferState::Failed { refusal, at }, lifetime)
            }
        };
        self.state.store(&state)?;
        self.state.set_alarm(lifetime).await
    }

    /// Begins to keep a result. Does nothing if an earlier request has begun it.
    async fn begin_keeping(&self, request: KeepRequest) -> worker::Result<()> {
        if self.state.load()?.is_none() {
            let attempts = 0;
            self.state
                .store(&TransferState::Keeping { request, attempts })?;
            self.state.set_alarm(Duration::ZERO).await?;
        }
        Ok(())
    }

    /// Attempts to move a result into the bucket. The alarm fires again if the object dies during
    /// the attempt. After success, it fires when the result expires.
    async fn keep(&self, request: KeepRequest, attempts: u32) -> worker::Result<()> {
        let retry = KEEP_RETRY_SECONDS.get(attempts as usize);
        if attempts as usize > KEEP_RETRY_SECONDS.len() {
            // Only attempts in which the object died exceed the delays.
            let reason = Reason::TransferFailed.name().to_owned();
            return self.lose(&request.result, reason).await;
        }
        self.state.store(&TransferState::Keeping {
            request: request.clone(),
            attempts: attempts + 1,
        })?;
        self.state.set_alarm(ALARM_RETRY).await?;
        let keeping = keep(&self.env, &request, attempts == 0);
        let outcome = within(MAX_TRANSFER, keeping).await.unwrap_or_else(|| {
            let reason = Reason::Deadline.name().to_owned();
            Err(KeepError::Temporary(reason))
        });
        if !self.is_keeping()? {
            // The task was forgotten during the attempt. Delete the object that it stored.
            return self.state.set_alarm(Duration::ZERO).await;
        }
        let result = &request.result;
        match outcome {
            Ok(kept) => {
                let key = self.key(result)?;
                self.state.store(&TransferState::Kept { key })?;
                let lasts = (kept.expires_at - timestamp_ms()).max(0).unsigned_abs();
                self.state.set_alarm(Duration::from_millis(lasts)).await
            }
            Err(KeepError::Unwanted) => self.begin_deletion(result).await,
            Err(KeepError::Final(reason)) => self.lose(result, reason).await,
            Err(KeepError::Temporary(reason)) => match retry {
                Some(seconds) => self.state.set_alarm(Duration::from_secs(*seconds)).await,
                None => self.lose(result, reason).await,
            },
        }
    }

    /// Returns false if a request to delete the result has arrived.
    fn is_keeping(&self) -> worker::Result<bool> {
        Ok(matches!(
            self.state.load()?,
            Some(TransferState::Keeping { .. })
        ))
    }

    /// Stores that a result can't be kept, with the reason.
    async fn lose(&self, result: &ResultRef, reason: String) -> worker::Result<()> {
        log(&json!({"operation": "keep", "problem": reason}).to_string());
        let upstream = self.upstream()?;
        if let Some(bucket) = &upstream.settings.results {
            let ledgers = LedgerClient::new(&self.env, &upstream.settings);
            let expires_at = timestamp_ms() + bucket.lasts_ms();
            ledgers.lose_result(result, reason, expires_at).await;
        }
        // An attempt may have stored the result although its response was lost.
        if self.is_keeping()? {
            self.delete_result(self.key(result)?, 0).await?;
        }
        Ok(())
    }

    /// Begins to delete a result. A result that is being moved is deleted after the move.
    async fn begin_deletion(&self, result: &ResultRef) -> worker::Result<()> {
        let key = match self.state.load()? {
            None | Some(TransferState::Deleting { .. }) => return Ok(()),
            Some(TransferState::Kept { key }) => key,
            Some(_) => self.key(result)?,
        };
        let attempts = 0;
        self.state
            .store(&TransferState::Deleting { key, attempts })?;
        self.state.set_alarm(Duration::ZERO).await?;
        // Its bytes no longer count towards the limits.
        let upstream = self.upstream()?;
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
        self.state.set_alarm(DELETION_RETRY).await?;
        if delete(&self.env, &key).await || next >= MAX_DELETIONS {
            return self.state.delete().await;
        }
        Ok(())
    }

    /// Returns the key of a result's object in the bucket.
    fn key(&self, result: &ResultRef) -> worker::Result<String> {
        Ok(result.object_key(&self.upstream()?.settings.tenant))
    }

    fn upstream(&self) -> worker::Result<Rc<Upstream>> {
        Upstream::shared(&self.env).map_err(|error| worker::Error::RustError(error.to_string()))
    }

    /// Returns the lifetime of a moved file.
    fn lifetime(&self) -> Duration {
        let hours =
            Upstream::shared(&self.env).map_or(1, |upstream| upstream.settings.moved_file_hours);
        Duration::from_secs(u64::from(hours) * 3600)
    }
}
