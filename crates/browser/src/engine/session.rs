//! The session token: given, asked for, or an anonymous one of the gateway's.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use js_sys::{Array, Date, Function, Promise};
use mediagate_core::Value;
use mediagate_core::text::concat;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;

use super::error::Error;
use super::gateway::{Call, Token, Wants, member, unreadable};
use super::host;
use super::shared::{Shared, Watch};
use super::transport::{Request, is_header};
use crate::value::Js;

/// The token of one client, fetched when needed, once for all who wait.
pub struct Session(Rc<State>);

struct State {
    /// The gateway's URL.
    base: Rc<str>,
    /// What is asked in the place of `fetch`.
    network: JsValue,
    /// The caller's function that gives what Turnstile's widget said; `undefined` where the gateway asks for none.
    turnstile: Option<Function>,
    source: Source,
    /// The last token, with its `renewAt`: as an object, the way it is stored.
    known: RefCell<Js>,
    /// Whether the gateway refused it.
    refused: Cell<bool>,
    asking: RefCell<Watch>,
}

enum Source {
    /// One token for good.
    Fixed,
    /// The caller's function: `() => string | Promise<string>`.
    Ask(Function),
    /// The gateway's `POST /session`, for a page without a backend of its own.
    Anonymous,
}

impl Session {
    /// Reads the `token` option: a token, a function that gives one, or nothing for an anonymous session, for which
    /// `turnstile` may be a function that gives the widget's response.
    ///
    /// # Errors
    /// `invalid_argument` for anything else.
    pub fn new(base: Rc<str>, token: JsValue, turnstile: JsValue, network: JsValue) -> Result<Self, Error> {
        let turnstile = (!turnstile.is_undefined()).then(|| turnstile.dyn_into()).transpose();
        let turnstile = turnstile
            .map_err(|_| Error::argument("turnstile is no function; give one that gives the widget's response"))?;
        let known = RefCell::new(Js(host::object(&[])));
        let source = if token.is_undefined() || token.is_null() {
            Source::Anonymous
        } else if token.as_string().is_some_and(|it| is_header(&it)) {
            host::set(&known.borrow().0, "token", &token);
            Source::Fixed
        } else {
            let message =
                "token is neither a session token nor a function that gives one; leave it out for an anonymous session";
            Source::Ask(token.dyn_into().map_err(|_| Error::argument(message))?)
        };
        Ok(Session(Rc::new(State {
            base,
            network,
            turnstile,
            source,
            known,
            refused: Cell::new(false),
            asking: RefCell::default(),
        })))
    }

    /// Whether the gateway opens it.
    pub fn is_anonymous(&self) -> bool {
        matches!(self.0.source, Source::Anonymous)
    }

    /// A token that is believed to be valid.
    ///
    /// # Errors
    /// What getting one ended in.
    pub async fn token(&self) -> Result<String, Error> {
        let known = self.0.known.borrow().clone();
        if !self.0.refused.get() && is_fresh(&known) {
            return Ok(known.string("token").unwrap_or_default());
        }
        let joined = self.0.asking.borrow().join();
        let asking = joined.unwrap_or_else(|| {
            let state = Rc::clone(&self.0);
            let asking = Shared::new(Box::pin(async move { state.ask().await }));
            *self.0.asking.borrow_mut() = asking.watch();
            asking
        });
        Ok(asking.await?.as_string().unwrap_or_default())
    }

    /// Notes that the gateway answered 401 to this token; whether there may be another.
    pub fn refused(&self, used: &str) -> bool {
        // Another call may have replaced it by now.
        if self.0.known.borrow().string("token").is_some_and(|it| it == used) {
            self.0.refused.set(true);
        }
        !matches!(self.0.source, Source::Fixed)
    }
}

impl State {
    async fn ask(&self) -> Result<JsValue, Error> {
        let known = match &self.source {
            Source::Ask(function) => called(function).await?,
            _ => self.anonymous().await?,
        };
        if !known.string("token").is_some_and(|it| is_header(&it)) {
            return Err(Error::argument("the session token is no text of visible ASCII characters; give a JWT"));
        }
        let token = known.member("token");
        self.refused.set(false);
        *self.known.borrow_mut() = known;
        Ok(token)
    }

    /// Renews the same subject where there was a token before: another one would not own its tasks.
    async fn anonymous(&self) -> Result<Js, Error> {
        let base = &self.base;
        let mut previous = self.known.borrow().string("token");
        let stored = Js(host::kept(&key(base)));
        let token = stored.string("token");
        if is_fresh(&stored) && token != previous {
            return Ok(stored);
        }
        previous = previous.or(token);
        let granted = match open(self, previous.as_deref().unwrap_or_default()).await {
            // A token that is too old, or signed by keys that are gone, must not keep the page out.
            Err(error) if previous.is_some() && error.number("status") == Some(401.0) => open(self, "").await?,
            other => other?,
        };
        // Another tab may have begun at the same time: all tabs are one subject, the one that was stored first.
        let first = Js(host::kept(&key(base)));
        if previous.is_none() && is_fresh(&first) {
            return Ok(first);
        }
        host::keep(&key(base), &granted.0);
        Ok(granted)
    }
}

/// `POST /session`: a previous token keeps its subject.
async fn open(state: &State, previous: &str) -> Result<Js, Error> {
    let vouched = match &state.turnstile {
        Some(function) => {
            let response = called(function).await?.string("token").filter(|it| is_header(it));
            response.ok_or_else(|| Error::argument("turnstile gave no response of its widget"))?
        }
        None => String::new(),
    };
    let mut request = Request::new("POST", concat(&[&state.base, "/session"]), JsValue::UNDEFINED, &state.network);
    request.headers = [("x-mediagate", "1".into()), ("x-turnstile-response", vouched)];
    let call = Call { request, token: Token::Given(previous), wants: Wants::Data, create: None };
    let session = member(call.send().await?, "session");
    let life = session.get("expires_in").and_then(|it| it.number()).ok_or_else(|| unreadable(200, "no_session"))?;
    // Renewed a fifth of its life before the end, a minute at most: enough for a slow renewal, also of a short token.
    let life = life * 1000.0;
    host::set(&session.0, "renewAt", &(Date::now() + life - (life / 5.0).min(60_000.0)).into());
    Ok(session)
}

/// What the caller's function gives, at once or later.
async fn called(function: &Function) -> Result<Js, Error> {
    let failed = |cause| {
        let message = "the function that gives a token failed; its error is the cause";
        Error::argument(message).with("cause", cause)
    };
    let given = host::apply(function, &JsValue::UNDEFINED, &Array::new()).map_err(failed)?;
    let token = JsFuture::from(Promise::resolve(&given)).await.map_err(failed)?;
    let known = host::object(&[]);
    host::set(&known, "token", &token);
    Ok(Js(known))
}

/// Whether it has a token that need not be renewed yet.
fn is_fresh(known: &Js) -> bool {
    known.string("token").is_some_and(|it| is_header(&it))
        && known.get("renewAt").is_none_or(|it| it.number() > Some(Date::now()))
}

/// The name under which the session of the gateway at this URL is kept, so that an anonymous token outlives a reload and
/// is shared by tabs.
fn key(base: &str) -> String {
    concat(&["mediagate:", base])
}
