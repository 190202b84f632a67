//! The client, on any [`Platform`]: sessions, requests with retries, creates, uploads, and the
//! updates of tasks and pipelines.
//!
//! | Module | Operation |
//! |---|---|
//! | `session` | the token for the gateway, with one renewal for all callers |
//! | `call` | one request with its retries |
//! | `response` | decodes a response |
//! | `create`, `attempts` | a create and its outcome |
//! | `sources`, `upload` | the files of a create: uploads and transfers |
//! | `task`, `snapshot` | a task or a pipeline, and its state |
//! | `follow`, `stream` | the polls and the stream that bring the changes |
//! | `pipeline`, `history` | actions on a pipeline, the model catalogue and the history |
//!
//! Each operation is a future. Dropping it ends its work. Work that several futures share is a job
//! (`sync`), which runs as long as one of them waits for it.

#![no_std]
#![cfg_attr(
    target_family = "wasm",
    expect(
        clippy::arc_with_non_send_sync,
        reason = "a page has one thread, and programs share the code"
    )
)]

extern crate alloc;
#[cfg(not(target_family = "wasm"))]
extern crate std;

mod attempts;
mod call;
mod create;
mod error;
mod follow;
mod history;
mod limits;
mod pipeline;
mod platform;
mod response;
mod session;
mod snapshot;
mod sources;
mod stream;
mod sync;
mod task;
mod upload;

pub use create::StepInput;
pub use error::{Details, Error, Kind, issues_value};
pub use limits::{
    CreateState, FileProgress, FilesProgress, Limits, Listeners, OnState, Retry, RetryPolicy,
};
pub use platform::{
    Block, Body, BoxFuture, Exchange, FileBody, FileInfo, Function, Hint, HostValue, MaybeSend,
    MaybeSync, NoResponse, Obstacle, Platform, Request, Response, ResponseBody, Wake, hints,
};
pub use response::{decode_data, decode_snapshot};
pub use session::{NOT_A_TOKEN, Provided, Provider, TokenSource, is_visible};
pub use snapshot::Snapshot;
pub use task::{Subscription, TaskHandle};
pub use upload::Progress;

use alloc::boxed::Box;
use alloc::string::String;
use alloc::sync::{Arc, Weak};
use alloc::vec::Vec;
use core::fmt;
use core::sync::atomic::{AtomicBool, AtomicUsize};

use async_lock::Semaphore;
use mediagate_core::text::concat;
use mediagate_core::{MissingPart, PREFIX};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use session::Session;
use sync::Lock;
use task::TaskInner;
use upload::Uploads;

/// The maximum number of concurrent uploads, and of concurrent transfers. More would only share the
/// bandwidth, and take the last of the six connections that a browser opens to the storage.
const MAX_CONCURRENT: usize = 4;

/// A client of one gateway. Clones share one session.
pub struct Client<P: Platform>(Arc<Inner<P>>);

struct Inner<P: Platform> {
    platform: P,
    /// The URL of the gateway, without a slash at its end.
    base: String,
    session: Session<P>,
    /// True after the first response, which proves that the browser does not block the page's
    /// requests.
    has_responded: AtomicBool,
    /// The tasks that the caller has. All followers of a task share its stream.
    tasks: Lock<Vec<Weak<TaskInner<P>>>>,
    uploads: Uploads<P>,
    upload_limit: Semaphore,
    transfer_limit: Semaphore,
    streams: AtomicUsize,
    has_streamed: AtomicBool,
    /// True if streams stay empty on the way to this client, so that it only polls.
    has_empty_streams: AtomicBool,
}

impl<P: Platform> Clone for Client<P> {
    fn clone(&self) -> Self {
        Client(self.0.clone())
    }
}

impl<P: Platform> PartialEq for Client<P> {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl<P: Platform> Client<P> {
    /// Makes a client of the gateway at a base URL without a slash at its end. Sends no request.
    pub fn new(platform: P, base: String, source: TokenSource<P>) -> Self {
        Client(Arc::new(Inner {
            platform,
            base,
            session: Session::new(source),
            has_responded: AtomicBool::new(false),
            tasks: Lock::new(Vec::new()),
            uploads: Uploads::default(),
            upload_limit: Semaphore::new(MAX_CONCURRENT),
            transfer_limit: Semaphore::new(MAX_CONCURRENT),
            streams: AtomicUsize::new(0),
            has_streamed: AtomicBool::new(false),
            has_empty_streams: AtomicBool::new(false),
        }))
    }

    /// Opens the session if it is anonymous. An unreachable or misconfigured gateway then fails
    /// here instead of in the first call.
    pub fn connect(&self, limits: Limits<P>) -> BoxFuture<'static, Result<(), Error<P>>> {
        let client = self.clone();
        let waiters = (&limits.retry).into();
        let connected = async move {
            // The caller's own tokens need no request.
            if let TokenSource::Anonymous { .. } = client.0.session.source {
                client.token(&waiters).await?;
            }
            Ok(())
        };
        limits.apply(self.platform(), Box::pin(connected))
    }

    /// Returns the session token, which names the subject. Renews it first if necessary.
    pub fn session_token(&self, limits: Limits<P>) -> BoxFuture<'static, Result<String, Error<P>>> {
        let client = self.clone();
        let waiters = (&limits.retry).into();
        let renewed = async move {
            let token = client.token(&waiters).await?;
            token.ok_or_else(|| Error::missing(200, MissingPart::Session))
        };
        limits.apply(self.platform(), Box::pin(renewed))
    }

    /// Returns the URL of the gateway.
    pub fn base(&self) -> &str {
        &self.0.base
    }

    /// Returns the platform.
    pub fn platform(&self) -> &P {
        &self.0.platform
    }

    fn url(&self, path: &str) -> String {
        concat(&[&self.0.base, PREFIX, path])
    }
}

impl<P: Platform> fmt::Debug for Client<P> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Client")
            .field("base", &self.0.base)
            .finish_non_exhaustive()
    }
}

/// Appends a text as one segment of the path, like `encodeURIComponent`.
fn push_segment(url: &mut String, segment: &str) {
    const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC
        .remove(b'-')
        .remove(b'_')
        .remove(b'.')
        .remove(b'!')
        .remove(b'~')
        .remove(b'*')
        .remove(b'\'')
        .remove(b'(')
        .remove(b')');
    url.extend(utf8_percent_encode(segment, ESCAPED));
}
