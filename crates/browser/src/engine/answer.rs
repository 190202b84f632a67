//! What an answer of the gateway means to the caller, and when to ask again.

use std::future::Future;

use js_sys::Math;
use mediagate_core::answer::{Answer, read};
use mediagate_core::{Expects, Task, schedule};

use super::error::{Error, code};
use super::host;
use super::http::Reply;
use super::limits::sleep;
use crate::value::Js;

/// A success.
pub enum Success {
    /// A task that can be polled.
    Task(Task<Js>),
    /// What else was asked for, or answered instead of a task.
    Result(Js),
}

/// Reads a reply: what was asked for, or an error that says why not.
pub fn success(reply: Reply, expects: Expects) -> Result<Success, Error> {
    let error = match read(reply.status, reply.body, expects) {
        Answer::Task(task) => return Ok(Success::Task(task)),
        Answer::Result(data) => return Ok(Success::Result(data)),
        Answer::Refused(envelope) => Error::refused(reply.status, &envelope),
        Answer::Unreadable(reason) => unreadable(reply.status, reason),
    };
    let mut error = error;
    error.retry_after_ms = reply.retry_after_ms;
    Err(match reply.request_id {
        Some(id) => error.with("requestId", host::text(&id)),
        None => error,
    })
}

/// Like [`success`], for what is no task.
pub fn result(reply: Reply, expects: Expects) -> Result<Js, Error> {
    let status = reply.status;
    match success(reply, expects)? {
        Success::Result(data) => Ok(data),
        Success::Task(_) => Err(unreadable(status, "unexpected_task")),
    }
}

/// An answer that is none of the gateway's.
pub fn unreadable(status: u16, reason: &str) -> Error {
    let message = "the answer is none of a Mediagate gateway; check the url, and what stands between";
    let mut error = Error::new(code::UNREADABLE, message).with("reason", host::text(reason));
    error.status = status;
    error.retryable = status == 429 || status >= 500;
    error
}

/// Repeats a read while its errors say that this may help. Never for a create: it may charge twice.
pub async fn retried<T, F: Future<Output = Result<T, Error>>>(attempt: impl Fn() -> F) -> Result<T, Error> {
    let mut attempts = 1;
    loop {
        let error = match attempt().await {
            Err(error) if error.retryable => error,
            other => return other,
        };
        match schedule::retry::delay(attempts, error.retry_after_ms, Math::random()) {
            Some(milliseconds) => sleep(milliseconds).await,
            None => return Err(error),
        }
        attempts += 1;
    }
}
