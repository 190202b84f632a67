//! The published keys of an identity provider (RFC 7517). They are fetched on demand, and cached
//! through outages of up to a day.

mod cache;
mod jwk;
mod subtle;

use std::cell::RefCell;
use std::time::Duration;

use cache::{Cache, Need};
use jwk::Jwk;
use mediagate_access::refusal::Refusal;
use mediagate_core::Reason;

use super::token::Token;

/// The interval between two looks for keys that another request is fetching. An isolate can't await
/// a promise of another request.
const WAIT: Duration = Duration::from_millis(50);
/// The most such intervals: five seconds.
const WAITS: u32 = 100;

/// The keys of one URL, in the cache of this isolate.
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

    /// Returns true if one of the published keys made the signature, with the key's own algorithm.
    /// 503 if there are no trusted keys, and none can be fetched.
    pub(super) async fn verifies(&self, token: &Token, now: f64) -> Result<bool, Refusal> {
        // Without this, tokens with any algorithm could cause fetches.
        if !jwk::ALGORITHMS.contains(&token.algorithm.as_str()) {
            return Ok(false);
        }
        for _ in 0..WAITS {
            let need = self
                .cache
                .borrow_mut()
                .need(now, |(jwk, _)| jwk.fits(token));
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
        // Cloned, since the cache must not stay borrowed during the awaits below.
        let fitting: Vec<_> = self
            .cache
            .borrow()
            .keys()
            .iter()
            .filter(|(jwk, _)| jwk.fits(token))
            .map(|(_, key)| key.clone())
            .collect();
        for key in fitting {
            if subtle::verifies(&key, token).await {
                return true;
            }
        }
        false
    }
}
