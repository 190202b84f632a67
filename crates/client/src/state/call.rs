//! One request to a gateway or a storage, and how far it is.

use mediagate_core::Outcome;

use super::create::Create;
use super::gateway::Gateway;
use crate::error::Failure;
use crate::platform::{Body, Id, Request};
use crate::response::Expected;

/// The longest wait in milliseconds for a connection where the platform reports that it is offline, which may be wrong: two
/// minutes for all of the default's retries.
pub(crate) const MAX_OFFLINE_MS: u32 = 30_000;
/// The longest time in milliseconds for a response, or between two steps of an upload.
const PATIENCE_MS: u32 = 40_000;

/// A request, with how it is sent.
#[derive(Clone, Copy)]
pub(crate) struct Call<V> {
    pub(crate) gateway: Id,
    pub(crate) request: Request<V>,
    /// Whether it is sent with the session's token, renewed where it must be, and not with the request's own.
    pub(crate) in_session: bool,
    pub(crate) expected: Expected,
    /// The create that it is a request of.
    pub(crate) create: Option<Create<V>>,
    pub(crate) owner: Owner,
    pub(crate) stage: Stage,
    /// The number of attempts that failed.
    pub(crate) failures: u32,
    /// Why the last of them failed.
    pub(crate) failure: Option<Failure<V>>,
    /// Whether a rejected token was renewed for it, which is done once.
    pub(crate) has_renewed: bool,
    /// Whether the last attempt has not left: the platform reported that it was offline, or had no connection.
    pub(crate) is_held_back: bool,
}

/// What gets the outcome of a call.
#[derive(Clone, Copy)]
pub(crate) enum Owner {
    /// A promise of the caller's.
    Promise(Id),
    /// The session of a gateway, which is being opened.
    Session(Id),
    /// An upload, or a transfer.
    Upload(Id),
    /// A task that is polled by those who follow it.
    Poll(Id),
    /// A task whose stream is being opened.
    Stream(Id),
}

/// How far a call is.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Stage {
    /// It waits for the session's token.
    Token,
    /// It is sent.
    Sent,
    /// It waits until it is repeated.
    Waiting,
    /// It waits for a connection.
    Offline,
    /// It has failed, and the platform finds out why.
    Diagnosing,
}

impl<V: Copy> Call<V> {
    /// A call to a gateway: a `GET` without a body, a `POST` with one.
    pub(crate) fn new(
        id: Id,
        gateway: &Gateway<V>,
        owner: Owner,
        url: V,
        body: Body<V>,
        expected: Expected,
    ) -> Self {
        Call {
            gateway: id,
            request: Request {
                method: if matches!(body, Body::Empty) {
                    "GET"
                } else {
                    "POST"
                },
                url,
                headers: None,
                authorization: None,
                body,
                network: gateway.network,
                capability: "",
                events: false,
                patience_ms: PATIENCE_MS,
            },
            in_session: true,
            expected,
            create: None,
            owner,
            stage: Stage::Token,
            failures: 0,
            failure: None,
            has_renewed: false,
            is_held_back: false,
        }
    }

    /// Whether it waits for the token of this gateway.
    pub(crate) fn waits_for(&self, gateway: Id) -> bool {
        self.gateway == gateway && self.in_session && self.stage == Stage::Token
    }

    /// Whether it is a create of which an attempt was lost.
    pub(crate) fn is_lost(&self) -> bool {
        self.create.is_some_and(|it| it.is_lost)
    }

    /// A request of it has ended.
    pub(crate) fn end_attempt(&mut self) {
        if let Some(create) = &mut self.create {
            create.is_under_way = false;
        }
    }

    /// Whether a page may be kept from its gateway: there was no response.
    pub(crate) fn is_unexplained(&self, failure: &Failure<V>) -> bool {
        let is_silent = failure.error.status == 0 && failure.error.retryable;
        is_silent
            && !matches!(
                (self.request.body, self.expected),
                (Body::File(..), _) | (_, Expected::Events)
            )
    }

    /// Whether a repetition may succeed. A create whose outcome is unknown to the gateway is never sent again by it, so
    /// that a repetition would get the same response.
    pub(crate) fn may_repeat(&mut self, failure: &Failure<V>) -> bool {
        let never_left = self.is_held_back && self.is_unexplained(failure);
        let Some(create) = &mut self.create else {
            return failure.error.retryable && !matches!(self.expected, Expected::Events);
        };
        let is_lost = failure
            .reported
            .is_none_or(|it| it.outcome == Outcome::Unknown);
        create.is_lost |= is_lost;
        create.may_have_left |= is_lost && !never_left;
        // Where only the gateway's connection to its ledger failed, the ledger still has the outcome.
        failure.error.retryable
            && failure
                .reported
                .is_none_or(|it| it.outcome != Outcome::Unknown || it.is_in_ledger)
    }

    /// The values that it refers to.
    pub(crate) fn values(&self) -> [Option<V>; 9] {
        let request = &self.request;
        let (body, progress, upload) = match request.body {
            Body::Empty => (None, None, None),
            Body::Json(it) => (Some(it), None, None),
            Body::File(it, progress, upload) => (Some(it), progress, Some(upload)),
        };
        [
            Some(request.url),
            request.headers,
            request.authorization,
            request.network,
            body,
            progress,
            upload,
            self.create.map(|it| it.key),
            self.failure.map(|it| it.error.value),
        ]
    }
}
