//! Calls to the service: built from scratch, with one deadline, and read with suspicion.

use std::pin::pin;
use std::time::Duration;

use futures_util::future::{Either, select};
use js_sys::Promise;
use mediagate_core::answer::{self, Answer, Expects};
use mediagate_core::{Code, Envelope};
use serde_json::Value;
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{AbortController, Request, RequestInit, RequestRedirect, Response};

use crate::Secret;
use crate::http::{headers, read_response};
use crate::json;
use crate::platform::now_ms;
use crate::redact::Redactor;
use crate::settings::Settings;

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_name = fetch, catch)]
    fn fetch(request: &Request) -> Result<Promise, JsValue>;
}

/// Longest `Retry-After` that is passed on, in seconds.
const LONGEST_RETRY_AFTER: u32 = 3600;

/// The service, as the settings describe it.
pub(crate) struct Upstream {
    base_url: String,
    key: Secret,
    timeout: Duration,
    limit: usize,
    redactor: Redactor,
}

/// What came back. The key is in none of it.
pub(crate) struct Reply {
    /// The HTTP status; 0 where there was none.
    pub(crate) status: u16,
    /// The body, where it was JSON.
    pub(crate) body: Option<Value>,
    /// `Retry-After` in seconds, where it was a number.
    pub(crate) retry_after: Option<u32>,
    /// How long it took.
    pub(crate) took_ms: f64,
    /// Why there is no body, where that is known.
    fault: Option<Fault>,
}

/// What went wrong on the way.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fault {
    Deadline,
    Unreachable,
    Redirect,
    TooLarge,
}

impl Fault {
    const fn reason(self) -> &'static str {
        match self {
            Fault::Deadline => "deadline",
            Fault::Unreachable => "unreachable",
            Fault::Redirect => "redirect",
            Fault::TooLarge => "answer_too_large",
        }
    }
}

/// A decoded answer, owned.
pub(crate) enum Decoded {
    /// Success, with `data` (or the bare object of text-to-image), and whether it holds a task.
    Success { data: Value, is_task: bool },
    /// The service's own refusal.
    Refused { code: Code, message: String, data: Option<Value> },
    /// No readable answer; the word says why.
    Unreadable(&'static str),
    /// The deadline passed.
    Deadline,
}

impl Upstream {
    pub(crate) fn new(settings: &Settings) -> Self {
        Upstream {
            base_url: settings.upstream_base_url.clone(),
            key: settings.upstream_api_key.clone(),
            timeout: Duration::from_millis(settings.upstream_timeout_ms.into()),
            limit: settings.max_body_bytes,
            redactor: Redactor::new(&settings.upstream_api_key),
        }
    }

    /// Asks the service. Everything that can go wrong is in the reply.
    pub(crate) async fn call(&self, method: &str, path: &str, body: Option<&Value>) -> Reply {
        let started = now_ms();
        let outcome = self.within_deadline(method, path, body).await;
        let took_ms = now_ms() - started;
        let (status, retry_after, body) = match outcome {
            Ok(it) => it,
            Err((status, fault)) => {
                return Reply { status, body: None, retry_after: None, took_ms, fault: Some(fault) };
            }
        };
        let mut body = json::read(&body).ok().filter(json::has_few_ids);
        body.iter_mut().for_each(|it| self.redactor.clean(it));
        Reply { status, body, retry_after, took_ms, fault: None }
    }

    async fn within_deadline(&self, method: &str, path: &str, body: Option<&Value>) -> Result<Received, (u16, Fault)> {
        let controller = AbortController::new().ok();
        let signal = controller.as_ref().map(AbortController::signal);
        let exchange = pin!(self.exchange(method, path, body, signal));
        match select(exchange, pin!(worker::Delay::from(self.timeout))).await {
            Either::Left((outcome, _)) => outcome,
            Either::Right(_) => {
                controller.inspect(AbortController::abort);
                Err((0, Fault::Deadline))
            }
        }
    }

    async fn exchange(
        &self,
        method: &str,
        path: &str,
        body: Option<&Value>,
        signal: Option<web_sys::AbortSignal>,
    ) -> Result<Received, (u16, Fault)> {
        let request = self.request(method, path, body, signal.as_ref()).map_err(|_| (0, Fault::Unreachable))?;
        let response = send(&request).await.ok_or((0, Fault::Unreachable))?;
        let status = response.status();
        if (300..400).contains(&status) {
            return Err((status, Fault::Redirect));
        }
        let retry_after = response.headers().get("retry-after").ok().flatten();
        let retry_after = retry_after.and_then(|it| whole_seconds(it.trim()));
        match read_response(&response, self.limit).await {
            Ok(bytes) => Ok((status, retry_after, bytes)),
            Err(crate::http::BodyError::TooLarge) => Err((status, Fault::TooLarge)),
            Err(crate::http::BodyError::Broken) => Err((status, Fault::Unreachable)),
        }
    }

    /// Nothing of the client's request goes on but what is given here.
    fn request(
        &self,
        method: &str,
        path: &str,
        body: Option<&Value>,
        signal: Option<&web_sys::AbortSignal>,
    ) -> Result<Request, JsValue> {
        let bearer = ["Bearer ", self.key.expose()].concat();
        let json = body.map(|_| ("content-type", "application/json"));
        let fixed = [("authorization", bearer.as_str()), ("accept", "application/json")];
        let init = RequestInit::new();
        init.set_method(method);
        init.set_redirect(RequestRedirect::Manual);
        init.set_signal(signal);
        if let Some(body) = body {
            init.set_body(&JsValue::from_str(&body.to_string()));
        }
        init.set_headers(&headers(fixed.into_iter().chain(json))?);
        Request::new_with_str_and_init(&[&self.base_url, path].concat(), &init)
    }
}

/// `Retry-After` where it is a number: no more than is passed on.
fn whole_seconds(text: &str) -> Option<u32> {
    let is_number = !text.is_empty() && text.bytes().all(|it| it.is_ascii_digit());
    // A number that is too large to be read is larger than what is passed on.
    is_number.then(|| text.parse().unwrap_or(LONGEST_RETRY_AFTER).min(LONGEST_RETRY_AFTER))
}

/// Status, `Retry-After` in seconds, and the body's bytes.
type Received = (u16, Option<u32>, Vec<u8>);

/// Sends a request; `None` where no answer came.
pub(crate) async fn send(request: &Request) -> Option<Response> {
    JsFuture::from(fetch(request).ok()?).await.ok()?.dyn_into().ok()
}

impl Reply {
    /// Whether the service was reached and in its senses: a transport failure or an unreadable 5xx says it was not.
    pub(crate) fn is_sane(&self) -> bool {
        let lost = matches!(self.fault, Some(Fault::Deadline | Fault::Unreachable));
        let readable = self.body.as_ref().is_some_and(|it| Envelope::decode(&it).is_some());
        !lost && (self.status < 500 || readable)
    }

    /// Decodes the answer as what was asked for.
    pub(crate) fn decode(&self, expects: Expects) -> Decoded {
        match self.fault {
            Some(Fault::Deadline) => return Decoded::Deadline,
            Some(fault) => return Decoded::Unreadable(fault.reason()),
            None => {}
        }
        match answer::read(self.status, self.body.as_ref(), expects) {
            Answer::Task(_) => Decoded::Success { data: self.data(), is_task: true },
            Answer::Result(data) => Decoded::Success { data: data.clone(), is_task: false },
            Answer::Refused(Envelope { code, message, data }) => {
                Decoded::Refused { code, message, data: data.cloned() }
            }
            Answer::Unreadable(why) => Decoded::Unreadable(why),
        }
    }

    fn data(&self) -> Value {
        self.body.as_ref().and_then(|it| it.get("data")).cloned().unwrap_or_default()
    }
}
