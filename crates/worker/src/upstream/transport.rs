//! One HTTP request to the upstream: built from scratch, with one deadline, its response bounded and free of the key.

use std::cell::OnceCell;

use wasm_bindgen::JsCast;

use super::redact::Redactor;
use super::response::{UpstreamResponse, fault_named};
use crate::crypto::Secret;
use crate::ids::has_few_ids;
use crate::platform::{FetchResult, JsonClient, json, now_ms};
use crate::settings::Settings;

/// Longest `Retry-After` that is passed on, in seconds.
const MAX_RETRY_AFTER_S: u32 = 3600;

/// Sends requests to the upstream.
pub(super) struct Transport {
    base_url: String,
    key: Secret,
    /// The deadline of a request, in milliseconds.
    timeout_ms: u32,
    /// Largest response, in bytes.
    max_bytes: usize,
    redactor: Redactor,
    /// Made at the first request, since the host is not there in a native test.
    client: OnceCell<JsonClient>,
}

impl Transport {
    pub(super) fn new(settings: &Settings) -> Self {
        Transport {
            base_url: settings.upstream_base_url.clone(),
            key: settings.upstream_api_key.clone(),
            timeout_ms: settings.upstream_timeout_ms,
            max_bytes: settings.max_response_bytes,
            redactor: Redactor::new(&settings.upstream_api_key),
            client: OnceCell::new(),
        }
    }

    /// Sends a request. The response holds every failure. Nothing of the client's request is forwarded but the arguments.
    pub(super) async fn send(
        &self,
        method: &str,
        path: &str,
        body: Option<&str>,
    ) -> UpstreamResponse {
        let started = now_ms();
        let result = self
            .client
            .get_or_init(|| self.connect())
            .send(method, path, body)
            .await;
        self.response(result.unchecked_ref(), now_ms() - started)
    }

    /// Returns true if the bytes contain the key. The redactor does not find it in base64 that is broken into lines.
    pub(super) fn is_key_in(&self, bytes: &[u8]) -> bool {
        self.redactor.is_in(bytes)
    }

    fn connect(&self) -> JsonClient {
        let authorization = ["Bearer ", self.key.expose()].concat();
        JsonClient::new(
            &self.base_url,
            &authorization,
            self.timeout_ms,
            self.max_bytes,
        )
    }

    fn response(&self, result: &FetchResult, duration_ms: f64) -> UpstreamResponse {
        let mut body = result
            .body()
            .and_then(|it| json::read(&it, json::MAX_RESPONSE_VALUES).ok())
            .filter(has_few_ids);
        body.iter_mut().for_each(|it| self.redactor.clean(it));
        UpstreamResponse {
            status: result.status(),
            body,
            retry_after: result.retry_after().and_then(|it| whole_seconds(it.trim())),
            duration_ms,
            fault: result.fault().and_then(|it| fault_named(&it)),
        }
    }
}

/// `Retry-After` where it is a number, up to the maximum.
fn whole_seconds(text: &str) -> Option<u32> {
    let is_number = !text.is_empty() && text.bytes().all(|it| it.is_ascii_digit());
    // A number that does not fit is above the maximum.
    is_number.then(|| {
        text.parse()
            .unwrap_or(MAX_RETRY_AFTER_S)
            .min(MAX_RETRY_AFTER_S)
    })
}
