//! Calls of the gateway: the token on them, what their answers mean, and when to ask again.

use std::cell::Cell;

use js_sys::Math;
use mediagate_core::answer::{Answer, read};
use mediagate_core::{Capability, Expects, PREFIX, schedule};
use wasm_bindgen::JsValue;

use super::error::{Error, code};
use super::host;
use super::limits::sleep;
use super::session::Session;
use super::snapshot;
use super::transport::{Reply, Request, send};
use crate::value::Js;

/// What a create has beyond other calls.
#[derive(Default)]
pub struct Create {
    /// Its idempotency key.
    pub key: String,
    /// Whether anything was sent of it.
    pub sent: Cell<bool>,
}

/// What a caller wants to read, and what it is given.
#[derive(Clone, Copy)]
pub enum Wants {
    /// `data`, as it came.
    Data,
    /// A task's snapshot, or the one of a task that is already done, where the capability may answer without a task.
    Task(&'static Capability),
    /// Like `Task`, but a task must come.
    Status(&'static Capability),
}

/// One gateway as one caller sees it.
pub struct Gateway {
    /// Its URL, without a slash at the end.
    pub base: String,
    /// The caller's session.
    pub session: Session,
}

impl Gateway {
    /// The URL of a path of the service, given without [`PREFIX`].
    pub fn url(&self, path: &str) -> String {
        [&self.base, PREFIX, path].concat()
    }

    /// Reads what has no effect, and so may be asked for again: a `GET` without a body, a `POST` with one.
    ///
    /// # Errors
    /// What the last of several attempts ended in.
    pub async fn read(&self, path: &str, body: &JsValue, wants: Wants) -> Result<JsValue, Error> {
        let mut attempts = 1;
        loop {
            let error = match self.call(path, body, None, wants).await {
                Err(error) if error.is_retryable() => error,
                other => return other,
            };
            pause(attempts, error).await?;
            attempts += 1;
        }
    }

    /// Calls once; once more with a new token where the gateway refused the old one, which it does before anything else
    /// happens.
    ///
    /// # Errors
    /// Every refusal, every unreadable answer, and `network`.
    pub async fn call(
        &self,
        path: &str,
        body: &JsValue,
        create: Option<&Create>,
        wants: Wants,
    ) -> Result<JsValue, Error> {
        let url = self.url(path);
        let mut token = self.session.token(&self.base).await?;
        let mut renewed = false;
        loop {
            if let Some(create) = create {
                create.sent.set(true);
            }
            let reply = send(&Request {
                method: if body.is_undefined() { "GET" } else { "POST" },
                url: &url,
                headers: [
                    ("authorization", &["Bearer ", &token].concat()),
                    ("content-type", if body.is_undefined() { "" } else { "application/json" }),
                    ("idempotency-key", create.map_or("", |it| &it.key)),
                ],
                body,
            })
            .await?;
            match self.session.another(&self.base, &token, reply.status).await? {
                Some(fresh) if !renewed => (token, renewed) = (fresh, true),
                _ => return decode(reply, wants),
            }
        }
    }
}

/// Waits before the next attempt, as long as the error asks for.
///
/// # Errors
/// The error itself, when it is time to give up.
pub async fn pause(attempts: u32, error: Error) -> Result<(), Error> {
    let asked = error.number("retryAfter").map(|it| (it * 1000.0) as u32);
    match schedule::retry::delay(attempts, asked, Math::random()) {
        Some(milliseconds) => {
            sleep(milliseconds).await;
            Ok(())
        }
        None => Err(error),
    }
}

/// Reads a reply: what was asked for, or an error that says why not.
///
/// # Errors
/// Every refusal by its code; `unreadable` for everything else.
pub fn decode(mut reply: Reply, wants: Wants) -> Result<JsValue, Error> {
    let (expects, capability) = match wants {
        Wants::Data => (Expects::Data, None),
        Wants::Task(it) if it.may_answer_without_task => (Expects::TaskOrResult, Some(it)),
        Wants::Task(it) | Wants::Status(it) => (Expects::Task, Some(it)),
    };
    let error = match (read(reply.status, reply.body.take(), expects), capability) {
        (Answer::Task(task), capability) => return Ok(snapshot::of(capability, task)),
        (Answer::Result(data), None) => return Ok(data.0),
        (Answer::Result(data), Some(capability)) => return Ok(snapshot::finished(capability, &data)),
        (Answer::Refused(envelope), _) => Error::refused(reply.status, &envelope),
        (Answer::Unreadable(reason), _) => unreadable(reply.status, reason),
    };
    Err(reply.tell(error))
}

/// An answer that is none of the gateway's.
pub fn unreadable(status: u16, reason: &str) -> Error {
    let message = "the answer is none of a Mediagate gateway; check the url, and what stands between";
    let error = Error::new(code::UNREADABLE, message).with("reason", host::text(reason)).with("status", status);
    if status == 429 || status >= 500 { error.retryable() } else { error }
}

/// The member of an answer's data; `undefined` where there is none.
pub fn member(data: JsValue, name: &str) -> Js {
    Js(Js(data).member(name))
}
