//! The state of an isolate for requests to the upstream.

use std::cell::OnceCell;
use std::rc::Rc;

use worker::Env;

use super::breaker::Breaker;
use super::catalogue_cache::CatalogueCache;
use super::transport::Transport;
use crate::ids::Sealer;
use crate::load::Recent;
use crate::refusal::Refusal;
use crate::settings::{Settings, SettingsError};

/// The upstream, as the settings describe it. The gateway and the Durable Objects of an isolate
/// share one, and so they share the circuit breaker.
pub(crate) struct Upstream {
    pub(crate) settings: Settings,
    pub(crate) sealer: Sealer,
    pub(super) transport: Transport,
    pub(super) breaker: Breaker,
    pub(super) catalogue: CatalogueCache,
    /// The hashes of the ids of files that were confirmed.
    pub(super) confirmed: Recent,
}

thread_local! {
    /// Lives as long as the isolate, because the settings do not change within it.
    static SHARED: OnceCell<Result<Rc<Upstream>, SettingsError>> = const { OnceCell::new() };
}

impl From<SettingsError> for Refusal {
    fn from(error: SettingsError) -> Self {
        Refusal::misconfigured(error.setting, error.to_string())
    }
}

impl Upstream {
    /// Returns the upstream of this isolate, with the settings of the Worker's environment.
    ///
    /// # Errors
    /// The first setting that is missing or wrong.
    pub(crate) fn shared(env: &Env) -> Result<Rc<Self>, SettingsError> {
        let make = || Settings::from_env(env).map(|settings| Rc::new(Upstream::new(settings)));
        SHARED.with(|shared| shared.get_or_init(make).clone())
    }

    pub(crate) fn new(settings: Settings) -> Self {
        Upstream {
            sealer: Sealer::new(&settings.seal_secrets, settings.tenant.clone()),
            transport: Transport::new(&settings),
            breaker: Breaker::new(settings.breaker_failures),
            catalogue: CatalogueCache::default(),
            confirmed: Recent::default(),
            settings,
        }
    }
}
