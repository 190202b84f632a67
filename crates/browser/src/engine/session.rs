//! The session token of a client, and when it is renewed.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use js_sys::Date;
use mediagate_core::Value;
use wasm_bindgen::JsValue;

use super::error::Error;
use super::limits::Work;
use super::shared::{Shared, WeakShared};
use super::transport::is_header_value;
use crate::value::Js;

/// Fetches a token, `{token, renewAt}`, with the time in milliseconds since 1970 or none. The argument is the token
/// before, if there was one.
pub type Fetch = Box<dyn Fn(Option<String>) -> Work>;

/// The session token of one client. It is fetched when it is needed, once for all callers that wait for it.
pub struct Session(Rc<State>);

struct State {
    /// `None` for a token that cannot be renewed.
    fetch: Option<Fetch>,
    /// The last token, `{token, renewAt}`: the object that is stored.
    current: RefCell<Js>,
    /// Whether the gateway rejected the current token.
    rejected: Cell<bool>,
    renewal: RefCell<WeakShared>,
}

impl Session {
    /// A session with a token that may be empty, `{token, renewAt}`, and the function that renews it.
    pub fn new(current: JsValue, fetch: Option<Fetch>) -> Self {
        let (rejected, renewal) = (Cell::new(false), RefCell::default());
        Session(Rc::new(State { fetch, current: RefCell::new(Js(current)), rejected, renewal }))
    }

    /// The current token, or a new one where it was rejected or must be renewed.
    ///
    /// # Errors
    /// Those of fetching a token; `invalid_argument` where what was fetched is no token.
    pub async fn token(&self) -> Result<String, Error> {
        let current = self.0.current.borrow().clone();
        if self.0.fetch.is_none() || (!self.0.rejected.get() && is_fresh(&current)) {
            return Ok(current.string("token").unwrap_or_default());
        }
        let joined = self.0.renewal.borrow().join();
        let renewal = joined.unwrap_or_else(|| {
            let state = Rc::clone(&self.0);
            let renewal = Shared::new(Box::pin(async move { state.renew().await }));
            *self.0.renewal.borrow_mut() = renewal.downgrade();
            renewal
        });
        Ok(renewal.await?.as_string().unwrap_or_default())
    }

    /// Records that the gateway responded with 401 to this token. Returns whether a new one can be fetched.
    pub fn reject(&self, used: &str) -> bool {
        // Another call may have renewed it since.
        if self.0.current.borrow().string("token").is_some_and(|it| it == used) {
            self.0.rejected.set(true);
        }
        self.0.fetch.is_some()
    }
}

impl State {
    async fn renew(&self) -> Result<JsValue, Error> {
        let previous = self.current.borrow().string("token");
        let next = match &self.fetch {
            Some(fetch) => Js(fetch(previous).await?),
            None => Js::default(),
        };
        if !next.string("token").is_some_and(|it| is_header_value(&it)) {
            return Err(Error::argument("the session token is no text of visible ASCII characters; give a JWT"));
        }
        let token = next.member("token");
        self.rejected.set(false);
        *self.current.borrow_mut() = next;
        Ok(token)
    }
}

/// Whether `{token, renewAt}` has a token that need not be renewed yet.
pub fn is_fresh(session: &Js) -> bool {
    session.string("token").is_some_and(|it| is_header_value(&it))
        && session.get("renewAt").is_none_or(|it| it.number() > Some(Date::now()))
}
