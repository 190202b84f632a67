use core::fmt;

use mediagate_core::text::concat;

/// An invalid part of a dialect's document. Its text names the part, the problem and the remedy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DialectError {
    part: String,
    problem: String,
}

impl DialectError {
    pub(super) fn new(part: &str, problem: &str) -> Self {
        DialectError {
            part: part.to_string(),
            problem: problem.to_string(),
        }
    }
}

impl fmt::Display for DialectError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.part)?;
        f.write_str(": ")?;
        f.write_str(&self.problem)
    }
}

pub(super) fn joined(outer: &str, inner: &str) -> String {
    concat(&[outer, ".", inner])
}
