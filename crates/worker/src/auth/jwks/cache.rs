//! Decides when to fetch keys, and how long to trust cached keys. Times are seconds since 1970.

/// The shortest time between two fetches. Tokens with unknown key ids can't cause more.
const WINDOW_S: f64 = 60.0;
/// The age at which keys are fetched again for the next token.
const FRESH_S: f64 = 600.0;
/// The age at which keys are no longer trusted, even if no newer keys can be fetched.
const MAX_AGE_S: f64 = 86_400.0;

/// The action that must precede the verification of a token.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Need {
    /// The cached keys decide.
    Nothing,
    /// The caller fetches the keys and stores them.
    Fetch,
    /// Another request is fetching the first keys.
    Wait,
    /// There are no trusted keys.
    Refuse,
}

pub(super) struct Cache<K> {
    keys: Vec<K>,
    fetched_at: Option<f64>,
    attempted_at: Option<f64>,
    fetching: bool,
}

impl<K> Default for Cache<K> {
    fn default() -> Self {
        Cache {
            keys: Vec::new(),
            fetched_at: None,
            attempted_at: None,
            fetching: false,
        }
    }
}

impl<K> Cache<K> {
    pub(super) fn keys(&self) -> &[K] {
        &self.keys
    }

    /// Returns the need of a token. `fits` returns true for the token's key.
    pub(super) fn need(&mut self, now: f64, fits: impl Fn(&K) -> bool) -> Need {
        let age = self
            .fetched_at
            .map_or(f64::INFINITY, |fetched_at| now - fetched_at);
        let trusted = age < MAX_AGE_S;
        let known = trusted && self.keys.iter().any(fits);
        // A fetch may never complete, because its request was cancelled. Without this, no other
        // request would fetch again.
        let window_open = self
            .attempted_at
            .is_none_or(|attempted_at| now - attempted_at >= WINDOW_S);
        if (!known || age >= FRESH_S) && window_open {
            self.attempted_at = Some(now);
            self.fetching = true;
            return Need::Fetch;
        }
        match (trusted, self.fetching) {
            (true, _) => Need::Nothing,
            (false, true) => Need::Wait,
            (false, false) => Need::Refuse,
        }
    }

    /// Stores fetched keys. If the fetch failed, the cached keys stay.
    pub(super) fn store(&mut self, now: f64, keys: Option<Vec<K>>) {
        self.fetching = false;
        if let Some(keys) = keys {
            self.keys = keys;
            self.fetched_at = Some(now);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is(key: &'static str) -> impl Fn(&&'static str) -> bool {
        move |cached| *cached == key
    }

    #[test]
    fn a_flood_of_unknown_keys_fetches_once_in_a_window() {
        let mut cache = Cache::default();
        assert_eq!(cache.need(0.0, is("a")), Need::Fetch);
        assert_eq!(cache.need(0.0, is("a")), Need::Wait);
        cache.store(0.0, Some(vec!["a"]));
        assert_eq!(cache.need(1.0, is("a")), Need::Nothing);
        assert_eq!(cache.keys(), ["a"]);
        let fetches = (0..600).filter(|tenth| {
            let need = cache.need(f64::from(*tenth) / 10.0, is("unknown"));
            need == Need::Fetch
        });
        assert_eq!(fetches.count(), 0);
        assert_eq!(cache.need(60.0, is("unknown")), Need::Fetch);
        assert_eq!(cache.need(60.0, is("unknown")), Need::Nothing);
    }

    #[test]
    fn the_last_good_keys_hold_through_an_outage_of_a_day() {
        let mut cache = Cache::default();
        cache.need(0.0, is("a"));
        cache.store(0.0, Some(vec!["a"]));
        assert_eq!(cache.need(599.0, is("a")), Need::Nothing);
        assert_eq!(cache.need(600.0, is("a")), Need::Fetch);
        cache.store(600.0, None);
        assert_eq!(cache.need(601.0, is("a")), Need::Nothing);
        assert_eq!(cache.need(86_399.0, is("a")), Need::Fetch);
        cache.store(86_399.0, None);
        assert_eq!(cache.need(86_400.0, is("a")), Need::Refuse);
        assert_eq!(cache.need(86_459.0, is("a")), Need::Fetch);
        cache.store(86_459.0, Some(vec!["a"]));
        assert_eq!(cache.need(86_460.0, is("a")), Need::Nothing);
    }
}
