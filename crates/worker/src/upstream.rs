//! Calls to the service: built from scratch, with one deadline, and read with suspicion.

use js_sys::Promise;
use mediagate_core::response::{self, Expects};
use mediagate_core::{Code, Envelope};
use serde_json::Value;
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{Request, Response};

use crate::Secret;
use crate::json;
use crate::platform::{Received, exchange, json_object, now_ms};
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
    /// The deadline of a call, in milliseconds.
    timeout_ms: u32,
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
    const ALL: [Fault; 4] = [Fault::Deadline, Fault::Unreachable, Fault::Redirect, Fault::TooLarge];

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
            timeout_ms: settings.upstream_timeout_ms,
            limit: settings.max_body_bytes,
            redactor: Redactor::new(&settings.upstream_api_key),
        }
    }

    /// Asks the service. Everything that can go wrong is in the reply. Nothing of the client's request goes on but what is
    /// given here.
    pub(crate) async fn call(&self, method: &str, path: &str, body: Option<&str>) -> Reply {
        let started = now_ms();
        let bearer = ["Bearer ", self.key.expose()].concat();
        let json = body.map(|_| ("content-type", "application/json"));
        let fixed = [("authorization", bearer.as_str()), ("accept", "application/json")];
        let headers = json_object(fixed.into_iter().chain(json));
        let url = [&self.base_url, path].concat();
        let received = exchange(&url, method, &headers, body, self.timeout_ms, self.limit).await;
        self.reply(received.unchecked_ref(), now_ms() - started)
    }

    fn reply(&self, received: &Received, took_ms: f64) -> Reply {
        let fault = received.fault();
        let mut body = received.body().and_then(|it| json::read(&it).ok()).filter(json::has_few_ids);
        body.iter_mut().for_each(|it| self.redactor.clean(it));
        Reply {
            status: received.status(),
            body,
            retry_after: received.retry_after().and_then(|it| whole_seconds(it.trim())),
            took_ms,
            fault: fault.and_then(|word| Fault::ALL.into_iter().find(|it| it.reason() == word)),
        }
    }
}

/// `Retry-After` where it is a number: no more than is passed on.
fn whole_seconds(text: &str) -> Option<u32> {
    let is_number = !text.is_empty() && text.bytes().all(|it| it.is_ascii_digit());
    // A number that is too large to be read is larger than what is passed on.
    is_number.then(|| text.parse().unwrap_or(LONGEST_RETRY_AFTER).min(LONGEST_RETRY_AFTER))
}

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
        match response::decode(self.status, self.body.as_ref(), expects) {
            response::Response::Task(_) => Decoded::Success { data: self.data(), is_task: true },
            response::Response::Result(data) => Decoded::Success { data: data.clone(), is_task: false },
            response::Response::Error(Envelope { code, message, data }) => {
                Decoded::Refused { code, message, data: data.cloned() }
            }
            response::Response::Unreadable(why) => Decoded::Unreadable(why),
        }
    }

    fn data(&self) -> Value {
        self.body.as_ref().and_then(|it| it.get("data")).cloned().unwrap_or_default()
    }
}
