//! Faults by path: a scene's list of what goes wrong, where, how often, and by which chance.

use std::sync::Mutex;

use fastrand::Rng;
use serde::{Deserialize, Serialize};
use wildmatch::WildMatch;

use super::directive::Directive;
use crate::files::lock;

/// One entry of the list.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(try_from = "Written", into = "Written")]
pub(crate) struct Rule {
    written: Written,
    path: WildMatch,
    wish: Directive,
}

/// The entry as JSON.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    /// Which paths, without the API's prefix and a leading slash; `*` is any text, `?` any letter.
    #[serde(default = "any")]
    path: String,
    /// Which method, in capitals.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    method: Option<String>,
    /// What happens, in the words that a title takes after `emulate:`.
    #[serde(rename = "do")]
    wishes: String,
    /// So many requests pass first.
    #[serde(default)]
    after: u64,
    /// So many are struck, then no more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    times: Option<u64>,
    /// The part of the others that is struck, 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    chance: Option<f64>,
}

fn any() -> String {
    "*".into()
}

impl TryFrom<Written> for Rule {
    type Error = String;

    fn try_from(written: Written) -> Result<Self, String> {
        if written.chance.is_some_and(|it| !(0.0..=1.0).contains(&it)) {
            return Err("the chance of a fault is a number from 0 to 1".into());
        }
        let wish = Directive::read(&written.wishes).map_err(|wish| format!("{wish:?} is not what a fault can do"))?;
        Ok(Rule { path: WildMatch::new(&written.path), wish, written })
    }
}

impl From<Rule> for Written {
    fn from(rule: Rule) -> Self {
        rule.written
    }
}

/// The list in use: it counts.
pub(crate) struct Faults {
    rules: Vec<(Rule, Mutex<Counts>)>,
    jitter: Mutex<Rng>,
}

struct Counts {
    passed: u64,
    struck: u64,
    chance: Rng,
}

impl Faults {
    /// A list that has met no request yet. One seed, one sequence of chances for each of its entries.
    pub(crate) fn new(rules: &[Rule], seed: u64) -> Self {
        let counts = |at: usize| Counts { passed: 0, struck: 0, chance: Rng::with_seed(seed.wrapping_add(at as u64)) };
        let rules = rules.iter().enumerate().map(|(at, rule)| (rule.clone(), Mutex::new(counts(at)))).collect();
        Faults { rules, jitter: Mutex::new(Rng::with_seed(seed)) }
    }

    /// What strikes this request: the first entry that does.
    pub(crate) fn next(&self, method: &str, path: &str) -> Option<Directive> {
        let mut fitting = self.rules.iter().filter(|(rule, _)| rule.fits(method, path));
        let (rule, _) = fitting.find(|(rule, counts)| rule.strikes(&mut lock(counts)))?;
        Some(rule.wish.clone())
    }

    /// A part of one, by chance.
    pub(super) fn part(&self) -> f64 {
        lock(&self.jitter).f64()
    }
}

impl Rule {
    fn fits(&self, method: &str, path: &str) -> bool {
        self.written.method.as_ref().is_none_or(|it| it == method) && self.path.matches(path)
    }

    /// Counts a request that fits.
    fn strikes(&self, counts: &mut Counts) -> bool {
        if counts.passed < self.written.after {
            counts.passed += 1;
            return false;
        }
        let used_up = self.written.times.is_some_and(|it| counts.struck >= it);
        let strikes = !used_up && self.written.chance.is_none_or(|it| counts.chance.f64() < it);
        counts.struck += u64::from(strikes);
        strikes
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn faults(rules: Value, seed: u64) -> Faults {
        Faults::new(&serde_json::from_value::<Vec<Rule>>(rules).unwrap(), seed)
    }

    fn strikes(faults: &Faults, path: &str, times: usize) -> Vec<bool> {
        (0..times).map(|_| faults.next("POST", path).is_some()).collect()
    }

    #[test]
    fn by_count() {
        let faults = faults(json!([{ "path": "generate/*", "do": "html", "after": 1, "times": 2 }]), 1);
        assert_eq!(strikes(&faults, "process/a", 1), [false]);
        assert_eq!(strikes(&faults, "generate/video/a", 5), [false, true, true, false, false]);
    }

    #[test]
    fn by_chance_that_a_seed_repeats() {
        let rules = json!([{ "do": "html", "chance": 0.3 }]);
        let one = strikes(&faults(rules.clone(), 7), "a", 200);
        assert_eq!(strikes(&faults(rules.clone(), 7), "a", 200), one);
        assert_ne!(strikes(&faults(rules, 8), "a", 200), one);
        let struck = one.iter().filter(|it| **it).count();
        assert!((30..90).contains(&struck), "{struck}");
    }

    #[test]
    fn the_first_that_strikes_decides() {
        let rules = json!([{ "method": "GET", "do": "reset" }, { "do": "html", "times": 1 }, { "do": "empty" }]);
        let faults = faults(rules, 1);
        let next = || faults.next("POST", "a").unwrap().fault;
        assert_eq!((next(), next()), (Directive::read("html").unwrap().fault, Directive::read("empty").unwrap().fault));
    }
}
