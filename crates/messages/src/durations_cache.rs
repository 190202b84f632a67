//! A cache of task durations. A client that polls a task needs them with each poll.

use std::rc::Rc;

use mediagate_core::schedule::durations::Durations;
use mediagate_ids::Origin;
use mediagate_platform::{Memo, now_ms};

use super::DurationsClient;

const LIFETIME_MS: f64 = 20_000.0;
/// The time before durations are read again if there were too few.
const RETRY_MS: f64 = 2_000.0;
const MAX_KINDS: usize = 500;

#[derive(Clone)]
struct Cached {
    expires_at: f64,
    /// `None` if too few are known.
    durations: Option<Rc<Durations>>,
}

pub struct DurationsCache(Memo<(String, String), Cached>);

impl Default for DurationsCache {
    fn default() -> Self {
        DurationsCache(Memo::new(MAX_KINDS))
    }
}

impl DurationsCache {
    /// Returns the durations, cached or read. Returns `None` if too few are known.
    pub async fn read(
        &self,
        client: &DurationsClient<'_>,
        origin: &Origin,
    ) -> Option<Rc<Durations>> {
        let kind = (origin.capability.clone(), origin.variant.clone());
        let cached = self.0.get(&kind);
        if let Some(cached) = &cached
            && now_ms() < cached.expires_at
        {
            return cached.durations.clone();
        }
        // Extend the old durations during the read, so that concurrent requests don't read, too.
        let old = cached.and_then(|cached| cached.durations);
        self.insert(kind.clone(), old, RETRY_MS);
        let durations = client.read(origin).await.map(Rc::new);
        let lifetime_ms = if durations.is_some() {
            LIFETIME_MS
        } else {
            RETRY_MS
        };
        self.insert(kind, durations.clone(), lifetime_ms);
        durations
    }

    fn insert(&self, kind: (String, String), durations: Option<Rc<Durations>>, lifetime_ms: f64) {
        let expires_at = now_ms() + lifetime_ms;
        let cached = Cached {
            expires_at,
            durations,
        };
        self.0.insert(kind, cached);
    }
}
