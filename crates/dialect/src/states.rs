//! Other words for the final states.

use serde::{Deserialize, Serialize};

use super::error::{DialectError, joined};
use mediagate_core::TERMINAL;

/// Other words for the final states (§3), in any case of letters. The document's own three always count; the default adds
/// none.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct States {
    /// For `SUCCEEDED`.
    #[serde(rename = "SUCCEEDED")]
    pub succeeded: Vec<String>,
    /// For `FAILED`.
    #[serde(rename = "FAILED")]
    pub failed: Vec<String>,
    /// For `EXPIRED`.
    #[serde(rename = "EXPIRED")]
    pub expired: Vec<String>,
}

impl States {
    /// The document's word for a state, where it is a final one.
    pub fn terminal(&self, word: &str) -> Option<&'static str> {
        let word = word.trim();
        self.each()
            .find(|(name, words)| is(word, name) || words.iter().any(|it| is(word, it.trim())))
            .map(|it| it.0)
    }

    fn each(&self) -> impl Iterator<Item = (&'static str, &Vec<String>)> {
        TERMINAL
            .into_iter()
            .zip([&self.succeeded, &self.failed, &self.expired])
    }

    /// No word is blank, or means two states.
    pub(super) fn check(&self) -> Result<(), DialectError> {
        for (state, words) in self.each() {
            for word in words {
                let part = joined("states", state);
                if word.trim().is_empty() {
                    return Err(DialectError::new(&part, "has a blank word; leave it out"));
                }
                let others = self.each().filter(|it| it.0 != state);
                if others
                    .into_iter()
                    .any(|(name, words)| is(word, name) || words.iter().any(|it| is(word, it)))
                {
                    return Err(DialectError::new(
                        &part,
                        "has a word that means another state too; give it to one",
                    ));
                }
            }
        }
        Ok(())
    }
}

fn is(one: &str, other: &str) -> bool {
    one.trim().eq_ignore_ascii_case(other.trim())
}
