//! Caches how long tasks take for some seconds: a client that polls a task needs it with each poll.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use mediagate_core::schedule::durations::Durations;

use super::DurationsClient;
use crate::ids::Origin;
use crate::platform::now_ms;

/// How long durations are cached, in milliseconds.
const LIFETIME_MS: f64 = 20_000.0;
/// How long it is remembered that there were too few.
const RETRY_MS: f64 = 2_000.0;
/// Most kinds of task that are cached.
const MAX_KINDS: usize = 500;

type Kinds = HashMap<(String, String), (f64, Option<Rc<Durations>>)>;

/// The durations that an isolate has read, and until when they count.
#[derive(Default)]
pub(crate) struct DurationsCache(RefCell<Kinds>);

impl DurationsCache {
    /// The durations of a kind of task, cached or read; `None` where too few are known.
    pub(crate) async fn read(
        &self,
        client: &DurationsClient<'_>,
        origin: &Origin,
    ) -> Option<Rc<Durations>> {
        let kind = (origin.capability.clone(), origin.variant.clone());
        let cached = self
            .0
            .borrow()
            .get(&kind)
            .filter(|it| now_ms() < it.0)
            .cloned();
        if let Some((_, durations)) = cached {
            return durations;
        }
        // Others meanwhile get what was known before.
        let before = self.0.borrow().get(&kind).and_then(|it| it.1.clone());
        self.0
            .borrow_mut()
            .insert(kind.clone(), (now_ms() + RETRY_MS, before));
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
        kinds.insert(kind, (now_ms() + lifetime, durations.clone()));
        durations
    }
}
