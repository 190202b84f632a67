use mediagate_access::identity::{AssetUse, Budget, Caller, Item, ValueLimits};
use mediagate_access::refusal::Refusal;
use mediagate_core::ids::IdKind;
use mediagate_core::{AssetCategory, Reason};
use mediagate_messages::{
    DurationsCache, DurationsClient, LedgerClient, StreamClient, StreamRequest,
};
use mediagate_platform::http::{BodyError, read_body_within};
use mediagate_platform::{Memo, json, now_ms};
use mediagate_settings::Settings;
use mediagate_upstream_client::{Upstream, UpstreamClient};
use serde_json::Value;
use worker::Env;

use crate::incoming::Incoming;
use crate::load::Shedder;

/// A request, its caller, and the parts of the gateway that its operation needs.
pub(crate) struct RequestContext<'a> {
    pub(crate) upstream: &'a Upstream,
    pub(crate) incoming: &'a Incoming,
    /// The gateway's URL as the caller sees it, without a slash at its end.
    pub(crate) public_url: String,
    pub(crate) caller: &'a Caller,
    pub(crate) env: &'a Env,
    /// Limits requests per minute, by the pseudonym of the subject.
    pub(crate) shedder: &'a Shedder,
    pub(crate) pseudonym: &'a str,
    /// Tasks whose end this isolate has reported to their ledger.
    pub(crate) freed: &'a Memo<String, ()>,
    pub(crate) known_durations: &'a DurationsCache,
}

impl<'a> RequestContext<'a> {
    pub(crate) fn settings(&self) -> &'a Settings {
        &self.upstream.settings
    }

    /// Reads the JSON of the request. Its size and its nesting are bounded, and it may take as long
    /// as a request to the upstream. 400, 408 or 413, with code 12 and the reason.
    pub(crate) async fn read_json(&self) -> Result<Value, Refusal> {
        let settings = self.settings();
        let limit = settings.max_body_bytes;
        let read = read_body_within(&self.incoming.raw, limit, settings.read_timeout_ms).await;
        let bytes = read.map_err(|error| match error {
            BodyError::TooSlow => Refusal::from(Reason::SlowBody),
            BodyError::TooLarge => Refusal::too_large(limit),
            BodyError::Incomplete => Refusal::from(Reason::BrokenBody),
        })?;
        let malformed = |message: &str| Refusal::new(Reason::MalformedJson, message);
        str::from_utf8(&bytes)
            .map_err(|_| malformed("the body is not UTF-8; send JSON in UTF-8"))?;
        if bytes.is_empty() {
            return Err(malformed("the body is empty; send a JSON object"));
        }
        json::read_request(&bytes).map_err(|problem| {
            malformed(&format!(
                "the body is not valid JSON: {problem}; check its syntax and nesting"
            ))
        })
    }

    /// Returns the time after `max_ms`, or of the expiry of the caller's token if that is earlier,
    /// in milliseconds since 1970.
    pub(crate) fn until(&self, max_ms: f64) -> f64 {
        (now_ms() + max_ms).min(self.caller.until * 1000.0)
    }

    /// Returns the number of the last event that the caller received, or 0.
    pub(crate) fn last_event_id(&self) -> u64 {
        let id = self.incoming.header("last-event-id");
        id.and_then(|id| id.parse().ok()).unwrap_or(0)
    }

    /// Returns a request for a stream that begins with the event after `last_event_id`. The stream
    /// ends after `max_ms`, or when the caller's token expires.
    pub(crate) fn stream_request(&self, last_event_id: u64, max_ms: f64) -> StreamRequest {
        StreamRequest {
            last_event_id,
            until: self.until(max_ms) as i64,
            client: Some(StreamClient {
                network: self.incoming.network(),
            }),
        }
    }

    pub(crate) fn client(&self) -> UpstreamClient<'_> {
        self.upstream.client(
            &self.caller.subject,
            &self.public_url,
            &self.incoming.upstream_ms,
        )
    }

    pub(crate) fn ledgers(&self) -> LedgerClient<'a> {
        LedgerClient::new(self.env, self.settings())
    }

    pub(crate) fn durations(&self) -> DurationsClient<'a> {
        DurationsClient::new(self.env, self.settings())
    }

    /// Returns the caller's budget, or the default budget if the token has none. Both are within
    /// the operator's limit on tasks in flight.
    pub(crate) fn budget(&self) -> Budget {
        let settings = self.settings();
        let own = self.caller.budget;
        let budget = if own.is_unlimited() {
            settings.default_budget
        } else {
            own
        };
        budget.and(Budget {
            in_flight: settings.max_tasks_in_flight,
            ..Budget::default()
        })
    }

    /// Returns the limits on the values of creates: the caller's, or the default if the token has
    /// none.
    pub(crate) fn limits(&self) -> &'a ValueLimits {
        let own = &self.caller.limits;
        if own.is_unlimited() {
            &self.settings().default_limits
        } else {
            own
        }
    }

    /// Returns the budget that all anonymous callers share, if the caller is anonymous.
    pub(crate) fn pool(&self) -> Option<Budget> {
        let is_anonymous = self.caller.subject.is_anonymous();
        is_anonymous
            .then(|| self.settings().anonymous.budget())
            .filter(|budget| !budget.is_unlimited())
    }

    /// Counts an item that an anonymous caller takes. 429 if all of them together have used up the
    /// item; 500 if the pool does not respond.
    pub(crate) async fn take(&self, item: Item, bytes: u64) -> Result<(), Refusal> {
        let taking = self.settings().anonymous.taking(item, bytes);
        self.ledgers()
            .take(&self.caller.subject, taking, None)
            .await
    }

    /// Fails if [`RequestContext::take`] would. Counts nothing.
    pub(crate) async fn check_taking(&self, item: Item, bytes: u64) -> Result<(), Refusal> {
        let taking = self.settings().anonymous.taking(item, bytes);
        self.ledgers()
            .check_taking(&self.caller.subject, taking, None)
            .await
    }

    /// Counts further requests, for a request that stands for several. 429 if the caller has sent
    /// too many.
    pub(crate) fn count_requests(&self, count: usize) -> Result<(), Refusal> {
        (0..count)
            .try_for_each(|_| self.shedder.take(self.pseudonym, now_ms()))
            .map_err(Refusal::too_many)
    }

    pub(crate) fn seal(&self, kind: &str, id: &str) -> String {
        self.upstream.sealer.seal(&self.caller.subject, kind, id)
    }

    /// Returns an id for checks, in the place of a file that is not loaded yet.
    pub(crate) fn unloaded_file(&self) -> String {
        self.seal(IdKind::File.name(), "unloaded")
    }

    /// Returns the use that the caller may make of an asset. The id is the upstream's own. The
    /// caller's token or the operator lists the allowed assets.
    pub(crate) fn find_asset(&self, id: &str, category: Option<AssetCategory>) -> AssetUse {
        match self.caller.assets.find(id, category) {
            AssetUse::Unknown if self.settings().public_assets.contains(id) => AssetUse::Allowed,
            found => found,
        }
    }

    /// Unseals an id. Returns `None` if it is damaged, or not sealed for the caller with this kind.
    pub(crate) fn unseal(&self, kind: &str, sealed: &str) -> Option<String> {
        self.upstream
            .sealer
            .unseal(&self.caller.subject, kind, sealed)
    }
}
