//! The session token: given, asked for, or an anonymous one of the gateway's.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use gloo_net::http::Method;
use js_sys::{Date, Function, Promise};
use mediagate_core::{Expects, Value};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;

use super::answer;
use super::error::Error;
use super::http::{self, is_header};
use super::shared::{Shared, Watch};
use super::storage::{self, Saved};
use crate::value::Js;

/// Where tokens come from.
pub enum Source {
    /// One token for good.
    Fixed(String),
    /// The caller's function: `() => string | Promise<string>`.
    Ask(Function),
    /// The gateway's `POST /session`, for a page without a backend of its own.
    Anonymous,
}

/// The token of one client, fetched when needed, once for all who wait.
pub struct Session {
    base: String,
    source: Source,
    token: RefCell<Option<String>>,
    /// When the token is to be renewed, in milliseconds since 1970.
    renew_at: Cell<f64>,
    asking: RefCell<Option<Watch>>,
}

impl Session {
    /// A session with the gateway at this URL.
    pub fn new(base: String, source: Source) -> Self {
        let session = Session {
            base,
            source,
            token: RefCell::default(),
            renew_at: Cell::new(f64::INFINITY),
            asking: RefCell::default(),
        };
        if let Source::Anonymous = session.source
            && let Some(saved) = storage::load(&session.base)
        {
            session.keep(saved);
        }
        session
    }

    /// A token that is believed to be valid.
    pub async fn token(self: &Rc<Self>) -> Result<String, Error> {
        let known = self.token.borrow().clone().filter(|_| Date::now() < self.renew_at.get());
        match known {
            Some(token) => Ok(token),
            None => self.renew().await,
        }
    }

    /// Another token in the place of one that was refused; `None` where there is no other.
    pub async fn replace(self: &Rc<Self>, refused: &str) -> Result<Option<String>, Error> {
        if let Source::Fixed(_) = self.source {
            return Ok(None);
        }
        let known = self.token.borrow().clone().filter(|it| it != refused);
        let token = match known {
            Some(token) => token,
            None => self.renew().await?,
        };
        Ok((token != refused).then_some(token))
    }

    /// Asks for a new token, or waits with those who do.
    async fn renew(self: &Rc<Self>) -> Result<String, Error> {
        let joined = self.asking.borrow().as_ref().and_then(Watch::join);
        let asking = joined.unwrap_or_else(|| {
            let session = Rc::clone(self);
            let asking = Shared::new(async move { session.ask().await });
            *self.asking.borrow_mut() = Some(asking.watch());
            asking
        });
        asking.await
    }

    async fn ask(&self) -> Result<String, Error> {
        let token = match &self.source {
            Source::Fixed(token) => token.clone(),
            Source::Ask(function) => called(function).await?,
            Source::Anonymous => self.anonymous().await?,
        };
        if !is_header(&token) {
            return Err(Error::argument("the session token is empty or has characters no token has; give a JWT"));
        }
        *self.token.borrow_mut() = Some(token.clone());
        Ok(token)
    }

    /// Renews the same subject where there was a token before: another one would not own its tasks.
    async fn anonymous(&self) -> Result<String, Error> {
        let previous = self.token.borrow().clone();
        if let Some(token) = self.adopt(previous.as_deref()) {
            return Ok(token);
        }
        let granted = match &previous {
            // One that is too old, or signed by keys that are gone, must not keep the page out.
            Some(token) => match self.post(Some(token)).await {
                Err(error) if error.status == 401 => self.post(None).await?,
                other => other?,
            },
            None => self.post(None).await?,
        };
        // Another tab may have begun at the same time: all tabs are one subject, the one that was stored first.
        if previous.is_none()
            && let Some(token) = self.adopt(None)
        {
            return Ok(token);
        }
        storage::save(&self.base, &granted);
        let token = granted.token.clone();
        self.keep(granted);
        Ok(token)
    }

    /// Takes over what another tab has stored, where that is another token and a fresh one.
    fn adopt(&self, previous: Option<&str>) -> Option<String> {
        let stored = storage::load(&self.base)?;
        let usable = Date::now() < stored.renew_at && previous != Some(&stored.token) && is_header(&stored.token);
        usable.then(|| {
            let token = stored.token.clone();
            self.keep(stored);
            token
        })
    }

    fn keep(&self, saved: Saved) {
        if is_header(&saved.token) {
            self.renew_at.set(saved.renew_at);
            *self.token.borrow_mut() = Some(saved.token);
        }
    }

    async fn post(&self, previous: Option<&str>) -> Result<Saved, Error> {
        let url = [&self.base, "/session"].concat();
        let bearer = ["Bearer ", previous.unwrap_or_default()].concat();
        let headers = [("x-mediagate", "1"), ("authorization", &bearer)];
        let headers = if previous.is_some() { &headers[..] } else { &headers[..1] };
        let data = answer::retried(|| async {
            answer::result(http::send(Method::POST, &url, headers, JsValue::UNDEFINED).await?, Expects::Data)
        })
        .await?;
        let session = Js(data.member("session"));
        let (Some(token), Some(seconds)) =
            (session.string("token"), session.get("expires_in").and_then(|it| it.number()))
        else {
            return Err(answer::unreadable(200, "no_session"));
        };
        // A fifth of its life before the end, a minute at most: enough for a slow renewal, also of a short token.
        let milliseconds = seconds * 1000.0;
        Ok(Saved { token, renew_at: Date::now() + milliseconds - (milliseconds / 5.0).min(60_000.0) })
    }
}

/// What the caller's function gives, at once or later.
async fn called(function: &Function) -> Result<String, Error> {
    let failed = |cause| Error::argument("the token function failed; its error is the cause").with("cause", cause);
    let given = function.call0(&JsValue::UNDEFINED).map_err(failed)?;
    let given = JsFuture::from(Promise::resolve(&given)).await.map_err(failed)?;
    given.as_string().ok_or_else(|| Error::argument("the token function gave no string; give a session token"))
}

/// Reads the `token` option.
pub fn source(token: JsValue) -> Result<Source, Error> {
    if token.is_undefined() || token.is_null() {
        return Ok(Source::Anonymous);
    }
    if let Some(token) = token.as_string() {
        return if is_header(&token) { Ok(Source::Fixed(token)) } else { Err(no_token()) };
    }
    token.dyn_into().map(Source::Ask).map_err(|_| no_token())
}

fn no_token() -> Error {
    Error::argument(
        "token is neither a session token nor a function that gives one; leave it out for an anonymous session",
    )
}
