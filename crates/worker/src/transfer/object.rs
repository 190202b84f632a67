//! The Durable Object: one transfer, which its alarm runs.

use mediagate_core::Reason;
use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;

use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen_futures::JsFuture;
use web_sys::{Request, Response};
use worker::Env;
use worker::worker_sys::DurableObjectState;

use super::run::{Progress, run};
use super::stored_state::{StoredState, TransferState};
use crate::objects::{TransferReport, TransferRequest};
use crate::platform::http::within;
use crate::platform::timestamp_ms;
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

    /// Handles a `TransferRequest` of the gateway, as JSON: begins the transfer where none is under way, waits some seconds for
    /// its end, and responds with a `TransferReport`.
    ///
    /// # Errors
    /// Those of the storage.
    pub async fn fetch(&self, request: Request) -> Result<Response, JsValue> {
        let text = JsFuture::from(request.text()?)
            .await?
            .as_string()
            .unwrap_or_default();
        let report = Rc::clone(&self.0).handle(&text).await?;
        Response::new_with_opt_str(Some(
            &serde_json::to_string(&report).map_err(worker::Error::from)?,
        ))
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
    async fn handle(self: Rc<Self>, request: &str) -> worker::Result<TransferReport> {
        let request: TransferRequest = serde_json::from_str(request)?;
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
            Some(TransferState::Pending { .. }) | None => {
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
        }))
    }

    async fn on_alarm(self: Rc<Self>) -> worker::Result<()> {
        let Some(TransferState::Pending { request, attempts }) = self.state.load()? else {
            return self.state.delete().await;
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

    /// How long a moved file is taken to be good.
    fn lifetime(&self) -> Duration {
        let hours = Upstream::shared(&self.env).map_or(1, |it| it.settings.moved_file_hours);
        Duration::from_secs(u64::from(hours) * 3600)
    }
}
