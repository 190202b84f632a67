//! The context of an operation.

use std::cell::Cell;

use mediagate_core::AssetCategory;
use worker::Env;

use crate::identity::{AssetUse, Budget, Caller, Item};
use crate::load::{Recent, Shedder};
use crate::objects::{DurationsCache, DurationsClient, LedgerClient};
use crate::platform::{Incoming, now_ms};
use crate::refusal::Refusal;
use crate::settings::Settings;
use crate::upstream::{Upstream, UpstreamClient};

/// A request, its caller, and the parts of the gateway that its operation needs.
pub(crate) struct RequestContext<'a> {
    pub(crate) upstream: &'a Upstream,
    pub(crate) incoming: &'a Incoming,
    /// The gateway's URL as the caller sees it, without a slash at its end.
    pub(crate) public_url: String,
    pub(crate) caller: &'a Caller,
    /// The Worker's bindings.
    pub(crate) env: &'a Env,
    /// Milliseconds spent waiting for the upstream.
    pub(crate) upstream_ms: &'a Cell<f64>,
    /// Requests per minute, by the fingerprint of the subject.
    pub(crate) shedder: &'a Shedder,
    /// The fingerprint of the caller's subject.
    pub(crate) fingerprint: &'a str,
    /// Tasks whose end this isolate has reported to their ledger.
    pub(crate) freed: &'a Recent,
    /// The durations of tasks that this isolate has read.
    pub(crate) known_durations: &'a DurationsCache,
}

impl<'a> RequestContext<'a> {
    /// Returns the operator's settings.
    pub(crate) fn settings(&self) -> &'a Settings {
        &self.upstream.settings
    }

    /// Returns a client for requests to the upstream on behalf of the caller.
    pub(crate) fn client(&self) -> UpstreamClient<'_> {
        self.upstream
            .client(&self.caller.subject, &self.public_url, self.upstream_ms)
    }

    /// Returns a client for requests to ledgers.
    pub(crate) fn ledgers(&self) -> LedgerClient<'a> {
        LedgerClient::new(self.env, self.settings())
    }

    /// Returns a client for requests to the objects that store the durations of tasks.
    pub(crate) fn durations(&self) -> DurationsClient<'a> {
        DurationsClient::new(self.env, self.settings())
    }

    /// Returns the caller's budget, or the default budget if the token has none. Both are within
    /// the operator's limit on tasks in flight.
    pub(crate) fn budget(&self) -> Budget {
        let Settings {
            default_budget,
            max_tasks_in_flight,
            ..
        } = self.settings();
        let own = self.caller.budget;
        let budget = if own.is_unlimited() {
            *default_budget
        } else {
            own
        };
        budget.and(Budget {
            in_flight: *max_tasks_in_flight,
            ..Budget::default()
        })
    }

    /// Returns the budget that all anonymous callers share, if the caller is anonymous.
    pub(crate) fn pool(&self) -> Option<Budget> {
        let is_anonymous = self.caller.subject.is_anonymous();
        is_anonymous
            .then(|| self.settings().anonymous.budget())
            .filter(|budget| !budget.is_unlimited())
    }

    /// Counts an item that an anonymous caller takes, other than a create.
    ///
    /// # Errors
    /// 429 if all anonymous callers together have used up the item; 500 if the pool does not
    /// respond.
    pub(crate) async fn take(&self, item: Item, bytes: u64) -> Result<(), Refusal> {
        let taking = self.settings().anonymous.taking(item, bytes);
        self.ledgers().take(&self.caller.subject, taking).await
    }

    /// Counts further requests against the caller's rate, for a request that stands for several.
    ///
    /// # Errors
    /// 429 if the caller has sent too many.
    pub(crate) fn count_requests(&self, count: usize) -> Result<(), Refusal> {
        (0..count)
            .try_for_each(|_| self.shedder.take(self.fingerprint, now_ms()))
            .map_err(Refusal::too_many)
    }

    /// Seals an id for the caller.
    pub(crate) fn seal(&self, kind: &str, id: &str) -> String {
        self.upstream.sealer.seal(&self.caller.subject, kind, id)
    }

    /// Returns the use that the caller may make of an asset with the upstream's own id. The
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
