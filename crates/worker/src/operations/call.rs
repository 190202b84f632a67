//! What an operation needs.

use std::cell::Cell;

use worker::Env;

use crate::identity::Caller;
use crate::load::Recent;
use crate::objects::LedgerClient;
use crate::platform::Incoming;
use crate::settings::Settings;
use crate::upstream::{Upstream, UpstreamClient};

/// The caller of a request, and what its operation needs.
pub(crate) struct Call<'a> {
    pub(crate) upstream: &'a Upstream,
    pub(crate) incoming: &'a Incoming,
    pub(crate) caller: &'a Caller,
    /// The Worker's bindings.
    pub(crate) env: &'a Env,
    /// Milliseconds spent waiting for the upstream.
    pub(crate) upstream_ms: &'a Cell<f64>,
    /// Tasks whose end this isolate has reported to their ledger.
    pub(crate) freed: &'a Recent,
}

impl<'a> Call<'a> {
    pub(crate) fn settings(&self) -> &'a Settings {
        &self.upstream.settings
    }

    /// Requests to the upstream on behalf of the caller.
    pub(crate) fn client(&self) -> UpstreamClient<'a> {
        self.upstream.client(&self.caller.subject, self.upstream_ms)
    }

    /// Requests to ledgers.
    pub(crate) fn ledgers(&self) -> LedgerClient<'a> {
        LedgerClient::new(self.env, self.settings())
    }

    /// Seals an id for the caller.
    pub(crate) fn seal(&self, kind: &str, id: &str) -> String {
        self.upstream.sealer.seal(&self.caller.subject, kind, id)
    }

    /// Unseals an id; `None` where it is damaged, or not sealed for the caller as this kind.
    pub(crate) fn unseal(&self, kind: &str, sealed: &str) -> Option<String> {
        self.upstream.sealer.unseal(&self.caller.subject, kind, sealed)
    }
}
