//! Calls of the gateway, with the session token.

use std::cell::Cell;
use std::rc::Rc;

use gloo_net::http::Method;
use mediagate_core::{Expects, PREFIX};
use wasm_bindgen::JsValue;

use super::answer::{self, Success};
use super::error::Error;
use super::http::{self, Reply};
use super::session::Session;
use crate::value::Js;

/// What a create has beyond other calls.
pub struct Create<'a> {
    /// Its idempotency key.
    pub key: &'a str,
    /// Whether anything was sent of it.
    pub sent: &'a Cell<bool>,
}

/// One gateway as one caller sees it.
pub struct Gateway {
    /// Its URL, without a slash at the end.
    pub base: String,
    /// The caller's session.
    pub session: Rc<Session>,
}

impl Gateway {
    /// The URL of a path of the service, given without [`PREFIX`].
    pub fn url(&self, path: &str) -> String {
        [&self.base, PREFIX, path].concat()
    }

    /// Reads what has no effect, and so may be asked for again: a `GET` without a body, a `POST` with one.
    pub async fn read(&self, path: &str, body: Option<&JsValue>, expects: Expects) -> Result<Success, Error> {
        answer::retried(|| async { answer::success(self.send(path, body, None).await?, expects) }).await
    }

    /// Like [`Gateway::read`], for `data` other than a task.
    pub async fn data(&self, path: &str, body: Option<&JsValue>) -> Result<Js, Error> {
        match self.read(path, body, Expects::Data).await? {
            Success::Result(data) => Ok(data),
            Success::Task(task) => Ok(task.raw),
        }
    }

    /// Sends a create, once.
    pub async fn create(
        &self,
        path: &str,
        body: &JsValue,
        create: &Create<'_>,
        expects: Expects,
    ) -> Result<Success, Error> {
        answer::success(self.send(path, Some(body), Some(create)).await?, expects)
    }

    /// Sends a request; once more with a new token where the gateway refused the old one, which it does before anything
    /// else happens.
    async fn send(&self, path: &str, body: Option<&JsValue>, create: Option<&Create<'_>>) -> Result<Reply, Error> {
        let token = self.session.token().await?;
        let reply = self.attempt(path, body, create, &token).await?;
        if reply.status != 401 {
            return Ok(reply);
        }
        match self.session.replace(&token).await? {
            Some(token) => self.attempt(path, body, create, &token).await,
            None => Ok(reply),
        }
    }

    async fn attempt(
        &self,
        path: &str,
        body: Option<&JsValue>,
        create: Option<&Create<'_>>,
        token: &str,
    ) -> Result<Reply, Error> {
        let bearer = ["Bearer ", token].concat();
        let headers = [
            ("authorization", bearer.as_str()),
            ("content-type", "application/json"),
            ("idempotency-key", create.map_or("", |it| it.key)),
        ];
        let (method, count) = match (body, create) {
            (None, _) => (Method::GET, 1),
            (Some(_), None) => (Method::POST, 2),
            (Some(_), Some(create)) => {
                create.sent.set(true);
                (Method::POST, 3)
            }
        };
        let body = body.cloned().unwrap_or(JsValue::UNDEFINED);
        http::send(method, &self.url(path), headers.get(..count).unwrap_or_default(), body).await
    }
}
