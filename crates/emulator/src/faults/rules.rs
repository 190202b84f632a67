//! The scene's list of faults: the requests that fail, how often, and with which probability.

use std::sync::Mutex;

use fastrand::Rng;
use serde::{Deserialize, Serialize};
use wildmatch::WildMatch;

use super::directive::{Directive, unknown_directive};
use crate::sync::lock;

/// One fault of the scene's list.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(try_from = "RuleRecord", into = "RuleRecord")]
pub(crate) struct Rule {
    record: RuleRecord,
    path: WildMatch,
    directive: Directive,
}

/// The fault as JSON.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct RuleRecord {
    /// The paths, without the API's prefix and without a leading slash; `*` matches any characters,
    /// `?` one.
    #[serde(default = "any")]
    path: String,
    /// The HTTP method, in capitals. If absent, every method.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    method: Option<String>,
    /// The directive, in the words that a title has after `emulate:`.
    #[serde(rename = "do")]
    words: String,
    /// The number of matching requests that are served first.
    #[serde(default)]
    after: u64,
    /// The number of requests that fail. If absent, every request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    times: Option<u64>,
    /// The probability that a request fails, 0 to 1. If absent, 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    chance: Option<f64>,
}

fn any() -> String {
    "*".into()
}

impl TryFrom<RuleRecord> for Rule {
    type Error = String;

    fn try_from(record: RuleRecord) -> Result<Self, String> {
        if record
            .chance
            .is_some_and(|chance| !(0.0..=1.0).contains(&chance))
        {
            return Err("the chance of a fault is invalid; give a number from 0 to 1".into());
        }
        let directive =
            Directive::from_words(&record.words).map_err(|word| unknown_directive(&word))?;
        Ok(Rule {
            path: WildMatch::new(&record.path),
            directive,
            record,
        })
    }
}

impl From<Rule> for RuleRecord {
    fn from(rule: Rule) -> Self {
        rule.record
    }
}

/// The scene's faults with their counters.
pub(crate) struct Faults {
    rules: Vec<(Rule, Mutex<Counters>)>,
    jitter: Mutex<Rng>,
}

/// The counters of one rule.
struct Counters {
    /// The number of matching requests that were served because of `after`.
    passed: u64,
    /// The number of requests that failed.
    applied: u64,
    chance: Rng,
}

impl Faults {
    /// Returns a list whose counters are zero. `seed` determines the random choices.
    pub(crate) fn new(rules: &[Rule], seed: u64) -> Self {
        // A generator for each rule: requests that match another rule do not change its sequence.
        let counters = |index: usize| Counters {
            passed: 0,
            applied: 0,
            chance: Rng::with_seed(seed.wrapping_add(index as u64)),
        };
        let rules = rules
            .iter()
            .enumerate()
            .map(|(index, rule)| (rule.clone(), Mutex::new(counters(index))))
            .collect();
        Faults {
            rules,
            jitter: Mutex::new(Rng::with_seed(seed)),
        }
    }

    /// Counts a request, and returns the directive of the first rule that selects the request.
    /// `path` has neither the API's prefix nor a leading slash.
    pub(crate) fn select(&self, method: &str, path: &str) -> Option<Directive> {
        let mut matching = self
            .rules
            .iter()
            .filter(|(rule, _)| rule.matches(method, path));
        let (rule, _) = matching.find(|(rule, counters)| rule.selects(&mut lock(counters)))?;
        Some(rule.directive.clone())
    }

    /// Returns a random number from 0 to 1, for jitter.
    pub(super) fn random_fraction(&self) -> f64 {
        lock(&self.jitter).f64()
    }
}

impl Rule {
    fn matches(&self, method: &str, path: &str) -> bool {
        let is_method = self.record.method.as_ref().is_none_or(|own| own == method);
        is_method && self.path.matches(path)
    }

    /// Counts a matching request, and returns true if the rule applies to it.
    fn selects(&self, counters: &mut Counters) -> bool {
        if counters.passed < self.record.after {
            counters.passed += 1;
            return false;
        }
        let used_up = self
            .record
            .times
            .is_some_and(|times| counters.applied >= times);
        let applies = !used_up
            && self
                .record
                .chance
                .is_none_or(|chance| counters.chance.f64() < chance);
        counters.applied += u64::from(applies);
        applies
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn faults(rules: Value, seed: u64) -> Faults {
        Faults::new(&serde_json::from_value::<Vec<Rule>>(rules).unwrap(), seed)
    }

    fn selected(faults: &Faults, path: &str, times: usize) -> Vec<bool> {
        (0..times)
            .map(|_| faults.select("POST", path).is_some())
            .collect()
    }

    #[test]
    fn a_rule_applies_by_count() {
        let faults = faults(
            json!([{ "path": "generate/*", "do": "html", "after": 1, "times": 2 }]),
            1,
        );
        assert_eq!(selected(&faults, "process/a", 1), [false]);
        assert_eq!(
            selected(&faults, "generate/video/a", 5),
            [false, true, true, false, false]
        );
    }

    #[test]
    fn a_seed_repeats_the_random_choices() {
        let rules = json!([{ "do": "html", "chance": 0.3 }]);
        let one = selected(&faults(rules.clone(), 7), "a", 200);
        assert_eq!(selected(&faults(rules.clone(), 7), "a", 200), one);
        assert_ne!(selected(&faults(rules, 8), "a", 200), one);
        let count = one.iter().filter(|is_selected| **is_selected).count();
        assert!((30..90).contains(&count), "{count}");
    }

    #[test]
    fn the_first_rule_that_selects_a_request_applies() {
        let rules = json!([
            { "method": "GET", "do": "reset" },
            { "do": "html", "times": 1 },
            { "do": "empty" },
        ]);
        let faults = faults(rules, 1);
        let next = || faults.select("POST", "a").unwrap().fault;
        assert_eq!(
            (next(), next()),
            (
                Directive::from_words("html").unwrap().fault,
                Directive::from_words("empty").unwrap().fault
            )
        );
    }
}
