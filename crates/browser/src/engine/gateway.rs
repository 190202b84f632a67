//! Calls of the gateway: the token on them, what their answers mean, and when to ask again.

use std::cell::Cell;
use std::rc::Rc;

use js_sys::Math;
use mediagate_core::response::{Response, decode as decode_response};
use mediagate_core::text::concat;
use mediagate_core::{Capability, Expects, Outcome, PREFIX, schedule};
use wasm_bindgen::JsValue;

use super::error::{Error, code};
use super::host;
use super::limits::{online, sleep};
use super::session::Session;
use super::snapshot;
use super::transport::{Reply, Request, Underway, send};
use crate::value::Js;

/// What a create has beyond other calls.
#[derive(Default)]
pub struct Create {
    /// Its idempotency key.
    pub key: String,
    /// Whether anything was sent of it.
    pub sent: Cell<bool>,
    /// Whether an answer to it was lost: the service may have taken it all the same.
    pub lost: Cell<bool>,
}

/// What a caller wants to read, and what it is given.
#[derive(Clone, Copy)]
pub enum Wants {
    /// `data`, as it came.
    Data,
    /// That the bytes of a file were taken.
    Stored,
    /// A task's snapshot, or the one of a task that is already done, where the capability may answer without a task.
    Task(&'static Capability),
    /// Like `Task`, but a task must come.
    Status(&'static Capability),
    /// A stream of events: its [`host::Exchange`], which is open. Asked for once: who can't have it looks instead.
    Events,
}

/// Which token goes with a call.
pub enum Token<'a> {
    /// The session's.
    Session(&'a Session),
    /// This one; empty for none.
    Given(&'a str),
}

/// A call and how to make it.
pub struct Call<'a> {
    /// What is sent.
    pub request: Request,
    /// Its token.
    pub token: Token<'a>,
    /// What is read.
    pub wants: Wants,
    /// Of a create, its key: by that the gateway knows it again, and charges once however often it is sent.
    pub create: Option<&'a Create>,
}

/// One gateway as one caller sees it.
pub struct Gateway {
    /// Its URL, without a slash at the end.
    pub base: Rc<str>,
    /// The caller's session.
    pub session: Session,
    /// What is asked in the place of `fetch`; `undefined` for `fetch` itself.
    pub network: JsValue,
    /// How many streams of events are open.
    pub streams: Cell<u32>,
}

impl Gateway {
    /// The URL of a path of the service, given without [`PREFIX`].
    pub fn url(&self, path: &str) -> String {
        concat(&[&self.base, PREFIX, path])
    }

    /// A call of a path: a `GET` without a body, a `POST` with one.
    pub fn call(&self, path: &str, body: JsValue, wants: Wants) -> Call<'_> {
        let (method, content_type) = if body.is_undefined() { ("GET", "") } else { ("POST", "application/json") };
        let mut request = Request::new(method, self.url(path), body, &self.network);
        request.content_type = content_type.into();
        Call { request, token: Token::Session(&self.session), wants, create: None }
    }
}

impl Call<'_> {
    /// Makes the call: once more with a new token where the gateway refused the old one, which it does before anything
    /// else happens, and again as long as the error allows. A create of which an answer was lost takes no new token: it
    /// may be somebody else's, whose ledger does not know the key.
    ///
    /// # Errors
    /// Every refusal, every unreadable answer, and `network`.
    pub async fn send(self) -> Result<JsValue, Error> {
        let mut renewed = false;
        let mut attempts = 1;
        loop {
            let token = match self.token {
                Token::Session(session) => session.token().await?,
                Token::Given(token) => token.into(),
            };
            if let Some(create) = self.create {
                create.sent.set(true);
            }
            let reply = send(&self.request, &token).await;
            if let (Token::Session(session), Ok(reply)) = (&self.token, &reply)
                && reply.status == 401
                && !renewed
                && !self.create.is_some_and(|it| it.lost.get())
                && session.refused(&token)
            {
                renewed = true;
                continue;
            }
            let error = match reply.and_then(|it| decode(it, self.wants)) {
                Err(error) if self.may_repeat(&error) => error,
                other => return other,
            };
            let asked = error.number("retryAfter").map(|it| (it * 1000.0) as u32);
            match schedule::retry::delay(attempts, asked, Math::random()) {
                Some(milliseconds) => {
                    sleep(milliseconds).await;
                    online().await;
                }
                None => return Err(error),
            }
            attempts += 1;
        }
    }

    /// Whether the same again may go better. The gateway never sends a create again of which it does not know what it
    /// has done, and remembers that: asking again gives the same answer.
    fn may_repeat(&self, error: &Error) -> bool {
        let Some(create) = self.create else {
            return error.is_retryable() && !matches!(self.wants, Wants::Events);
        };
        let outcome = error.outcome();
        create.lost.set(create.lost.get() || outcome.is_none());
        // It lost track of its own ledger, which knows.
        let known = outcome.as_deref() != Some(Outcome::Unknown.name()) || error.cause().as_deref() == Some("ledger");
        error.is_retryable() && known
    }
}

/// Reads a reply: what was asked for, or an error that says why not.
///
/// # Errors
/// Every refusal by its code; `unreadable` for everything else.
pub fn decode(mut reply: Reply, wants: Wants) -> Result<JsValue, Error> {
    if let (Wants::Events, Some(Underway(exchange))) = (wants, &reply.exchange) {
        let stream = exchange.stream();
        if !stream.is_undefined() {
            return Ok(stream);
        }
    }
    let (expects, capability) = match wants {
        Wants::Stored if (200..300).contains(&reply.status) => return Ok(JsValue::UNDEFINED),
        Wants::Data | Wants::Stored | Wants::Events => (Expects::Data, None),
        Wants::Task(it) if it.may_answer_without_task => (Expects::TaskOrResult, Some(it)),
        Wants::Task(it) | Wants::Status(it) => (Expects::Task, Some(it)),
    };
    let error = match decode_response(reply.status, reply.body.take(), expects) {
        Response::Task(task) => return Ok(snapshot::of(capability, task)),
        Response::Result(_) if matches!(wants, Wants::Events) => unreadable(reply.status, "no_stream"),
        Response::Result(data) => return Ok(capability.map_or(data.0.clone(), |it| snapshot::finished(it, &data))),
        Response::Error(envelope) => Error::refused(reply.status, &envelope),
        // A storage answers in its own way; the relay, as the gateway does.
        Response::Unreadable(_) if matches!(wants, Wants::Stored) => Error::of_status(
            code::UPLOAD_FAILED,
            "the storage refused the upload; the browser's network log has its answer",
            reply.status,
        ),
        Response::Unreadable(reason) => unreadable(reply.status, reason),
    };
    Err(reply.tell(error))
}

/// An answer that is none of the gateway's.
pub fn unreadable(status: u16, reason: &str) -> Error {
    let message = "the answer is none of a Mediagate gateway; check the url, and what stands between";
    Error::of_status(code::UNREADABLE, message, status).with("reason", host::text(reason))
}

/// The member of an answer's data; `undefined` where there is none.
pub fn member(data: JsValue, name: &str) -> Js {
    Js(Js(data).member(name))
}
