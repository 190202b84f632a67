//! One request to a gateway or a storage: its token, and when it is repeated.

use mediagate_core::schedule;

use super::machine::{Engine, Outcome};
use crate::error::{Error, Failure, Reported, code};
use crate::platform::{Body, Id, Platform, Response, Wake};
use crate::response::decode;
use crate::state::call::{Call, MAX_OFFLINE_MS, Owner, Stage};
use crate::state::pending::Pending;

const NO_RESPONSE: (&str, &str) = (
    code::NETWORK,
    "no response from the gateway; check the connection, the url, and that ALLOWED_ORIGINS lists this page's origin",
);
const NOT_STORED: (&str, &str) = (
    code::UPLOAD_FAILED,
    "the upload did not reach the storage; check the connection, and that the storage allows this page's origin (CORS)",
);

impl<P: Platform> Engine<P> {
    /// Starts a call. Its owner gets the outcome later, never before this returns.
    pub(super) fn start(&mut self, call: Call<P::Value>) -> Id {
        let id = self.platform.new_id();
        self.calls.insert(id, call);
        self.attempt(id);
        id
    }

    fn attempt(&mut self, id: Id) {
        let Some(call) = self.calls.get(id) else { return };
        call.stage = Stage::Token;
        let (in_session, gateway) = (call.in_session, call.gateway);
        if in_session && self.needs_token(gateway) {
            self.wait_for_token(gateway);
        } else {
            self.send(id);
        }
    }

    /// Sends a call for which there is a token.
    pub(super) fn send(&mut self, id: Id) {
        let Some(call) = self.calls.get(id) else { return };
        if call.in_session {
            let token = self.gateways.get(call.gateway).and_then(|it| it.session.token);
            if call.is_lost() && !self.platform.is_identical(call.request.authorization, token) {
                return self.end_lost_create(id);
            }
            call.request.authorization = token;
        }
        if let Some(create) = &mut call.create {
            create.is_sent = true;
        }
        call.stage = Stage::Sent;
        self.platform.request(id, &call.request);
        if let Owner::Stream(task) = call.owner {
            self.stream_requested(task);
        }
    }

    /// A request got a response.
    pub fn responded(&mut self, id: Id, response: Response<P::Value>) {
        let Some(call) = self.calls.get(id) else { return };
        // The gateway checks the token before anything else.
        let is_rejected = response.status == 401 && call.in_session && !call.has_renewed && !call.is_lost();
        let used = call.request.authorization;
        if is_rejected && self.gateways.get(call.gateway).is_some_and(|it| it.reject(&self.platform, used)) {
            call.has_renewed = true;
            if let Owner::Stream(task) = call.owner {
                // The time for the first byte begins anew when the request is sent again.
                self.platform.abort(task);
            }
            return self.attempt(id);
        }
        match decode(&self.platform, response, call.expected) {
            Ok(value) => self.finish_call(id, Ok(value), None),
            Err(failure) => self.attempt_failed(id, failure),
        }
    }

    /// A request got no response, for this cause.
    pub fn failed(&mut self, id: Id, cause: P::Value) {
        let Some(call) = self.calls.get(id) else { return };
        let (code, message) = if matches!(call.request.body, Body::File(..)) { NOT_STORED } else { NO_RESPONSE };
        let error = Error::with_status(&self.platform, code, message, 0, true);
        let error = error.with(&self.platform, "cause", Some(cause));
        self.attempt_failed(id, error.into());
    }

    fn attempt_failed(&mut self, id: Id, failure: Failure<P::Value>) {
        let Some(call) = self.calls.get(id) else { return };
        let mut delay = None;
        if call.may_repeat(&failure) {
            call.failures += 1;
            delay = schedule::retry::delay(call.failures, Some(failure.retry_after_ms), self.platform.random());
        }
        let owner = call.owner;
        if let Some(milliseconds) = delay {
            call.stage = Stage::Waiting;
            call.failure = Some(failure);
            self.platform.sleep(id, milliseconds, Wake::Never);
        }
        self.hold_polls(owner, failure.retry_after_ms);
        if delay.is_none() {
            self.finish_call(id, Err(failure.error), failure.reported);
        }
    }

    /// A create with a lost attempt is not repeated with a new token: that may be another subject's, whose ledger has no
    /// record of the key.
    fn end_lost_create(&mut self, id: Id) {
        if let Some(failure) = self.calls.get(id).and_then(|it| it.failure) {
            self.finish_call(id, Err(failure.error), failure.reported);
        }
    }

    /// Holds the polls of the task that a call is about for as long as the gateway wants, also after the call.
    fn hold_polls(&mut self, owner: Owner, retry_after_ms: u32) {
        let task = match owner {
            Owner::Poll(task) | Owner::Stream(task) => task,
            Owner::Promise(promise) => match self.promises.get(promise) {
                Some(Pending::Refresh { task, .. }) => *task,
                _ => return,
            },
            Owner::Session(_) | Owner::Upload(_) => return,
        };
        let until = self.platform.now() + f64::from(retry_after_ms.min(schedule::poll::MAX_WAIT_MS));
        if let Some(task) = self.tasks.get(task) {
            task.not_before = task.not_before.max(until);
        }
    }

    pub(super) fn call_fired(&mut self, id: Id) {
        let Some(call) = self.calls.get(id) else { return };
        match call.stage {
            Stage::Waiting if self.platform.is_offline() => {
                call.stage = Stage::Offline;
                self.platform.sleep(id, MAX_OFFLINE_MS, Wake::Online);
            }
            Stage::Waiting | Stage::Offline => self.attempt(id),
            Stage::Token | Stage::Sent => {}
        }
    }

    /// Removes a call and passes its outcome to its owner: that of a create with what is known of it.
    pub(super) fn finish_call(&mut self, id: Id, mut outcome: Outcome<P>, reported: Option<Reported>) {
        let Some(call) = self.calls.take(id) else { return };
        if let (Err(error), Some(create)) = (outcome, call.create) {
            outcome = Err(create.explain(&self.platform, error, reported));
        }
        match call.owner {
            Owner::Promise(promise) => self.promised_call_done(promise, &call, outcome),
            Owner::Session(gateway) => self.session_opened(gateway, outcome),
            Owner::Upload(upload) => self.upload_call_done(upload, outcome),
            Owner::Poll(task) => self.polled(task, outcome),
            Owner::Stream(task) => self.stream_opened(task, id, call.stage == Stage::Sent, outcome),
        }
    }

    /// Removes a call and aborts what it started. Its owner gets no outcome.
    pub(super) fn end_call(&mut self, id: Id) -> Option<Call<P::Value>> {
        let call = self.calls.take(id)?;
        self.platform.abort(id);
        self.stop_waiting(call.gateway);
        Some(call)
    }
}
