//! A cache of task durations. A client that polls a task needs them with each poll.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use mediagate_core::schedule::durations::Durations;

use super::DurationsClient;
use crate::ids::Origin;
use crate::platform::now_ms;

/// The lifetime of cached durations, in milliseconds.
const LIFETIME_MS: f64 = 20_000.0;
/// The time before durations are read again if there were too few, in milliseconds.
const RETRY_MS: f64 = 2_000.0;
/// The most kinds of task in the cache.
const MAX_KINDS: usize = 500;

/// The durations of a kind of task, as they were read.
#[derive(Clone)]
struct Cached {
    /// In milliseconds since 1970.
    expires_at: f64,
    /// `None` if too few are known.
    durations: Option<Rc<Durations>>,
}

/// The durations that an isolate has read, by capability and variant.
#[derive(Default)]
pub(crate) struct DurationsCache(RefCell<HashMap<(String, String), Cached>>);

impl DurationsCache {
    /// Returns the durations of a kind of task, cached or read. Returns `None` if too few are
    /// known.
    pub(crate) async fn read(
        &self,
        client: &DurationsClient<'_>,
        origin: &Origin,
    ) -> Option<Rc<Durations>> {
        let kind = (origin.capability.clone(), origin.variant.clone());
        let cached = self.0.borrow().get(&kind).cloned();
        if let Some(cached) = &cached
            && now_ms() < cached.expires_at
        {
            return cached.durations.clone();
        }
        // Extend the old durations during the read, so that concurrent requests don't read, too.
        let extended = Cached {
            expires_at: now_ms() + RETRY_MS,
            durations: cached.and_then(|cached| cached.durations),
        };
        self.0.borrow_mut().insert(kind.clone(), extended);
        let durations = client.read(origin).await.map(Rc::new);
        let mut kinds = self.0.borrow_mut();
        if kinds.len() >= MAX_KINDS {
            kinds.clear();
        }
        let lifetime = if durations.is_some() {
            LIFETIME_MS
        } else {
            RETRY_MS
        };
        let read = Cached {
            expires_at: now_ms() + lifetime,
            durations: durations.clone(),
        };
        kinds.insert(kind, read);
        durations
    }
}
