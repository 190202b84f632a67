//! Where session tokens come from: the caller's function, or the gateway's anonymous sessions.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use js_sys::{Array, Date, Function, Promise};
use mediagate_core::Value;
use mediagate_core::text::concat;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;

use super::error::Error;
use super::gateway::{Call, Token};
use super::limits::Work;
use super::response::{Expected, unreadable};
use super::session::{Session, Source, State, is_fresh};
use super::transport::{Request, is_header_value};
use crate::host;
use crate::value::Js;

/// The session of the option `token`: a token, a function that returns one (`() => string | Promise<string>`), or
/// nothing for an anonymous session of the gateway at `base`. For that one, `turnstile` may be a function that returns
/// the response of a Turnstile widget.
///
/// # Errors
/// `invalid_argument` for options of other types.
pub fn session(base: Rc<str>, token: JsValue, turnstile: JsValue, network: JsValue) -> Result<Session, Error> {
    let turnstile = (!turnstile.is_undefined()).then(|| turnstile.dyn_into()).transpose();
    let turnstile = turnstile
        .map_err(|_| Error::argument("turnstile is not a function; give one that returns the widget's response"))?;
    let current = RefCell::new(Js(host::object(&[])));
    let source = if token.is_undefined() || token.is_null() {
        Source::Anonymous
    } else if token.as_string().is_some_and(|it| is_header_value(&it)) {
        host::set(&current.borrow().0, "token", &token);
        Source::Fixed
    } else {
        let message =
            "token is neither a session token nor a function that returns one; leave it out for an anonymous session";
        Source::Function(token.dyn_into().map_err(|_| Error::argument(message))?)
    };
    let state = State { source, current, rejected: Cell::new(false), base, network, turnstile };
    Ok(Session::new(state, |it| Box::pin(renew(it)) as Work))
}

/// Fetches a new token, keeps it and returns it.
async fn renew(state: Rc<State>) -> Result<JsValue, Error> {
    let next = match &state.source {
        Source::Function(function) => call(function).await?,
        _ => anonymous(&state).await?,
    };
    if !next.string("token").is_some_and(|it| is_header_value(&it)) {
        return Err(Error::argument("the session token is not visible ASCII; give a JWT"));
    }
    let token = next.member("token");
    state.rejected.set(false);
    *state.current.borrow_mut() = next;
    Ok(token)
}

/// An anonymous session of the same subject as the last one: another subject would not own its tasks.
async fn anonymous(state: &State) -> Result<Js, Error> {
    let base = &state.base;
    let mut previous = state.current.borrow().string("token");
    let stored = Js(host::storage_get(&storage_key(base)));
    let token = stored.string("token");
    if is_fresh(&stored) && token != previous {
        return Ok(stored);
    }
    previous = previous.or(token);
    let opened = match open(state, previous.as_deref().unwrap_or_default()).await {
        // A token that is too old, or signed with a key that was removed, must not lock the page out.
        Err(error) if previous.is_some() && error.number("status") == Some(401.0) => open(state, "").await?,
        other => other?,
    };
    // Another tab may have opened a session meanwhile. All tabs use the one that was stored first.
    let first = Js(host::storage_get(&storage_key(base)));
    if previous.is_none() && is_fresh(&first) {
        return Ok(first);
    }
    host::storage_set(&storage_key(base), &opened.0);
    Ok(opened)
}

/// `POST /session`. With the token before, empty for none, the subject stays the same.
async fn open(state: &State, previous: &str) -> Result<Js, Error> {
    let widget_response = match &state.turnstile {
        Some(function) => {
            let response = call(function).await?.string("token").filter(|it| is_header_value(it));
            response.ok_or_else(|| Error::argument("turnstile returned no response of its widget"))?
        }
        None => String::new(),
    };
    let mut request = Request::new("POST", concat(&[&state.base, "/session"]), JsValue::UNDEFINED, &state.network);
    request.headers = [("x-mediagate", "1".into()), ("x-turnstile-response", widget_response)];
    let call = Call { request, token: Token::Fixed(previous), expected: Expected::Data, create: None };
    let session = Js(Js(call.send().await?).member("session"));
    let lifetime = session.get("expires_in").and_then(|it| it.number()).ok_or_else(|| unreadable(200, "no_session"))?;
    // Renewed a fifth of its lifetime before its end, a minute at most: enough time for a slow renewal, also of a token
    // with a short lifetime.
    let lifetime = lifetime * 1000.0;
    host::set(&session.0, "renewAt", &(Date::now() + lifetime - (lifetime / 5.0).min(60_000.0)).into());
    Ok(session)
}

/// `{token}` with what the caller's function returns, or what its promise is fulfilled with.
async fn call(function: &Function) -> Result<Js, Error> {
    let failed = |cause| {
        let message = "the function for a token failed; its error is the cause";
        Error::argument(message).with("cause", cause)
    };
    let returned = host::apply(function, &JsValue::UNDEFINED, &Array::new()).map_err(failed)?;
    let token = JsFuture::from(Promise::resolve(&returned)).await.map_err(failed)?;
    let session = host::object(&[]);
    host::set(&session, "token", &token);
    Ok(Js(session))
}

/// The name under which the session of the gateway at this URL is stored, so that an anonymous subject survives a reload
/// and is shared by tabs.
fn storage_key(base: &str) -> String {
    concat(&["mediagate:", base])
}
