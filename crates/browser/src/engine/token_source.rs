//! Where session tokens come from: the caller's token, the caller's function, or the gateway's anonymous sessions.

use std::rc::Rc;

use js_sys::{Array, Date, Function, Promise};
use mediagate_core::Value;
use mediagate_core::text::concat;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;

use super::error::Error;
use super::gateway::{Call, Token};
use super::response::{Expected, unreadable};
use super::session::{Fetch, Session, is_fresh};
use super::transport::{Request, is_header_value};
use crate::host;
use crate::value::Js;

/// The gateway's anonymous sessions (`POST /session`), for a page without a backend of its own.
struct Anonymous {
    /// The gateway's URL.
    base: Rc<str>,
    /// The caller's function in the place of `fetch`; `undefined` for none.
    network: JsValue,
    /// The caller's function that returns the response of a Turnstile widget.
    turnstile: Option<Function>,
}

/// Whether the option `token` asks for an anonymous session.
pub fn is_anonymous(token: &JsValue) -> bool {
    token.is_undefined() || token.is_null()
}

/// The session of the option `token`: a token, a function that returns one (`() => string | Promise<string>`), or
/// nothing for an anonymous session of the gateway at `base`. For that one, `turnstile` may be a function that returns
/// the response of a Turnstile widget.
///
/// # Errors
/// `invalid_argument` for options of other types.
pub fn session(base: Rc<str>, token: JsValue, turnstile: JsValue, network: JsValue) -> Result<Session, Error> {
    let turnstile = (!turnstile.is_undefined()).then(|| turnstile.dyn_into::<Function>()).transpose();
    let turnstile = turnstile
        .map_err(|_| Error::argument("turnstile is no function; give one that gives the widget's response"))?;
    let current = host::object(&[]);
    let fetch: Option<Fetch> = if is_anonymous(&token) {
        let source = Rc::new(Anonymous { base, network, turnstile });
        Some(Box::new(move |previous| {
            let source = Rc::clone(&source);
            Box::pin(async move { source.fetch(previous).await })
        }))
    } else if token.as_string().is_some_and(|it| is_header_value(&it)) {
        host::set(&current, "token", &token);
        None
    } else {
        let message =
            "token is neither a session token nor a function that gives one; leave it out for an anonymous session";
        let function: Function = token.dyn_into().map_err(|_| Error::argument(message))?;
        Some(Box::new(move |_| {
            let function = function.clone();
            Box::pin(async move { call(&function).await })
        }))
    };
    Ok(Session::new(current, fetch))
}

impl Anonymous {
    /// Renews the session, so that the subject stays the same: another one would not own its tasks.
    async fn fetch(&self, mut previous: Option<String>) -> Result<JsValue, Error> {
        let key = storage_key(&self.base);
        let stored = Js(host::storage_get(&key));
        let token = stored.string("token");
        if is_fresh(&stored) && token != previous {
            return Ok(stored.0);
        }
        previous = previous.or(token);
        let opened = match self.open(previous.as_deref().unwrap_or_default()).await {
            // A token that is too old, or signed with a key that was removed, must not lock the page out.
            Err(error) if previous.is_some() && error.number("status") == Some(401.0) => self.open("").await?,
            other => other?,
        };
        // Another tab may have opened a session meanwhile. All tabs use the one that was stored first.
        let first = Js(host::storage_get(&key));
        if previous.is_none() && is_fresh(&first) {
            return Ok(first.0);
        }
        host::storage_set(&key, &opened);
        Ok(opened)
    }

    /// `POST /session`. With the token before, empty for none, the subject stays the same.
    async fn open(&self, previous: &str) -> Result<JsValue, Error> {
        let widget_response = match &self.turnstile {
            Some(function) => {
                let response = Js(call(function).await?).string("token").filter(|it| is_header_value(it));
                response.ok_or_else(|| Error::argument("turnstile gave no response of its widget"))?
            }
            None => String::new(),
        };
        let mut request = Request::new("POST", concat(&[&self.base, "/session"]), JsValue::UNDEFINED, &self.network);
        request.headers = [("x-mediagate", "1".into()), ("x-turnstile-response", widget_response)];
        let call = Call { request, token: Token::Fixed(previous), expected: Expected::Data, create: None };
        let session = Js(Js(call.send().await?).member("session"));
        let lifetime =
            session.get("expires_in").and_then(|it| it.number()).ok_or_else(|| unreadable(200, "no_session"))?;
        // Renewed a fifth of its lifetime before its end, a minute at most: enough time for a slow renewal, also of a
        // token that lives shortly.
        let lifetime = lifetime * 1000.0;
        host::set(&session.0, "renewAt", &(Date::now() + lifetime - (lifetime / 5.0).min(60_000.0)).into());
        Ok(session.0)
    }
}

/// `{token}` with what the caller's function returns, or what its promise is fulfilled with.
async fn call(function: &Function) -> Result<JsValue, Error> {
    let failed = |cause| {
        let message = "the function that gives a token failed; its error is the cause";
        Error::argument(message).with("cause", cause)
    };
    let returned = host::apply(function, &JsValue::UNDEFINED, &Array::new()).map_err(failed)?;
    let token = JsFuture::from(Promise::resolve(&returned)).await.map_err(failed)?;
    let session = host::object(&[]);
    host::set(&session, "token", &token);
    Ok(session)
}

/// The name under which the session of the gateway at this URL is stored, so that an anonymous subject survives a reload
/// and is shared by tabs.
fn storage_key(base: &str) -> String {
    concat(&["mediagate:", base])
}
