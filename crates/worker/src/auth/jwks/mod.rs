//! The published keys of an identity provider (RFC 7517), fetched on demand and cached through outages of up to a day.

mod cache;
mod jwk;
mod subtle;

use mediagate_core::Reason;
use std::cell::RefCell;
use std::time::Duration;

use super::token::Token;
use crate::refusal::Refusal;
use cache::{Cache, Need};
use jwk::Jwk;

/// How long and how often a request waits for keys that another one is fetching.
const WAIT: Duration = Duration::from_millis(50);
const WAITS: u32 = 100;

/// The keys published at one URL, as this isolate has cached them.
pub(super) struct KeySet {
    url: String,
    cache: RefCell<Cache<(Jwk, subtle::Key)>>,
}

impl KeySet {
    pub(super) fn new(url: String) -> Self {
        KeySet {
            url,
            cache: RefCell::new(Cache::default()),
        }
    }

    /// Whether one of the published keys verifies the token's signature, by the key's own algorithm.
    pub(super) async fn verifies(&self, token: &Token, now: f64) -> Result<bool, Refusal> {
        // No key has any other algorithm, so nothing is fetched for it.
        if !jwk::ALGORITHMS.contains(&token.algorithm.as_str()) {
            return Ok(false);
        }
        for _ in 0..WAITS {
            let need = self.cache.borrow_mut().need(now, |it| it.0.fits(token));
            match need {
                Need::Nothing => return Ok(self.any_verifies(token).await),
                Need::Fetch => {
                    let fetched = subtle::fetch_keys(&self.url).await;
                    self.cache.borrow_mut().store(now, fetched);
                }
                Need::Wait => worker::Delay::from(WAIT).await,
                Need::Refuse => break,
            }
        }
        Err(Refusal::from(Reason::KeysUnavailable))
    }

    async fn any_verifies(&self, token: &Token) -> bool {
        let fitting: Vec<_> = self
            .cache
            .borrow()
            .keys()
            .iter()
            .filter(|it| it.0.fits(token))
            .map(|it| it.1.clone())
            .collect();
        for key in fitting {
            if subtle::verifies(&key, token).await {
                return true;
            }
        }
        false
    }
}
