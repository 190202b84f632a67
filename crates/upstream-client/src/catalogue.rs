use std::cell::{Cell, RefCell};
use std::rc::Rc;

use mediagate_core::models::Catalogue;

const LIFETIME_MS: f64 = 300_000.0;
/// The time after which another request may fetch the catalogue, if a fetch has no result.
const FETCH_MS: f64 = 10_000.0;
/// The time after a failure until the catalogue is fetched again.
const RETRY_MS: f64 = 60_000.0;

/// The catalogue of an isolate, if it could be read, and the time until which it is valid.
#[derive(Default)]
pub(super) struct CatalogueCache {
    kept: RefCell<Option<Rc<Catalogue>>>,
    until: Cell<f64>,
}

impl CatalogueCache {
    /// Returns the catalogue, or `None` if the caller has to fetch it. Only one request at a time
    /// fetches it. Meanwhile others get the previous catalogue, if there is one.
    pub(super) fn get(&self, now: f64) -> Option<Option<Rc<Catalogue>>> {
        if now < self.until.get() {
            return Some(self.kept.borrow().clone());
        }
        self.until.set(now + FETCH_MS);
        None
    }

    /// Keeps a fetched catalogue. If the fetch failed, the previous catalogue stays, and the next
    /// fetch is soon.
    pub(super) fn keep(&self, fetched: Option<Rc<Catalogue>>, now: f64) -> Option<Rc<Catalogue>> {
        let lifetime_ms = if fetched.is_some() {
            LIFETIME_MS
        } else {
            RETRY_MS
        };
        self.until.set(now + lifetime_ms);
        if fetched.is_some() {
            *self.kept.borrow_mut() = fetched;
        }
        self.kept.borrow().clone()
    }
}

#[cfg(test)]
mod tests {
    use mediagate_upstream::Dialect;
    use serde_json::json;

    use super::*;

    #[test]
    fn a_catalogue_is_kept_for_minutes_and_over_a_failure() {
        let cache = CatalogueCache::default();
        assert_eq!(cache.get(1.0), None, "the first fetches it");
        assert_eq!(cache.get(2.0), Some(None), "others meanwhile do not");
        assert_eq!(cache.keep(None, 2.0), None);
        assert_eq!(cache.get(RETRY_MS + 1.0), Some(None));
        assert_eq!(cache.get(RETRY_MS + 2.0), None);
        let catalogue = Dialect::default()
            .models
            .read(&json!([{"model_id": "m"}]))
            .map(Rc::new);
        assert_eq!(cache.keep(catalogue.clone(), 0.0), catalogue);
        assert_eq!(cache.get(LIFETIME_MS - 1.0), Some(catalogue.clone()));
        assert_eq!(cache.get(LIFETIME_MS), None);
        assert_eq!(
            cache.get(LIFETIME_MS + 1.0),
            Some(catalogue.clone()),
            "the one before"
        );
        assert_eq!(cache.keep(None, LIFETIME_MS), catalogue);
    }
}
