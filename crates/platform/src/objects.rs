use std::time::Duration;

use serde::de::DeserializeOwned;
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::JsFuture;
use web_sys::{Request, Response};
use worker::Env;

use super::host::{fetch_object_js, fetch_object_text};
use super::open_objects::{Priority, may_open};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ObjectError {
    /// Too many objects are open, so the message was not sent.
    Busy,
    /// The object can't be reached, failed, or did not respond in time. It may have acted.
    Silent,
}

pub async fn fetch_object(
    env: &Env,
    binding: &str,
    name: &str,
    message: String,
    priority: Priority,
) -> Result<Response, ObjectError> {
    if !may_open(binding, name, priority) {
        return Err(ObjectError::Busy);
    }
    let response = fetch_object_js(env, binding, name, &message).await;
    let response = response.ok().and_then(|response| response.dyn_into().ok());
    response.ok_or(ObjectError::Silent)
}

/// Sends a message to a Durable Object whose response is JSON. `limit` is a timer of the host,
/// which still fires after a panic elsewhere in the isolate. [`ObjectError::Silent`] also if the
/// response was not complete within the limit.
pub async fn ask_object(
    env: &Env,
    binding: &str,
    name: &str,
    message: String,
    priority: Priority,
    limit: Duration,
) -> Result<String, ObjectError> {
    if !may_open(binding, name, priority) {
        return Err(ObjectError::Busy);
    }
    let text = fetch_object_text(env, binding, name, &message, limit.as_millis() as u32).await;
    let text = text.ok().and_then(|text| text.as_string());
    text.ok_or(ObjectError::Silent)
}

pub async fn read_message<T: DeserializeOwned>(request: &Request) -> worker::Result<T> {
    let text = JsFuture::from(request.text()?).await?;
    Ok(serde_json::from_str(&text.as_string().unwrap_or_default())?)
}
