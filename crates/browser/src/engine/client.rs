//! One client: what `connect` gives.

use std::cell::Cell;
use std::rc::Rc;

use js_sys::Object;
use mediagate_core::{Capability, Expects, Outcome, Type, Value, find};
use wasm_bindgen::JsValue;

use super::error::Error;
use super::gateway::{Create, Gateway};
use super::host;
use super::http::{base_url, is_header, json};
use super::input::prepare;
use super::limits::Limits;
use super::put::tell_done;
use super::session::{Session, Source, source};
use super::task::Task;
use super::uploads::{Uploads, blob};
use crate::value::Js;

/// A client of one gateway.
pub struct Client {
    gateway: Rc<Gateway>,
    uploads: Rc<Uploads>,
}

/// Reads the options of a call; absent ones are no options.
pub fn options(value: JsValue) -> Result<Js, Error> {
    let options = Js(value);
    match options.kind() {
        Type::Object | Type::Null => Ok(options),
        _ => Err(Error::argument("the options are no object; give an object such as { signal }")),
    }
}

/// The capability of this name.
pub fn capability(name: &JsValue) -> Result<&'static Capability, Error> {
    let known = name.as_string().and_then(|it| find(&it));
    known.ok_or_else(|| Error::argument("no such capability; capabilities() lists their names"))
}

impl Client {
    /// Connects, from `{url, token, signal, timeout}`. An anonymous session is opened at once, so that what is wrong
    /// with the gateway shows here.
    pub async fn connect(options: &Js) -> Result<Self, Error> {
        let base = options.get("url").and_then(|it| base_url(&it));
        let base =
            base.ok_or_else(|| Error::argument("connect needs the gateway's url: http or https, no query, no user"))?;
        let source = source(options.member("token"))?;
        let anonymous = matches!(source, Source::Anonymous);
        let session = Rc::new(Session::new(base.clone(), source));
        if anonymous {
            Limits::decode(options)?.hold(session.token()).await?;
        }
        let gateway = Rc::new(Gateway { base, session });
        Ok(Client { uploads: Rc::new(Uploads::new(Rc::clone(&gateway))), gateway })
    }

    /// Creates a task, with options `{signal, timeout, idempotencyKey}`. It is sent at most once: an error's `outcome`
    /// says what is known of it, and its `idempotencyKey` lets the caller repeat it safely.
    pub async fn create(&self, capability: &'static Capability, input: &Js, options: &Js) -> Result<Task, Error> {
        let key = idempotency_key(options)?;
        let sent = Cell::new(false);
        let work = async {
            let body = prepare(&self.uploads, capability, input).await?;
            let expects = if capability.may_answer_without_task { Expects::TaskOrResult } else { Expects::Task };
            self.gateway.create(capability.path, &body, &Create { key: &key, sent: &sent }, expects).await
        };
        let created = Limits::decode(options)?.hold(work).await;
        match created {
            Ok(success) => Ok(Task::created(Rc::clone(&self.gateway), capability, success)),
            Err(error) if !sent.get() => Err(error.not_sent()),
            Err(error) => Err(with_outcome(error).with("idempotencyKey", host::text(&key))),
        }
    }

    /// Uploads a blob, with options `{onProgress, signal, timeout}`. The result is its file id.
    pub async fn upload(&self, file: &Js, options: &Js) -> Result<String, Error> {
        let file = blob(file).ok_or_else(|| Error::argument("upload takes a File or a Blob"))?;
        let (size, progress) = (file.size(), options.member("onProgress"));
        if !progress.is_undefined() && !progress.is_function() {
            return Err(Error::argument("onProgress is no function; give one that takes { loaded, total }"));
        }
        let id = Limits::decode(options)?.hold(self.uploads.start(file, progress.clone())).await?;
        tell_done(&progress, size);
        Ok(id)
    }

    /// A saved task.
    pub fn task(&self, saved: &Js) -> Result<Task, Error> {
        Task::restored(Rc::clone(&self.gateway), saved)
    }

    /// The model catalogue, as the gateway gives it.
    pub async fn models(&self, options: &Js) -> Result<JsValue, Error> {
        Limits::decode(options)?.hold(self.gateway.data("models", None)).await.map(|it| it.0)
    }

    /// What a create would cost, as the gateway gives it. Files in the input are uploaded, as for the create.
    pub async fn estimate(&self, capability: &Capability, input: &Js, options: &Js) -> Result<JsValue, Error> {
        let work = async {
            let input = prepare(&self.uploads, capability, input).await?;
            let body = Object::new();
            host::set(&body, "capability", &host::text(capability.name()));
            host::set(&body, "input", &host::parse(&input).unwrap_or(JsValue::UNDEFINED));
            self.gateway.data("credits/estimate", Some(&json(&body)?)).await
        };
        Limits::decode(options)?.hold(work).await.map(|it| it.0)
    }
}

/// Says what a create that was sent may have done, where the gateway did not say it.
fn with_outcome(error: Error) -> Error {
    if error.has("outcome") {
        return error;
    }
    let outcome = match error.app_code {
        Some(code) => code.outcome(),
        None => Outcome::Unknown,
    };
    error.with("outcome", host::text(outcome.name()))
}

fn idempotency_key(options: &Js) -> Result<String, Error> {
    let Some(key) = options.get("idempotencyKey") else { return random_key() };
    let key = key.text().map(|it| it.into_owned()).filter(|it| is_header(it) && it.len() <= 255);
    key.ok_or_else(|| Error::argument("idempotencyKey is no text of 1 to 255 visible ASCII characters"))
}

/// 128 random bits in hexadecimal.
fn random_key() -> Result<String, Error> {
    let mut bytes = [0; 16];
    host::random(&mut bytes).map_err(|cause| Error::argument("this platform has no crypto").with("cause", cause))?;
    let digit = |it: u8| char::from_digit(u32::from(it), 16).unwrap_or_default();
    Ok(bytes.into_iter().flat_map(|it| [digit(it >> 4), digit(it & 15)]).collect())
}
