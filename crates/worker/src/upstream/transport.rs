//! One HTTP request to the upstream. It has one deadline, and its response is bounded and free of
//! the API key.

use std::cell::OnceCell;

use wasm_bindgen::JsCast;

use super::redact::Redactor;
use super::response::{UpstreamResponse, fault_named};
use crate::crypto::Secret;
use crate::ids::has_few_ids;
use crate::platform::{FetchResult, JsonClient, json, now_ms};
use crate::settings::Settings;

const MAX_RETRY_AFTER_S: u32 = 3600;

pub(super) struct Transport {
    base_url: String,
    key: Secret,
    timeout_ms: u32,
    max_bytes: usize,
    redactor: Redactor,
    /// Made at the first request, because a native test has no host.
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

    /// Sends a request. Every failure is in the response. Nothing of a caller's request is
    /// forwarded except these arguments.
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

    /// Returns true if the bytes contain the key. The redactor does not find a key in base64 that
    /// is broken into lines.
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
            .and_then(|body| json::read(&body, json::MAX_RESPONSE_VALUES).ok())
            .filter(has_few_ids);
        if let Some(body) = &mut body {
            self.redactor.clean(body);
        }
        UpstreamResponse {
            status: result.status(),
            body,
            retry_after: result
                .retry_after()
                .and_then(|text| whole_seconds(text.trim())),
            duration_ms,
            fault: result.fault().and_then(|word| fault_named(&word)),
        }
    }
}

/// Reads `Retry-After` if it is a number, up to the maximum.
fn whole_seconds(text: &str) -> Option<u32> {
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    // A number that does not fit is above the maximum.
    is_number.then(|| {
        text.parse()
            .unwrap_or(MAX_RETRY_AFTER_S)
            .min(MAX_RETRY_AFTER_S)
    })
}
