//! Wishes, in a fault's `do` or in a request's `title`: `emulate: code=1404`, `emulate: state=FAILED seconds=1`.
//!
//! A title passes through the gateway as it came, so that any fault can be provoked from a browser too.

use std::time::Duration;

use axum::http::StatusCode;
use mediagate_core::Code;

/// What begins the wishes in a title.
const MARK: &str = "emulate:";

/// What is wished for; by default, nothing.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Directive {
    /// The wishes in their own words.
    pub(crate) text: String,
    /// Where the code or the fault strikes.
    pub(crate) stage: Stage,
    /// `code=1404`: answer with this code.
    pub(crate) code: Option<Code>,
    /// `status=503`: answer with this HTTP status, in place of the one that fits the code; without one, code 99.
    pub(crate) status: Option<StatusCode>,
    /// `html`, `empty`, `reset`, `cut`: answer with no envelope.
    pub(crate) fault: Option<Fault>,
    /// `slow=5000`: answer after so many milliseconds.
    pub(crate) slow: Duration,
    /// `jitter=500`: answer after up to so many milliseconds more.
    pub(crate) jitter: Duration,
    /// `drip=20`: answer in pieces of 16 bytes, with so many milliseconds before each.
    pub(crate) drip: Option<Duration>,
    /// `late`: the code or the fault comes in place of the answer of a request that was served.
    pub(crate) late: bool,
    /// `out-of-order`: every second read of the task shows an earlier state.
    pub(crate) out_of_order: bool,
    /// `seconds=0.5`: the task takes this long.
    pub(crate) seconds: Option<Duration>,
    /// `state=FAILED`: the task ends in this state, or, if it is not a terminal one, passes through it.
    pub(crate) state: Option<String>,
    /// `numeric-id`: the task's id is a number.
    pub(crate) numeric_id: bool,
    /// `echo-key`: the Authorization header is repeated all over the answers.
    pub(crate) echo_key: bool,
    /// `asset`: the task yields an asset id in place of output URLs.
    pub(crate) asset: bool,
}

/// The request that a code or a fault strikes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Stage {
    /// The one that creates the task.
    #[default]
    Create,
    /// `at=poll`: each one that reads it.
    Poll,
}

/// Answers that are no envelope.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// HTTP 502 with an HTML page, as a proxy on the way sends it.
    Html,
    /// HTTP 200 with nothing.
    Empty,
    /// The connection is reset before a byte is sent.
    Reset,
    /// The connection is reset in the middle of the answer.
    Cut,
}

impl Directive {
    /// Reads a title.
    ///
    /// # Errors
    /// The first wish that is not understood.
    pub(crate) fn parse(title: &str) -> Result<Self, String> {
        title.split_once(MARK).map_or_else(|| Ok(Directive::default()), |(_, wishes)| Directive::read(wishes))
    }

    /// Reads wishes.
    ///
    /// # Errors
    /// The first wish that is not understood.
    pub(crate) fn read(wishes: &str) -> Result<Self, String> {
        let mut directive = Directive { text: wishes.trim().into(), ..Directive::default() };
        for wish in wishes.split_whitespace() {
            directive.add(wish).ok_or_else(|| wish.to_owned())?;
        }
        Ok(directive)
    }

    fn add(&mut self, wish: &str) -> Option<()> {
        match wish.split_once('=').unwrap_or((wish, "")) {
            ("code", code) => self.code = Some(Code(code.parse().ok()?)),
            ("status", status) => self.status = Some(answerable(status)?),
            ("state", state) => self.state = Some(state.to_owned()).filter(|it| !it.is_empty()),
            ("slow", time) => self.slow = milliseconds(time)?,
            ("jitter", time) => self.jitter = milliseconds(time)?,
            ("drip", time) => self.drip = Some(milliseconds(time)?),
            ("late", "") => self.late = true,
            ("out-of-order", "") => self.out_of_order = true,
            ("seconds", seconds) => self.seconds = Some(Duration::try_from_secs_f64(seconds.parse().ok()?).ok()?),
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

    /// The code to answer with.
    pub(crate) fn answer(&self) -> Option<Code> {
        self.code.filter(|it| *it != Code::OK).or_else(|| self.status.map(|_| Code::SERVER_ERROR))
    }
}

fn milliseconds(text: &str) -> Option<Duration> {
    text.parse::<u32>().ok().map(|it| Duration::from_millis(it.into()))
}

/// A status that ends an exchange.
fn answerable(status: &str) -> Option<StatusCode> {
    status.parse().ok().filter(|it: &StatusCode| (200..600).contains(&it.as_u16()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_ordinary_title_wishes_nothing() {
        assert_eq!(Directive::parse("Holiday, code=12 html"), Ok(Directive::default()));
        assert_eq!(Directive::parse("emulate:"), Ok(Directive::default()));
    }

    #[test]
    fn wishes_add_up() {
        let directive = Directive::parse("my clip emulate: code=-7 status=503 at=poll slow=20 echo-key").unwrap();
        assert_eq!(directive.code, Some(Code(-7)));
        assert_eq!(directive.status, Some(StatusCode::SERVICE_UNAVAILABLE));
        assert_eq!((directive.stage, directive.slow), (Stage::Poll, Duration::from_millis(20)));
        assert!(directive.echo_key && !directive.numeric_id);
    }

    #[test]
    fn what_is_not_understood_is_named() {
        for wish in
            ["code=abc", "code=99999999999", "status=99", "slow=-1", "seconds=NaN", "explode", "html=1", "at=end"]
        {
            assert_eq!(Directive::parse(&format!("emulate: {wish}")), Err(wish.to_owned()));
        }
    }
}
