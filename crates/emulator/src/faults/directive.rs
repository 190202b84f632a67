//! Directives, in a fault's `do` or in a request's `title`. `README.md` has their words. The
//! gateway passes a title on unchanged, so that a browser can provoke any fault too.

use std::time::Duration;

use axum::http::StatusCode;
use mediagate_core::Code;

const PREFIX: &str = "emulate:";

#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Directive {
    /// The words of the directive, as they were sent.
    pub(crate) words: String,
    pub(crate) stage: Stage,
    pub(crate) code: Option<Code>,
    pub(crate) status: Option<StatusCode>,
    pub(crate) fault: Option<Fault>,
    /// The delay of the response, in milliseconds.
    pub(crate) slow: Duration,
    /// The longest further delay, which is random, in milliseconds.
    pub(crate) jitter: Duration,
    /// The pause before each 16 bytes of the response, in milliseconds.
    pub(crate) drip: Option<Duration>,
    pub(crate) late: bool,
    pub(crate) out_of_order: bool,
    pub(crate) seconds: Option<Duration>,
    /// The state in which the task ends. A state that is not terminal replaces `RUNNING`.
    pub(crate) state: Option<String>,
    pub(crate) numeric_id: bool,
    pub(crate) echo_key: bool,
    pub(crate) asset: bool,
}

pub(crate) fn unknown_directive(word: &str) -> String {
    format!(
        "{word:?} is not a directive; use words such as code=1401, status=503, state=FAILED and \
         seconds=5, which the README of mediagate-gateway lists"
    )
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Stage {
    #[default]
    Create,
    Poll,
}

/// A response without an envelope.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    Html,
    Empty,
    Reset,
    Cut,
}

impl Directive {
    /// Reads the directive of a title: the words after `emulate:`. The error is the first word that
    /// is unknown or has an invalid value.
    pub(crate) fn from_title(title: &str) -> Result<Self, String> {
        title.split_once(PREFIX).map_or_else(
            || Ok(Directive::default()),
            |(_, words)| Directive::from_words(words),
        )
    }

    /// Reads a directive from words that are separated by white space. The error is the first that
    /// is unknown or has an invalid value.
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

/// Parses a status from 200 to 599: a server cannot end a response with 1xx.
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
