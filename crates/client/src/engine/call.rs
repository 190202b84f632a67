//! One request to a gateway or a storage: its token, and when it is repeated.

use alloc::vec::Vec;

use mediagate_core::schedule;

use super::machine::{Engine, Outcome};
use crate::error::{Error, Failure, Reported, code};
use crate::platform::{Block, Body, Id, Platform, Response, Wake};
use crate::response::decode;
use crate::state::call::{Call, MAX_OFFLINE_MS, Owner, Stage};
use crate::state::pending::Pending;

const NO_RESPONSE: [&str; 3] = [
    code::NETWORK,
    "no response from the gateway",
    "check the connection, the url, connect-src of the page's Content-Security-Policy, the gateway's ALLOWED_ORIGINS, and each \
     header that a middleware adds",
];
const NOT_STORED: [&str; 3] = [
    code::UPLOAD_FAILED,
    "the upload did not reach the storage",
    "check the connection, and that the storage allows this page's origin (CORS)",
];
/// What keeps a page from a gateway, and what to do.
const BLOCKED: &str = "the browser blocked the request to the gateway";
const BY_CORS: &str = "CORS does not allow it: check the url, the gateway's ALLOWED_ORIGINS, and each header that a middleware adds";
const BY_POLICY: &str = "add the gateway to connect-src of the page's Content-Security-Policy";

impl<P: Platform> Engine<P> {
    /// Starts a call. Its owner gets the outcome later, never before this returns.
    pub(super) fn start(&mut self, call: Call<P::Value>) -> Id {
        let id = self.platform.new_id();
        self.calls.insert(id, call);
        self.attempt(id);
        id
    }

    fn attempt(&mut self, id: Id) {
        let Some(call) = self.calls.get(id) else {
            return;
        };
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
        let Some(call) = self.calls.get(id) else {
            return;
        };
        if call.in_session {
            let token = self
                .gateways
                .get(call.gateway)
                .and_then(|it| it.session.token);
            if call.is_lost()
                && !self
                    .platform
                    .is_identical(call.request.authorization, token)
            {
                return self.end_lost_create(id);
            }
            call.request.authorization = token;
        }
        call.is_held_back = self.platform.is_offline();
        if let Some(create) = &mut call.create {
            create.is_sent = true;
            create.is_under_way = true;
        }
        call.stage = Stage::Sent;
        self.platform.request(id, &call.request);
        if let Owner::Stream(task) = call.owner {
            self.stream_requested(task);
        }
    }

    /// A request got a response.
    pub fn responded(&mut self, id: Id, response: Response<P::Value>) {
        let Some(call) = self.calls.get(id) else {
            return;
        };
        call.end_attempt();
        if let Some(gateway) = self.gateways.get(call.gateway) {
            gateway.has_responded = true;
        }
        // The gateway checks the token before anything else.
        let is_rejected =
            response.status == 401 && call.in_session && !call.has_renewed && !call.is_lost();
        let used = call.request.authorization;
        if is_rejected
            && self
                .gateways
                .get(call.gateway)
                .is_some_and(|it| it.reject(&self.platform, used))
        {
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

    /// A request got no response, for this cause. `is_refused`: there was no connection that it could have been sent on.
    pub fn failed(&mut self, id: Id, cause: P::Value, is_refused: bool) {
        let Some(call) = self.calls.get(id) else {
            return;
        };
        call.is_held_back |= is_refused;
        call.end_attempt();
        let is_file = matches!(call.request.body, Body::File(..));
        let [code, message, hint] = if is_file { NOT_STORED } else { NO_RESPONSE };
        let error = Error::with_status(&self.platform, code, message, 0, true)
            .with_hint(&self.platform, hint);
        let error = error.with(&self.platform, "cause", Some(cause));
        self.attempt_failed(id, error.into());
    }

    fn attempt_failed(&mut self, id: Id, failure: Failure<P::Value>) {
        let Some(call) = self.calls.get(id) else {
            return;
        };
        let (owner, may_repeat) = (call.owner, call.may_repeat(&failure));
        call.failures += 1;
        call.failure = Some(failure);
        let failures = call.failures;
        self.hold_polls(owner, failure.retry_after_ms);
        let delay = may_repeat
            .then(|| self.retry_delay(owner, failures, &failure))
            .flatten();
        match (delay, self.calls.get(id)) {
            (Some(milliseconds), Some(call)) => {
                call.stage = Stage::Waiting;
                self.platform.sleep(id, milliseconds, Wake::Never);
            }
            _ => self.diagnose(id, failure),
        }
    }

    /// When a call is repeated, of which those who wait for it are notified: as often as any of them allows.
    fn retry_delay(&self, owner: Owner, failures: u32, failure: &Failure<P::Value>) -> Option<u32> {
        let (platform, mut retries) = (&self.platform, 0);
        let waiting = self.waiting_for_call(owner);
        for promise in &waiting {
            retries = retries.max(
                platform
                    .retries(*promise)
                    .unwrap_or(schedule::retry::RETRIES),
            );
        }
        let milliseconds = schedule::retry::delay(
            failures,
            retries,
            Some(failure.retry_after_ms),
            platform.random(),
        )?;
        for promise in waiting {
            platform.notify_retry(promise, failures, milliseconds, failure.error.value);
        }
        Some(milliseconds)
    }

    /// The promises that wait for the owner of a call.
    fn waiting_for_call(&self, owner: Owner) -> Vec<Id> {
        match owner {
            Owner::Promise(promise) => Vec::from([promise]),
            // Calls among them have no limits: theirs are the default.
            Owner::Session(gateway) => self.waiting_for_token(gateway),
            Owner::Upload(upload) => self.waiting_for_upload(upload),
            Owner::Poll(task) => {
                let mut waiting = self.waiting_for(task);
                // Of a transfer that waits for the task, its create.
                for id in &mut waiting {
                    *id = self
                        .missing
                        .iter()
                        .find(|it| it.by == *id)
                        .map_or(*id, |it| it.promise);
                }
                waiting
            }
            Owner::Stream(_) => Vec::new(),
        }
    }

    /// A call has failed for good. Where there was never a response, the platform first finds out why.
    fn diagnose(&mut self, id: Id, failure: Failure<P::Value>) {
        let Some(call) = self.calls.get(id) else {
            return;
        };
        let is_known = self
            .gateways
            .get(call.gateway)
            .is_some_and(|it| it.has_responded);
        if is_known || call.is_held_back || !call.is_unexplained(&failure) {
            return self.finish_call(id, Err(failure.error), failure.reported);
        }
        call.stage = Stage::Diagnosing;
        self.platform.diagnose(id, &call.request);
    }

    /// The platform found out what keeps the page from a gateway; `None` for nothing that it sees.
    pub fn diagnosed(&mut self, id: Id, block: Option<Block>) {
        let Some(call) = self.calls.get(id) else {
            return;
        };
        let Some(Failure {
            mut error,
            reported,
            ..
        }) = call.failure
        else {
            return;
        };
        if let Some(block) = block {
            // None of its requests has left the page.
            if let Some(create) = &mut call.create {
                create.may_have_left = false;
            }
            let platform = &self.platform;
            let hint = platform.text(if block == Block::Cors {
                BY_CORS
            } else {
                BY_POLICY
            });
            error = error
                .with(platform, "message", Some(platform.text(BLOCKED)))
                .with(platform, "hint", Some(hint));
        }
        self.finish_call(id, Err(error), reported);
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
        let until =
            self.platform.now() + f64::from(retry_after_ms.min(schedule::poll::MAX_WAIT_MS));
        if let Some(task) = self.tasks.get(task) {
            task.not_before = task.not_before.max(until);
        }
    }

    pub(super) fn call_fired(&mut self, id: Id) {
        let Some(call) = self.calls.get(id) else {
            return;
        };
        match call.stage {
            Stage::Waiting if self.platform.is_offline() => {
                call.stage = Stage::Offline;
                self.platform.sleep(id, MAX_OFFLINE_MS, Wake::Online);
            }
            Stage::Waiting | Stage::Offline => self.attempt(id),
            Stage::Token | Stage::Sent | Stage::Diagnosing => {}
        }
    }

    /// Removes a call and passes its outcome to its owner: that of a create with what is known of it.
    pub(super) fn finish_call(
        &mut self,
        id: Id,
        mut outcome: Outcome<P>,
        reported: Option<Reported>,
    ) {
        let Some(call) = self.calls.take(id) else {
            return;
        };
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
