//! Calls of the gateway: their token, and when they are repeated.

use std::cell::Cell;
use std::rc::Rc;

use js_sys::Math;
use mediagate_core::text::concat;
use mediagate_core::{Outcome, PREFIX, schedule};
use wasm_bindgen::JsValue;

use super::create::Create;
use super::error::Error;
use super::limits::{online, sleep};
use super::response::{Expected, decode};
use super::session::Session;
use super::transport::{Request, send};

/// The token of a call.
pub enum Token<'a> {
    /// The session's, renewed where it must be.
    Session(&'a Session),
    /// This one; empty for none.
    Fixed(&'a str),
}

/// A call: a request, and how it is sent.
pub struct Call<'a> {
    /// The request.
    pub request: Request,
    /// Its token.
    pub token: Token<'a>,
    /// What its response should be.
    pub expected: Expected,
    /// The create that it is a request of; `None` for any other call.
    pub create: Option<&'a Create>,
}

/// One gateway, with the session of one client.
pub struct Gateway {
    /// Its URL, without a slash at the end.
    pub base: Rc<str>,
    /// The session.
    pub session: Session,
    /// The caller's function in the place of `fetch`; `undefined` for none.
    pub network: JsValue,
    /// The number of open streams of events.
    pub streams: Cell<u32>,
}

impl Gateway {
    /// The URL of a path without [`PREFIX`].
    pub fn url(&self, path: &str) -> String {
        concat(&[&self.base, PREFIX, path])
    }

    /// A call of a path: a `GET` without a body, a `POST` with one.
    pub fn call(&self, path: &str, body: JsValue, expected: Expected) -> Call<'_> {
        let (method, content_type) = if body.is_undefined() { ("GET", "") } else { ("POST", "application/json") };
        let mut request = Request::new(method, self.url(path), body, &self.network);
        request.content_type = content_type.into();
        Call { request, token: Token::Session(&self.session), expected, create: None }
    }
}

impl Call<'_> {
    /// Sends the call. It is repeated once with a new token where the gateway rejects the token, which it checks before
    /// anything else, and then on the schedule for retries as long as its errors allow. A create with a lost attempt is
    /// not repeated with a new token: that may be another subject's, whose ledger has no record of the key.
    ///
    /// # Errors
    /// Every error response by its code, `unreadable`, `upload_failed` and `network`.
    pub async fn send(self) -> Result<JsValue, Error> {
        let mut renewed = false;
        let mut attempts = 1;
        loop {
            let token = match self.token {
                Token::Session(session) => session.token().await?,
                Token::Fixed(token) => token.into(),
            };
            if let Some(create) = self.create {
                create.sent.set(true);
            }
            let response = send(&self.request, &token).await;
            if let (Token::Session(session), Ok(response)) = (&self.token, &response)
                && response.status == 401
                && !renewed
                && !self.create.is_some_and(|it| it.lost.get())
                && session.reject(&token)
            {
                renewed = true;
                continue;
            }
            let error = match response.and_then(|it| decode(it, self.expected)) {
                Err(error) if self.may_retry(&error) => error,
                other => return other,
            };
            let retry_after = error.number("retryAfter").map(|it| (it * 1000.0) as u32);
            match schedule::retry::delay(attempts, retry_after, Math::random()) {
                Some(milliseconds) => {
                    sleep(milliseconds).await;
                    online().await;
                }
                None => return Err(error),
            }
            attempts += 1;
        }
    }

    /// Whether a retry may succeed. A create whose outcome is unknown to the gateway is never sent again by it, so that a
    /// retry would get the same response.
    fn may_retry(&self, error: &Error) -> bool {
        let Some(create) = self.create else {
            return error.is_retryable() && !matches!(self.expected, Expected::Events);
        };
        let outcome = error.outcome();
        create.lost.set(create.lost.get() || outcome.is_none());
        // Where only the gateway's connection to its ledger failed, the ledger still has the outcome.
        let known =
            outcome.as_deref() != Some(Outcome::Unknown.name()) || error.outcome_cause().as_deref() == Some("ledger");
        error.is_retryable() && known
    }
}
