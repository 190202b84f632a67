use std::fmt;

/// One line of the report.
#[derive(Debug, PartialEq, Eq)]
pub enum Finding {
    /// A fault. With it, a deployed gateway would serve nobody, or serve callers that it should
    /// refuse.
    Error(String),
    /// A point to check elsewhere, or to choose on purpose.
    Note(String),
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Finding::Error(line) => write!(f, "error: {line}"),
            Finding::Note(line) => write!(f, "note: {line}"),
        }
    }
}
