//! The Durable Object: one transfer, which its alarm runs.

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
use crate::ids::ResultRef;
use crate::objects::{KeepRequest, LedgerClient, TransferMessage, TransferReport, TransferRequest};
use crate::platform::http::within;
use crate::platform::{log, timestamp_ms};
use crate::refusal::Refusal;
use crate::upstream::Upstream;

/// The longest transfer. The platform ends an alarm after 15 minutes.
const MAX_TRANSFER: Duration = Duration::from_secs(14 * 60);
/// How often a transfer is begun that is interrupted, such as by a deployment.
const MAX_ATTEMPTS: u32 = 3;
/// How long a request waits for the end.
const WAIT: Duration = Duration::from_secs(5);
/// How often it looks for it.
const WAIT_STEP: Duration = Duration::from_millis(100);
/// The delays before a result is moved again that could not be moved, in seconds.
const KEEP_RETRY_SECONDS: [u64; 6] = [5, 30, 120, 600, 3600, 4 * 3600];
/// The delay before an alarm that was interrupted fires again. The platform never runs two alarms
/// of an object at the same time.
const ALARM_RETRY: Duration = Duration::from_secs(10);
/// The delay before a result is deleted again that could not be deleted.
const DELETION_RETRY: Duration = Duration::from_secs(60 * 60);
/// The most attempts to delete a result.
const MAX_DELETIONS: u32 = 24;
/// How long a failure is reported before a new request begins the transfer anew, in milliseconds.
const FAILURE_LASTS_MS: i64 = 10_000;

/// One transfer. The Worker that contains the gateway exports this class, and binds it as `TRANSFER`.
#[wasm_bindgen]
pub struct Transfer(Rc<Inner>);

struct Inner {
    env: Env,
    state: StoredState,
    /// How far the transfer is that this object is running.
    progress: RefCell<Option<Rc<Progress>>>,
}

#[wasm_bindgen]
impl Transfer {
    /// Called by the platform when the object starts.
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

    /// Runs the transfer; afterwards, deletes what is no longer needed.
    ///
    /// # Errors
    /// Those of the storage: the platform then calls this again.
    pub async fn alarm(&self) -> Result<(), JsValue> {
        Ok(Rc::clone(&self.0).on_alarm().await?)
    }
}

impl Inner {
    /// Begins the transfer of a file where none is under way, waits some seconds for its end, and
    /// reports.
    async fn handle(self: Rc<Self>, request: TransferRequest) -> worker::Result<TransferReport> {
        match self.current()? {
            Some(TransferState::Pending { .. }) if self.progress.borrow().is_some() => {}
            // It was interrupted, and its alarm may be lost.
            Some(TransferState::Pending { .. }) => self.state.set_alarm(Duration::ZERO).await?,
            Some(_) => {}
            None => {
                self.state.store(&TransferState::Pending {
                    request,
                    attempts: 0,
                })?;
                self.state.set_alarm(Duration::ZERO).await?;
            }
        }
        // Where it takes longer, the report says how far it is.
        within(WAIT, self.end()).await;
        self.report()
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
                    .map_or((0, None), |it| (it.loaded(), it.total()));
                TransferReport::Running { loaded, total }
            }
        })
    }

    /// The state that counts: a file is good for some time, and a failure for some seconds.
    fn current(&self) -> worker::Result<Option<TransferState>> {
        let now = timestamp_ms();
        Ok(self.state.load()?.filter(|it| match it {
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
            return Ok(());
        }
        let outcome = match attempts < MAX_ATTEMPTS {
            true => {
                self.state.store(&TransferState::Pending {
                    request: request.clone(),
                    attempts: attempts + 1,
                })?;
                let progress = Rc::new(Progress::new());
                *self.progress.borrow_mut() = Some(Rc::clone(&progress));
                let outcome = within(MAX_TRANSFER, run(&self.env, &request, &progress)).await;
                *self.progress.borrow_mut() = None;
                outcome.unwrap_or_else(|| Err(Refusal::from(Reason::Deadline)))
            }
            false => Err(Refusal::from(Reason::TransferFailed)),
        };
        let at = timestamp_ms();
        let (state, lifetime) = match outcome {
            Ok((file_id, size)) => (TransferState::Done { file_id, size, at }, self.lifetime()),
            Err(refusal) => {
                let lifetime = Duration::from_millis(FAILURE_LASTS_MS as u64);
                (
                    TransferState::Failed {
                        refusal: refusal.into(),
                        at,
                    },
                    lifetime,
                )
            }
        };
        self.state.store(&state)?;
        self.state.set_alarm(lifetime).await
    }

    /// Begins to keep a result, unless that has begun.
    async fn begin_keeping(&self, request: KeepRequest) -> worker::Result<()> {
        if self.state.load()?.is_none() {
            let attempts = 0;
            self.state
                .store(&TransferState::Keeping { request, attempts })?;
            self.state.set_alarm(Duration::ZERO).await?;
        }
        Ok(())
    }

    /// Moves a result into the bucket, or tries to. The alarm comes again if the object dies
    /// meanwhile, and in any case when the result's time is over.
    async fn keep(&self, request: KeepRequest, attempts: u32) -> worker::Result<()> {
        let retry = KEEP_RETRY_SECONDS.get(attempts as usize);
        if attempts as usize > KEEP_RETRY_SECONDS.len() {
            // The object has died in each attempt.
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
            // The task was forgotten meanwhile: what was stored since is deleted.
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

    /// Returns true unless a request has the result deleted.
    fn is_keeping(&self) -> worker::Result<bool> {
        Ok(matches!(
            self.state.load()?,
            Some(TransferState::Keeping { .. })
        ))
    }

    /// Writes down that a result can't be kept, and why.
    async fn lose(&self, result: &ResultRef, reason: String) -> worker::Result<()> {
        log(&json!({"operation": "keep", "problem": reason}).to_string());
        let upstream = self.upstream()?;
        if let Some(bucket) = &upstream.settings.results {
            let ledgers = LedgerClient::new(&self.env, &upstream.settings);
            let expires_at = timestamp_ms() + bucket.lasts_ms();
            ledgers.lose_result(result, reason, expires_at).await;
        }
        // An attempt whose response was lost may have stored it.
        if self.is_keeping()? {
            self.delete_result(self.key(result)?, 0).await?;
        }
        Ok(())
    }

    /// Begins to delete a result. One that is being moved is deleted after that.
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
        // Its bytes count no longer.
        let upstream = self.upstream()?;
        LedgerClient::new(&self.env, &upstream.settings)
            .remove_result(result)
            .await;
        Ok(())
    }

    /// Deletes a result in the bucket, and then the object itself. After the last attempt, the
    /// bucket's own rules have to delete it.
    async fn delete_result(&self, key: String, attempts: u32) -> worker::Result<()> {
        // Set before the work: an object that dies would never wake.
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

    /// How long a moved file is taken to be good.
    fn lifetime(&self) -> Duration {
        let hours = Upstream::shared(&self.env).map_or(1, |it| it.settings.moved_file_hours);
        Duration::from_secs(u64::from(hours) * 3600)
    }
}
