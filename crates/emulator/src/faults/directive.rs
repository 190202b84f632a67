//! Directives, in a fault's `do` or in a request's `title`: `emulate: code=1404`,
//! `emulate: state=FAILED seconds=1`.
//!
//! The gateway passes a title on unchanged, so that a browser can provoke any fault too.

use std::time::Duration;

use axum::http::StatusCode;
use mediagate_core::Code;

/// The prefix of a directive in a title.
const PREFIX: &str = "emulate:";

/// A requested failure or behaviour. The default changes nothing.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Directive {
    /// The words of the directive, as they were sent.
    pub(crate) words: String,
    /// The request that the code or the fault applies to.
    pub(crate) stage: Stage,
    /// `code=1404`: respond with this code.
    pub(crate) code: Option<Code>,
    /// `status=503`: respond with this HTTP status instead of the code's own. Without `code=`, the
    /// code is 99.
    pub(crate) status: Option<StatusCode>,
    /// `html`, `empty`, `reset`, `cut`: respond without an envelope.
    pub(crate) fault: Option<Fault>,
    /// `slow=5000`: respond after this many milliseconds.
    pub(crate) slow: Duration,
    /// `jitter=500`: respond up to this many milliseconds later, at random.
    pub(crate) jitter: Duration,
    /// `drip=20`: respond in pieces of 16 bytes, with this many milliseconds before each.
    pub(crate) drip: Option<Duration>,
    /// `late`: serve the request, then replace its response by the code or the fault.
    pub(crate) late: bool,
    /// `out-of-order`: every second poll of the task shows an earlier state.
    pub(crate) out_of_order: bool,
    /// `seconds=0.5`: the task takes this long.
    pub(crate) seconds: Option<Duration>,
    /// `state=FAILED`: the task ends in this state. A state that is not terminal replaces
    /// `RUNNING`.
    pub(crate) state: Option<String>,
    /// `numeric-id`: the task's id is a number.
    pub(crate) numeric_id: bool,
    /// `echo-key`: responses repeat the Authorization header in several places.
    pub(crate) echo_key: bool,
    /// `asset`: the task has an asset id instead of output URLs.
    pub(crate) asset: bool,
}

/// Returns the message for a word that is no directive.
pub(crate) fn unknown_directive(word: &str) -> String {
    format!(
        "{word:?} is not a directive; use words such as code=1401, status=503, state=FAILED and \
         seconds=5, which the README of mediagate-gateway lists"
    )
}

/// The request that a code or a fault applies to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Stage {
    /// The request that creates the task.
    #[default]
    Create,
    /// `at=poll`: every request that reads the task.
    Poll,
}

/// A response without an envelope.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// HTTP 502 with an HTML page, as a proxy would send it.
    Html,
    /// HTTP 200 with an empty body.
    Empty,
    /// The connection is reset before a byte is sent.
    Reset,
    /// The connection is reset in the middle of the response.
    Cut,
}

impl Directive {
    /// Reads the directive of a title: the words after `emulate:`, or the default if there are
    /// none.
    ///
    /// # Errors
    /// The first word that is unknown or has an invalid value.
    pub(crate) fn from_title(title: &str) -> Result<Self, String> {
        title.split_once(PREFIX).map_or_else(
            || Ok(Directive::default()),
            |(_, words)| Directive::from_words(words),
        )
    }

    /// Reads a directive from its words, separated by white space.
    ///
    /// # Errors
    /// The first word that is unknown or has an invalid value.
    pub(crate) fn from_words(words: &str) -> Result<Self, String> {
        let mut directive = Directive {
            words: words.trim().into(),
            ..Directive::default()
        };
        for word in words.split_whitespace() {
            directive.add(word).ok_or_else(|| word.to_owned())?;
        }
        Ok(directive)
    }

    /// Adds one word. Returns `None` if the word is unknown or its value is invalid.
    fn add(&mut self, word: &str) -> Option<()> {
        match word.split_once('=').unwrap_or((word, "")) {
            ("code", code) => self.code = Some(Code(code.parse().ok()?)),
            ("status", status) => self.status = Some(final_status(status)?),
            ("state", state) => {
                self.state = Some(state.to_owned()).filter(|state| !state.is_empty())
            }
            ("slow", time) => self.slow = milliseconds(time)?,
            ("jitter", time) => self.jitter = milliseconds(time)?,
            ("drip", time) => self.drip = Some(milliseconds(time)?),
            ("late", "") => self.late = true,
            ("out-of-order", "") => self.out_of_order = true,
            ("seconds", seconds) => {
                self.seconds = Some(Duration::try_from_secs_f64(seconds.parse().ok()?).ok()?)
            }
            ("at", "poll") => self.stage = Stage::Poll,
            ("at", "create") => self.stage = Stage::Create,
            ("html", "") => self.fault = Some(Fault::Html),
            ("empty", "") => self.fault = Some(Fault::Empty),
            ("reset", "") => self.fault = Some(Fault::Reset),
            ("cut", "") => self.fault = Some(Fault::Cut),
            ("numeric-id", "") => self.numeric_id = true,
            ("echo-key", "") => self.echo_key = true,
            ("asset", "") => self.asset = true,
            _ => return None,
        }
        Some(())
    }

    /// Returns the code of the error response: `code=`, or else 99 for a `status=`. Returns `None`
    /// if neither is set, or if the only word is `code=0`.
    pub(crate) fn error_code(&self) -> Option<Code> {
        self.code
            .filter(|code| *code != Code::OK)
            .or_else(|| self.status.map(|_| Code::SERVER_ERROR))
    }
}

fn milliseconds(text: &str) -> Option<Duration> {
    text.parse::<u32>()
        .ok()
        .map(|milliseconds| Duration::from_millis(milliseconds.into()))
}

/// Parses a final HTTP status: 200 to 599. A server cannot end a response with 1xx.
fn final_status(status: &str) -> Option<StatusCode> {
    status
        .parse()
        .ok()
        .filter(|status: &StatusCode| (200..600).contains(&status.as_u16()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_ordinary_title_is_no_directive() {
        assert_eq!(
            Directive::from_title("Holiday, code=12 html"),
            Ok(Directive::default())
        );
        assert_eq!(Directive::from_title("emulate:"), Ok(Directive::default()));
    }

    #[test]
    fn words_are_combined() {
        let directive =
            Directive::from_title("my clip emulate: code=-7 status=503 at=poll slow=20 echo-key")
                .unwrap();
        assert_eq!(directive.code, Some(Code(-7)));
        assert_eq!(directive.status, Some(StatusCode::SERVICE_UNAVAILABLE));
        assert_eq!(
            (directive.stage, directive.slow),
            (Stage::Poll, Duration::from_millis(20))
        );
        assert!(directive.echo_key && !directive.numeric_id);
    }

    #[test]
    fn an_unknown_word_is_named_in_the_error() {
        let words = "code=abc code=99999999999 status=99 slow=-1 seconds=NaN explode html=1 at=end";
        for word in words.split(' ') {
            assert_eq!(
                Directive::from_title(&format!("emulate: {word}")),
                Err(word.to_owned())
            );
        }
    }
}
