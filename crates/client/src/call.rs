use alloc::boxed::Box;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::sync::atomic::Ordering;

use mediagate_core::text::concat;
use mediagate_core::{MissingPart, lifetime, schedule};

use crate::Client;
use crate::attempts::Attempts;
use crate::error::{Error, Kind};
use crate::platform::{
    Block, Body, BoxFuture, Exchange, FileBody, Function, Hint, NoResponse, Obstacle, Platform,
    Request, Wake,
};
use crate::response::{FailedAttempt, Received, ResponseKind, decode};
use crate::sync::{Lock, Waiters, before};

/// The longest wait for a connection. The platform's report that it is offline may be wrong. With
/// the default retries this is two minutes in all.
const MAX_OFFLINE_MS: u32 = 30_000;
/// The longest wait for a response, or between two reports of an upload's progress.
const PATIENCE_MS: u32 = 40_000;
/// The longest time for a small file to get from the buffers of the system or a proxy into the
/// storage.
const STORAGE_PATIENCE_MS: f64 = 300_000.0;
/// The longest time in which a server that refuses large bodies ends an upload, in milliseconds.
const REFUSAL_MS: f64 = 3_000.0;
/// The number of uploads that end early before the client looks for the reason. One upload may have
/// lost its connection.
const MAX_CUT_OFF: u32 = 2;
/// The smallest file, in bytes, that a proxy may refuse as too large. The limit of nginx is 1 MiB
/// by default.
const MIN_LARGE: u64 = 1_000_000;
/// The longest time that a create is repeated if no response arrives.
const KEY_LIFETIME_MS: f64 = lifetime::SURELY_KNOWN_MS as f64;
/// The lowest expected speed of an upload whose progress nobody reports, in bytes per millisecond.
const MIN_SPEED: f64 = 50.0;

pub(crate) struct FailedRead {
    /// The number of failed attempts in a row.
    pub(crate) failures: u32,
    /// The time of the first of these failures, in milliseconds since 1970.
    pub(crate) since_ms: f64,
    /// The earliest time of the next poll by `Retry-After`, in milliseconds since 1970.
    pub(crate) not_before: Option<f64>,
}

pub(crate) struct Call<P: Platform> {
    pub(crate) request: Request<P::Value>,
    /// True if the request is sent with the token of the session, which is renewed first if
    /// necessary. Otherwise it is sent with its own token, if it has one.
    pub(crate) in_session: bool,
    pub(crate) expected: ResponseKind,
    /// The longest wait for a response. An upload has its own.
    pub(crate) patience_ms: u32,
    pub(crate) waiters: Waiters<P>,
    /// The attempts of a create; `None` for any other request.
    pub(crate) attempts: Option<Arc<Attempts>>,
    /// Called for each failed attempt of a request that reads a task.
    pub(crate) on_failed_read: Option<Arc<Function<FailedRead, ()>>>,
}

impl<P: Platform> Call<P> {
    /// Prepares a request to the gateway: a `GET` without a body, a `POST` with one.
    pub(crate) fn new(
        url: String,
        body: Body<P::Value>,
        expected: ResponseKind,
        waiters: Waiters<P>,
    ) -> Self {
        Call {
            request: Request {
                method: if matches!(body, Body::Empty) {
                    "GET"
                } else {
                    "POST"
                },
                url,
                headers: Vec::new(),
                token: None,
                body,
                capability: None,
                is_stream: false,
            },
            in_session: true,
            expected,
            patience_ms: PATIENCE_MS,
            waiters,
            attempts: None,
            on_failed_read: None,
        }
    }

    fn is_upload(&self) -> bool {
        matches!(self.request.body, Body::File(_))
    }

    fn is_lost_create(&self) -> bool {
        self.attempts
            .as_ref()
            .is_some_and(|attempts| attempts.is_lost())
    }

    /// Records a failure. Returns true if the request may be repeated. A stream is never repeated:
    /// the task is polled instead.
    fn may_repeat(&self, failure: &FailedAttempt<P>) -> bool {
        let may_repeat = match &self.attempts {
            Some(attempts) => attempts.note_failure(failure.reported, failure.never_left),
            None => !matches!(self.expected, ResponseKind::Events),
        };
        may_repeat && failure.error.is_retryable
    }

    fn is_unexplained(&self, error: &Error<P>) -> bool {
        error.status.is_none()
            && error.is_retryable
            && !self.is_upload()
            && !matches!(self.expected, ResponseKind::Events)
    }
}

pub(crate) struct CallFailure<P: Platform> {
    pub(crate) error: Error<P>,
    /// The number of failed attempts; 0 if there was no token for the first one.
    pub(crate) failures: u32,
    pub(crate) was_late: bool,
}

impl<P: Platform> Client<P> {
    /// Sends a request, and repeats it if that may succeed. Returns the error of the last attempt,
    /// or of the renewal of the token.
    pub(crate) fn call(
        &self,
        mut call: Call<P>,
    ) -> BoxFuture<'_, Result<Received<P>, CallFailure<P>>> {
        Box::pin(async move {
            let mut last: Option<Error<P>> = None;
            let mut failures = 0;
            let mut cut_off = 0;
            let mut failing_since = None;
            let mut may_renew = call.in_session;
            let failed = |error, failures, was_late| CallFailure {
                error,
                failures,
                was_late,
            };
            loop {
                if call.in_session {
                    let token = self.token(&call.waiters).await;
                    let token = token.map_err(|error| failed(error, failures, false))?;
                    // A new token may name another subject, whose ledger has no record of the
                    // create.
                    if let Some(error) =
                        last.take_if(|_| call.is_lost_create() && call.request.token != token)
                    {
                        return Err(failed(error, failures, false));
                    }
                    call.request.token = token;
                }
                let start = self.platform().now();
                let failure = match self.attempt(&call).await {
                    Ok(reply) => return Ok(reply),
                    Err(failure) => failure,
                };
                // The gateway checks the token before anything else.
                if failure.error.status == Some(401)
                    && may_renew
                    && !call.is_lost_create()
                    && self.reject_token(call.request.token.as_deref())
                {
                    may_renew = false;
                    continue;
                }
                failures += 1;
                let since = *failing_since.get_or_insert(start);
                if let Some(on_failed_read) = &call.on_failed_read {
                    on_failed_read(FailedRead {
                        failures,
                        since_ms: since,
                        not_before: self.not_before(&failure.error),
                    });
                }
                if self.is_cut_off(&call, &failure, start) {
                    cut_off += 1;
                    if cut_off == MAX_CUT_OFF && self.is_too_large(&call).await {
                        let error = Error::too_large(failure.error.kind);
                        return Err(failed(error, failures, false));
                    }
                }
                let waiters = &call.waiters;
                let delay = if call.may_repeat(&failure) {
                    waiters.next_retry(self.platform(), failures, since, &failure.error)
                } else {
                    None
                };
                let Some(delay) = delay else {
                    let was_late = failure.was_late;
                    let error = self.last_error(&call, failure).await;
                    return Err(failed(error, failures, was_late));
                };
                self.wait_to_retry(delay).await;
                // The device may have slept meanwhile.
                if call.is_lost_create() && self.platform().now() - since > KEY_LIFETIME_MS {
                    return Err(failed(failure.error, failures, failure.was_late));
                }
                last = Some(failure.error);
            }
        })
    }

    /// Sends a request like [`Client::call`]. A failure is only its error.
    pub(crate) async fn reply(&self, call: Call<P>) -> Result<Received<P>, Error<P>> {
        self.call(call).await.map_err(|failure| failure.error)
    }

    pub(crate) async fn data(&self, call: Call<P>) -> Result<P::Value, Error<P>> {
        match self.reply(call).await? {
            Received::Data(data) => Ok(data),
            _ => Err(Error::missing(200, MissingPart::Data)),
        }
    }

    fn not_before(&self, error: &Error<P>) -> Option<f64> {
        let wait = error.retry_after_ms()?.min(schedule::poll::MAX_WAIT_MS);
        Some(self.platform().now() + f64::from(wait))
    }

    async fn attempt(&self, call: &Call<P>) -> Result<Received<P>, FailedAttempt<P>> {
        let platform = self.platform();
        let was_offline = platform.is_offline();
        // Before the request: if this future is dropped meanwhile, the create counts as sent.
        if let Some(attempts) = &call.attempts {
            attempts.begin();
        }
        let exchange = self.exchange(call).await;
        if let Some(attempts) = &call.attempts {
            attempts.end();
        }
        let NoResponse { cause, obstacle } = match exchange {
            Some(Ok(response)) => {
                // Relaxed, like each flag of a client: no other memory depends on them.
                self.0.has_responded.store(true, Ordering::Relaxed);
                return decode::<P>(response, call.expected);
            }
            // A platform without a connection fails at once, so a late attempt may have left.
            None => {
                return Err(FailedAttempt {
                    was_late: true,
                    ..silence(call, None).into()
                });
            }
            Some(Err(no_response)) => no_response,
        };
        // The report may change meanwhile, so it counts only if it is the same afterwards.
        let is_offline = was_offline && platform.is_offline();
        Err(match obstacle {
            Some(Obstacle::Unreadable) => unreadable(cause).into(),
            Some(Obstacle::Blocked) => blocked(&call.request.url, cause).into(),
            Some(Obstacle::Refused) | None => FailedAttempt {
                never_left: is_offline || obstacle.is_some(),
                ..silence(call, Some(cause)).into()
            },
        })
    }

    async fn last_error(&self, call: &Call<P>, failure: FailedAttempt<P>) -> Error<P> {
        let error = failure.error;
        // A gateway that has responded before is not blocked by the browser.
        let may_be_blocked = !failure.never_left && !self.0.has_responded.load(Ordering::Relaxed);
        if may_be_blocked && call.is_unexplained(&error) {
            return self.diagnose(call, error).await;
        }
        if let Some(attempts) = &call.attempts {
            attempts.note_reported(failure.reported);
        }
        error
    }

    /// Waits `delay_ms`, and then for a connection.
    pub(super) async fn wait_to_retry(&self, delay_ms: u32) {
        let platform = self.platform();
        platform.sleep(delay_ms, Wake::Never).await;
        if platform.is_offline() {
            platform.sleep(MAX_OFFLINE_MS, Wake::Online).await;
        }
    }

    /// Passes a request to the platform. Returns `None` if neither a response nor progress comes in
    /// time.
    async fn exchange(&self, call: &Call<P>) -> Option<Exchange<P>> {
        let platform = self.platform();
        let mut request = call.request.clone();
        let progress = Arc::new(Lock::new(UploadProgress {
            time: platform.now(),
            sent: 0,
        }));
        let mut size = None;
        if let Body::File(upload) = &mut request.body {
            size = Some(platform.file_info(&upload.file).size);
            upload.on_sent = noting_progress(self.clone(), upload, progress.clone());
        }
        let mut exchange = platform.request(request);
        loop {
            let now = platform.now();
            let progress = progress.with(|progress| {
                // The clock may have been set back.
                progress.time = progress.time.min(now);
                *progress
            });
            let patience_ms = match size {
                Some(size) => progress.patience_ms(size),
                None => f64::from(call.patience_ms),
            };
            let left = progress.time + patience_ms - now;
            if left <= 0.0 {
                return None;
            }
            // A report of progress may shorten the time that is left.
            let next_check = left.clamp(1.0, PATIENCE_MS.into()) as u32;
            let wait = platform.sleep(next_check, Wake::Never);
            if let Some(result) = before(&mut exchange, wait).await {
                return Some(result);
            }
        }
    }

    /// Returns true if the upload of a large file ended soon after its start, without a response.
    fn is_cut_off(&self, call: &Call<P>, failure: &FailedAttempt<P>, start: f64) -> bool {
        let Body::File(upload) = &call.request.body else {
            return false;
        };
        self.platform().file_info(&upload.file).size >= MIN_LARGE
            && failure.error.status.is_none()
            && failure.error.is_retryable
            && !failure.never_left
            && self.platform().now() - start < REFUSAL_MS
    }

    /// Returns true if the server responds to the same request without the file.
    async fn is_too_large(&self, call: &Call<P>) -> bool {
        self.platform().diagnose(call.request.clone()).await == Some(Block::LargeBody)
    }

    /// Finds out why a gateway that has never responded can't be reached. Returns the error with
    /// the finding.
    async fn diagnose(&self, call: &Call<P>, mut error: Error<P>) -> Error<P> {
        let Some(block) = self.platform().diagnose(call.request.clone()).await else {
            return error;
        };
        if block == Block::LocalNetwork {
            return error.hint(Hint::AllowLocalNetwork);
        }
        // The browser blocks each request to the gateway, so none has left the page.
        if let Some(attempts) = &call.attempts {
            attempts.note_never_left();
        }
        error.message = "the browser blocked the request to the gateway".into();
        error.hints = Vec::from([if block == Block::Cors {
            Hint::AllowOrigin
        } else {
            Hint::AllowConnection
        }]);
        error
    }
}

fn silence<P: Platform>(call: &Call<P>, cause: Option<P::Cause>) -> Error<P> {
    let mut error = if call.is_upload() {
        let message = "the upload did not reach the storage";
        Error::new(Kind::UploadFailed, message).hint(Hint::CheckStorage)
    } else {
        Error::new(Kind::Network, "no response from the gateway").hint(Hint::CheckConnection)
    };
    error.is_retryable = true;
    error.cause = cause;
    error
}

fn unreadable<P: Platform>(cause: P::Cause) -> Error<P> {
    let message = "the file can't be read: it was moved, changed or removed, or it is a folder";
    Error::new(Kind::UploadFailed, message)
        .hint(Hint::ChooseAgain)
        .caused_by(cause)
}

fn blocked<P: Platform>(url: &str, cause: P::Cause) -> Error<P> {
    // The rest of the URL may be a secret.
    let host = url.split(['/', '?', '#']).nth(2).unwrap_or_default();
    let message = concat(&["the page's Content-Security-Policy blocks ", host]);
    Error::new(Kind::UploadFailed, &message)
        .hint(Hint::AllowStorage)
        .caused_by(cause)
}

#[derive(Clone, Copy)]
struct UploadProgress {
    /// The time of the report, or of the start of the upload, in milliseconds since 1970.
    time: f64,
    sent: u64,
}

impl UploadProgress {
    /// Returns the longest wait for the next report or the response. Before the first report there
    /// may never be one: `fetch` has none, and in a page with a service worker neither has
    /// XMLHttpRequest. After the last byte, buffers on the way may still be full. Then the time
    /// depends on the size of the file.
    fn patience_ms(self, size: u64) -> f64 {
        if self.sent > 0 && self.sent < size {
            return PATIENCE_MS.into();
        }
        STORAGE_PATIENCE_MS + size as f64 / MIN_SPEED
    }
}

fn noting_progress<P: Platform>(
    client: Client<P>,
    upload: &FileBody<P::Value>,
    progress: Arc<Lock<UploadProgress>>,
) -> Arc<Function<u64, ()>> {
    let on_sent = upload.on_sent.clone();
    Arc::new(move |sent| {
        let time = client.platform().now();
        progress.with(|progress| *progress = UploadProgress { time, sent });
        on_sent(sent);
    })
}
