use std::cell::{Cell, OnceCell};
use std::rc::Rc;
use std::time::{Duration, UNIX_EPOCH};

use mediagate_access::identity::Subject;
use mediagate_access::refusal::Refusal;
use mediagate_core::Reason;
use mediagate_core::models::Catalogue;
use mediagate_ids::{Sealer, TaskName, TaskRef, address_outputs, has_few_ids, seal_ids};
use mediagate_platform::http::{Fetcher, USER_AGENT, send, within};
use mediagate_platform::{FetchResult, JsonClient, Memo, json, now_ms};
use mediagate_settings::{BINDING, Settings, SettingsError, UPLOADS_BINDING};
use serde_json::Value;
use wasm_bindgen::JsCast;
use web_sys::{Request, Response};
use worker::Env;

use super::breaker::Breaker;
use super::catalogue::CatalogueCache;
use super::redact::Redactor;
use super::response::{UpstreamResponse, fault_named};
use crate::environment::settings_of;
use crate::media_type::is_markup;

/// The URL of the bucket that is a binding. No host has this name.
pub(super) const BUCKET_URL: &str = "https://bucket.invalid/";

const CATALOGUE_DEADLINE: Duration = Duration::from_secs(3);

/// The most files whose confirmation is remembered.
const MAX_CONFIRMED: usize = 10_000;

const MAX_RETRY_AFTER_S: u32 = 3600;

/// The upstream, as the settings describe it. The gateway and the Durable Objects of an isolate
/// share one, and so they share the circuit breaker.
pub struct Upstream {
    pub settings: Settings,
    pub sealer: Sealer,
    pub(super) redactor: Redactor,
    pub(super) breaker: Breaker,
    pub(super) catalogue: CatalogueCache,
    /// The hashes of the ids of confirmed files.
    pub(super) confirmed: Memo<String, ()>,
    pub module: Option<Fetcher>,
    /// The R2 bucket that uploads go to, if the Worker has its binding.
    bucket: Option<Fetcher>,
    /// The host's client. It is made at the first request, because a native test has no host.
    json_client: OnceCell<JsonClient>,
}

thread_local! {
    /// Lives as long as the isolate, because the settings do not change within it.
    static SHARED: OnceCell<Result<Rc<Upstream>, SettingsError>> = const { OnceCell::new() };
}

impl Upstream {
    pub fn shared(env: &Env) -> worker::Result<Rc<Self>> {
        let shared = Upstream::try_shared(env);
        shared.map_err(|error| worker::Error::RustError(error.to_string()))
    }

    /// Returns the upstream of this isolate, with the settings of the Worker's environment. The
    /// error is the first setting that is missing or wrong.
    pub fn try_shared(env: &Env) -> Result<Rc<Self>, SettingsError> {
        let make = || Upstream::from_env(env).map(Rc::new);
        SHARED.with(|shared| shared.get_or_init(make).clone())
    }

    pub fn from_env(env: &Env) -> Result<Self, SettingsError> {
        let settings = settings_of(env)?;
        let module = settings
            .service
            .is_module()
            .then(|| Fetcher::of(env, BINDING));
        Ok(Upstream {
            module: module.flatten(),
            bucket: Fetcher::of_bucket(env, UPLOADS_BINDING),
            ..Upstream::new(settings)
        })
    }

    /// Makes an upstream that is a server.
    pub fn new(settings: Settings) -> Self {
        Upstream {
            sealer: Sealer::new(&settings.seal_secrets, settings.tenant.clone()),
            redactor: Redactor::new(settings.service.api_key()),
            breaker: Breaker::new(settings.breaker_failures),
            catalogue: CatalogueCache::default(),
            confirmed: Memo::new(MAX_CONFIRMED),
            module: None,
            bucket: None,
            json_client: OnceCell::new(),
            settings,
        }
    }

    /// Reads a response within bounds, and removes the API key from it.
    fn response(&self, result: &FetchResult) -> UpstreamResponse {
        let bytes = result.body();
        let is_of_firewall = result.status() == 403 && bytes.as_deref().is_some_and(is_markup);
        let mut body = bytes
            .and_then(|body| json::read_response(&body).ok())
            .filter(has_few_ids);
        if let Some(body) = &mut body {
            self.redactor.clean(body);
        }
        let provider = body.as_mut().and_then(|body| self.take_provider(body));
        UpstreamResponse {
            status: result.status(),
            body,
            provider,
            retry_after: result
                .retry_after()
                .and_then(|text| retry_after_seconds(&text, now_ms())),
            fault: match result.fault() {
                Some(word) => fault_named(&word),
                None => is_of_firewall.then_some(Reason::UpstreamFirewall),
            },
        }
    }

    /// Sends a request to a storage, or to the bucket of the binding. `None` if no response
    /// arrived.
    pub(crate) async fn send_to_storage(&self, request: &Request) -> Option<Response> {
        match &self.bucket {
            Some(bucket) if request.url().starts_with(BUCKET_URL) => bucket.send(request).await,
            _ => send(request).await,
        }
    }

    /// Returns a client on behalf of a subject. The duration of its requests is added to
    /// `upstream_ms`.
    pub fn client<'a>(
        &'a self,
        subject: &'a Subject,
        public_url: &'a str,
        upstream_ms: &'a Cell<f64>,
    ) -> UpstreamClient<'a> {
        UpstreamClient {
            upstream: self,
            subject,
            public_url,
            upstream_ms,
        }
    }

    /// Replaces the URLs of outputs by addresses of the gateway, if the gateway keeps results.
    /// `public_url` is empty if no caller sees the data.
    pub fn address_outputs(
        &self,
        data: &mut Value,
        public_url: &str,
        owner: &Subject,
        task: &TaskName,
    ) {
        if self.settings.results.is_some() && !public_url.is_empty() {
            address_outputs(data, &self.sealer, public_url, owner, task);
        }
    }
}

/// The upstream on behalf of a subject. Ids in its data are sealed for that subject before they
/// leave the gateway.
#[derive(Clone, Copy)]
pub struct UpstreamClient<'a> {
    pub upstream: &'a Upstream,
    pub subject: &'a Subject,
    /// The gateway's URL as the subject sees it, without a slash at its end.
    pub public_url: &'a str,
    pub upstream_ms: &'a Cell<f64>,
}

impl UpstreamClient<'_> {
    /// Sends a request other than a create. 503 if the circuit breaker is open.
    pub(super) async fn request(
        &self,
        method: &str,
        path: &str,
        body: Option<&str>,
    ) -> Result<UpstreamResponse, Refusal> {
        let limit_ms = self.upstream.settings.read_timeout_ms;
        self.request_within(limit_ms, method, path, body).await
    }

    /// Sends a create and measures its duration. If the circuit breaker could close, a read finds
    /// out before. 503 if the circuit breaker is open.
    pub(super) async fn request_create(
        &self,
        path: &str,
        body: &str,
    ) -> Result<UpstreamResponse, Refusal> {
        let limit_ms = self.upstream.settings.upstream_timeout_ms;
        self.request_within(limit_ms, "POST", path, Some(body))
            .await
    }

    async fn request_within(
        &self,
        limit_ms: u32,
        method: &str,
        path: &str,
        body: Option<&str>,
    ) -> Result<UpstreamResponse, Refusal> {
        let breaker = &self.upstream.breaker;
        if method != "GET" && breaker.admit(false, now_ms()).is_err() {
            self.probe().await;
        }
        breaker
            .admit(method == "GET", now_ms())
            .map_err(Refusal::unavailable)?;
        Ok(self.send(limit_ms, method, path, body).await)
    }

    /// Sends a request. Returns the whole body of the response, with the upstream's own ids, or the
    /// refusal that follows from the response.
    pub async fn fetch(
        &self,
        method: &str,
        path: &str,
        body: Option<&str>,
    ) -> Result<Value, Refusal> {
        let response = self.request(method, path, body).await?;
        let body = response.into_body(&self.upstream.settings.dialect);
        body.map_err(|failure| self.refusal(failure).0)
    }

    /// Reads data without which the gateway continues. A failure is not reported to the circuit
    /// breaker.
    pub(super) async fn fetch_unreported(&self, path: &str) -> Option<Value> {
        let limit_ms = self.upstream.settings.read_timeout_ms;
        let response = self.send_unreported(limit_ms, "GET", path, None).await;
        response.into_body(&self.upstream.settings.dialect).ok()
    }

    /// Returns the catalogue, at most five minutes old. `None` if the catalogue is disabled, does
    /// not arrive within seconds or can't be read: a create must not fail for a check that the
    /// upstream makes anyway.
    pub async fn catalogue(&self) -> Option<Rc<Catalogue>> {
        let path = self.upstream.settings.models_path.as_ref()?;
        if let Some(kept) = self.upstream.catalogue.get(now_ms()) {
            return kept;
        }
        let fetched = within(CATALOGUE_DEADLINE, self.fetch_unreported(path))
            .await
            .flatten();
        let catalogue = fetched
            .and_then(|body| self.upstream.settings.dialect.models.read(&body))
            .map(Rc::new);
        self.upstream.catalogue.keep(catalogue, now_ms())
    }

    /// Like [`Self::fetch`], but returns the envelope's `data`, or the whole body without an
    /// envelope.
    pub async fn fetch_data(
        &self,
        method: &str,
        path: &str,
        body: Option<&str>,
    ) -> Result<Value, Refusal> {
        let body = self.fetch(method, path, body).await?;
        let envelope = self.upstream.settings.dialect.envelope.read(&body);
        let data = envelope.and_then(|envelope| envelope.data.cloned());
        Ok(data.unwrap_or(body))
    }

    /// Probes the upstream with a read, if the circuit breaker may close. A create is never the
    /// probe, and the gateway may have no other reads to send.
    async fn probe(&self) {
        if self.upstream.breaker.admit(true, now_ms()).is_ok() {
            let path = self.upstream.settings.models_path.as_deref();
            let limit_ms = self.upstream.settings.read_timeout_ms;
            self.send(limit_ms, "GET", path.unwrap_or("/"), None).await;
        }
    }

    /// Sends a request, and reports to the circuit breaker if the upstream was reached.
    async fn send(
        &self,
        limit_ms: u32,
        method: &str,
        path: &str,
        body: Option<&str>,
    ) -> UpstreamResponse {
        let response = self.send_unreported(limit_ms, method, path, body).await;
        let is_reached = response.is_reached(&self.upstream.settings.dialect);
        self.upstream.breaker.report(is_reached, now_ms());
        response
    }

    /// Sends a request with one deadline, and measures its duration. Every failure is in the
    /// response, which is bounded and free of the API key. Nothing of a caller's request is
    /// forwarded except these arguments.
    async fn send_unreported(
        &self,
        limit_ms: u32,
        method: &str,
        path: &str,
        body: Option<&str>,
    ) -> UpstreamResponse {
        let started = now_ms();
        let client = self.upstream.json_client.get_or_init(|| {
            let settings = &self.upstream.settings;
            JsonClient::new(
                settings.service.base_url(),
                settings.service.authorization().as_deref(),
                USER_AGENT,
                settings.max_response_bytes,
                self.upstream.module.as_ref(),
            )
        });
        let result = client.send(method, path, body, limit_ms).await;
        let response = self.upstream.response(result.unchecked_ref());
        self.add_upstream_ms(now_ms() - started);
        response
    }

    pub fn add_upstream_ms(&self, ms: f64) {
        self.upstream_ms.set(self.upstream_ms.get() + ms);
    }

    /// Seals every id in the data. The id of `task` can then be used to read the task.
    pub fn seal(&self, data: &mut Value, task: Option<&TaskRef>) {
        seal_ids(data, &self.upstream.sealer, self.subject, task);
        if let Some(task) = task {
            self.address_outputs(data, &TaskName::Upstream(task.clone()));
        }
    }

    /// Replaces the URLs of outputs by addresses of the gateway, if the gateway keeps results.
    pub fn address_outputs(&self, data: &mut Value, task: &TaskName) {
        self.upstream
            .address_outputs(data, self.public_url, self.subject, task);
    }
}

/// Reads `Retry-After`: a date, or a number of seconds, which may have a fraction. Returns whole
/// seconds, up to the maximum. `now` is in milliseconds since 1970.
fn retry_after_seconds(text: &str, now: f64) -> Option<u32> {
    let text = text.trim();
    // A date begins with the name of a day.
    let seconds = if text.starts_with(|first: char| first.is_ascii_digit()) {
        text.parse().ok()?
    } else {
        let time = httpdate::parse_http_date(text).ok()?;
        let since_1970 = time.duration_since(UNIX_EPOCH).unwrap_or_default();
        // Clocks differ, so a date that is over may be meant for later.
        (since_1970.as_secs_f64() - now / 1000.0).max(1.0)
    };
    Some((seconds.ceil() as u32).min(MAX_RETRY_AFTER_S))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn retry_after_is_a_number_or_a_date() {
        let now = 1_445_412_480_400.0; // Wed, 21 Oct 2015 07:28:00.4 GMT
        for (text, expected) in [
            ("7", Some(7)),
            (" 0 ", Some(0)),
            ("1.5", Some(2)),
            ("99999999999999999999", Some(MAX_RETRY_AFTER_S)),
            ("Wed, 21 Oct 2015 07:29:00 GMT", Some(60)),
            ("Wednesday, 21-Oct-15 07:29:00 GMT", Some(60)),
            ("Wed Oct 21 07:29:00 2015", Some(60)),
            ("Wed, 21 Oct 2015 07:27:00 GMT", Some(1)),
            ("Wed, 21 Oct 2099 07:27:00 GMT", Some(MAX_RETRY_AFTER_S)),
            ("-1", None),
            ("7 minutes", None),
            ("soon", None),
            ("", None),
        ] {
            assert_eq!(retry_after_seconds(text, now), expected, "{text}");
        }
    }
}
