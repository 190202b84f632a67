use serde::{Deserialize, Serialize};

use super::error::{DialectError, joined};
use mediagate_core::TERMINAL;

/// Other words for the final states (§3), in any case of letters. The document's three words always
/// count. The default adds none.
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
    /// Returns the document's word for a state, if the state is final.
    pub fn terminal(&self, word: &str) -> Option<&'static str> {
        for (name, words) in self.each() {
            if is_among(word, name, words) {
                return Some(name);
            }
        }
        None
    }

    fn each(&self) -> impl Iterator<Item = (&'static str, &Vec<String>)> {
        TERMINAL
            .into_iter()
            .zip([&self.succeeded, &self.failed, &self.expired])
    }

    /// Checks that no word is blank or means two states.
    pub(super) fn check(&self) -> Result<(), DialectError> {
        for (state, words) in self.each() {
            for word in words {
                let part = joined("states", state);
                if word.trim().is_empty() {
                    return Err(DialectError::new(&part, "has a blank word; leave it out"));
                }
                for (name, others) in self.each() {
                    if name != state && is_among(word, name, others) {
                        return Err(DialectError::new(
                            &part,
                            "has a word that means another state too; give it to one",
                        ));
                    }
                }
            }
        }
        Ok(())
    }
}

/// Returns true if the word is the state's name or one of its words.
fn is_among(word: &str, name: &str, words: &[String]) -> bool {
    is(word, name) || words.iter().any(|other| is(word, other))
}

fn is(one: &str, other: &str) -> bool {
    one.trim().eq_ignore_ascii_case(other.trim())
}
