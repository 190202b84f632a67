//! The session token of a client, and when it is renewed.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use js_sys::{Date, Function};
use mediagate_core::Value;
use wasm_bindgen::JsValue;

use super::error::Error;
use super::limits::Work;
use super::shared::{Shared, WeakShared};
use super::transport::is_header_value;
use crate::value::Js;

/// The session of one client. Its token is fetched when it is needed, once for all callers that wait for it.
pub struct Session {
    state: Rc<State>,
    renew: Renew,
    renewal: RefCell<WeakShared>,
}

/// Fetches a new token, keeps it in [`State::current`] and returns it, a string.
pub type Renew = fn(Rc<State>) -> Work;

/// The last token of a session, and where the next one comes from.
pub struct State {
    /// Where tokens come from.
    pub source: Source,
    /// The last token, `{token, renewAt}`, with the time in milliseconds since 1970: the object that is stored.
    pub current: RefCell<Js>,
    /// Whether the gateway rejected the last token.
    pub rejected: Cell<bool>,
    /// The gateway's URL, without a slash at the end.
    pub base: Rc<str>,
    /// The caller's function in the place of `fetch`; `undefined` for none.
    pub network: JsValue,
    /// The caller's function that returns the response of a Turnstile widget.
    pub turnstile: Option<Function>,
}

/// Where tokens come from.
pub enum Source {
    /// The caller gave one, which cannot be renewed.
    Fixed,
    /// The caller's function: `() => string | Promise<string>`.
    Function(Function),
    /// The gateway's `POST /session`, for a page without a backend of its own.
    Anonymous,
}

impl Session {
    /// A session, and the function that renews its token.
    pub fn new(state: State, renew: Renew) -> Self {
        Session { state: Rc::new(state), renew, renewal: RefCell::default() }
    }

    /// Whether it is an anonymous session of the gateway.
    pub fn is_anonymous(&self) -> bool {
        matches!(self.state.source, Source::Anonymous)
    }

    /// The last token, or a new one where it was rejected or must be renewed.
    ///
    /// # Errors
    /// Those of fetching a token.
    pub async fn token(&self) -> Result<String, Error> {
        let current = self.state.current.borrow().clone();
        if self.is_fixed() || (!self.state.rejected.get() && is_fresh(&current)) {
            return Ok(current.string("token").unwrap_or_default());
        }
        let joined = self.renewal.borrow().join();
        let renewal = joined.unwrap_or_else(|| {
            let renewal = Shared::new((self.renew)(Rc::clone(&self.state)));
            *self.renewal.borrow_mut() = renewal.downgrade();
            renewal
        });
        Ok(renewal.await?.as_string().unwrap_or_default())
    }

    /// Records that the gateway responded with 401 to this token. Returns whether a new one can be fetched.
    pub fn reject(&self, used: &str) -> bool {
        // Another call may have renewed it since.
        if self.state.current.borrow().string("token").is_some_and(|it| it == used) {
            self.state.rejected.set(true);
        }
        !self.is_fixed()
    }

    fn is_fixed(&self) -> bool {
        matches!(self.state.source, Source::Fixed)
    }
}

/// Whether `{token, renewAt}` has a token that need not be renewed yet.
pub fn is_fresh(session: &Js) -> bool {
    session.string("token").is_some_and(|it| is_header_value(&it))
        && session.get("renewAt").is_none_or(|it| it.number() > Some(Date::now()))
}
