//! What an isolate needs to reach the upstream.

use std::cell::OnceCell;
use std::rc::Rc;

use worker::Env;

use super::breaker::Breaker;
use super::catalogue_cache::CatalogueCache;
use super::transport::Transport;
use crate::ids::Sealer;
use crate::load::Recent;
use crate::settings::{Settings, SettingsError};

/// The upstream, as the settings describe it. The gateway and the Durable Objects of an isolate share one, and with it the
/// circuit breaker.
pub(crate) struct Upstream {
    pub(crate) settings: Settings,
    pub(crate) sealer: Sealer,
    pub(super) transport: Transport,
    pub(super) breaker: Breaker,
    pub(super) catalogue: CatalogueCache,
    /// Files that were confirmed, by the hashes of their ids.
    pub(super) confirmed: Recent,
}

thread_local! {
    /// One for the life of the isolate: its settings don't change within it.
    static SHARED: OnceCell<Result<Rc<Upstream>, SettingsError>> = const { OnceCell::new() };
}

impl Upstream {
    /// The upstream of this isolate, with the settings of the Worker's environment.
    ///
    /// # Errors
    /// The first setting that is missing or wrong.
    pub(crate) fn shared(env: &Env) -> Result<Rc<Self>, SettingsError> {
        let make = || Settings::from_env(env).map(|it| Rc::new(Upstream::new(it)));
        SHARED.with(|it| it.get_or_init(make).clone())
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
