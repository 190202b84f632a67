//! The scene's list of faults. `README.md` has their members.

use std::sync::Mutex;

use fastrand::Rng;
use serde::{Deserialize, Serialize};
use wildmatch::WildMatch;

use super::directive::{Directive, unknown_directive};
use crate::sync::lock;

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(try_from = "RuleRecord", into = "RuleRecord")]
pub(crate) struct Rule {
    record: RuleRecord,
    path: WildMatch,
    directive: Directive,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct RuleRecord {
    /// The paths, without the API's prefix and without a leading slash; `*` matches any characters,
    /// `?` one.
    #[serde(default = "any")]
    path: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    method: Option<String>,
    #[serde(rename = "do")]
    words: String,
    #[serde(default)]
    after: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    times: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    chance: Option<f64>,
}

fn any() -> String {
    "*".into()
}

impl TryFrom<RuleRecord> for Rule {
    type Error = String;

    fn try_from(record: RuleRecord) -> Result<Self, String> {
        if let Some(chance) = record.chance
            && !(0.0..=1.0).contains(&chance)
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

pub(crate) struct Faults {
    rules: Vec<(Rule, Mutex<Counters>)>,
    jitter: Mutex<Rng>,
}

struct Counters {
    passed: u64,
    applied: u64,
    chance: Rng,
}

impl Faults {
    /// Returns the faults with counters of zero. `seed` determines the random choices.
    pub(crate) fn new(rules: &[Rule], seed: u64) -> Self {
        let mut counted = Vec::new();
        for (index, rule) in rules.iter().enumerate() {
            let counters = Counters {
                passed: 0,
                applied: 0,
                // Requests that match another rule do not change this rule's sequence.
                chance: Rng::with_seed(seed.wrapping_add(index as u64)),
            };
            counted.push((rule.clone(), Mutex::new(counters)));
        }
        Faults {
            rules: counted,
            jitter: Mutex::new(Rng::with_seed(seed)),
        }
    }

    /// Counts a request, and returns the directive of the first rule that selects it. `path` has
    /// neither the API's prefix nor a leading slash.
    pub(crate) fn select(&self, method: &str, path: &str) -> Option<Directive> {
        for (rule, counters) in &self.rules {
            if rule.matches(method, path) && rule.selects(&mut lock(counters)) {
                return Some(rule.directive.clone());
            }
        }
        None
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

    fn selects(&self, counters: &mut Counters) -> bool {
        if counters.passed < self.record.after {
            counters.passed += 1;
            return false;
        }
        if let Some(times) = self.record.times
            && counters.applied >= times
        {
            return false;
        }
        if let Some(chance) = self.record.chance
            && counters.chance.f64() >= chance
        {
            return false;
        }
        counters.applied += 1;
        true
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
