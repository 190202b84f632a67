//! The token for a gateway. If it is missing, rejected or old, one renewal serves all callers.

use alloc::boxed::Box;
use alloc::string::{String, ToString};
use alloc::sync::{Arc, Weak};
use alloc::vec::Vec;

use event_listener::Event;
use mediagate_core::text::concat;
use mediagate_core::{MissingPart, Value};

use crate::Client;
use crate::call::Call;
use crate::error::{Error, Kind};
use crate::platform::{Body, BoxFuture, Function, HostValue, Platform};
use crate::response::ResponseKind;
use crate::sync::{Job, Lock, Waiters};

/// The source of the tokens of a client.
pub enum TokenSource<P: Platform> {
    /// A token of the caller, which cannot be renewed.
    Fixed(String),
    /// A function of the caller.
    Provider(Provider<P>),
    /// `POST /session` of the gateway, for a page without a backend of its own.
    Anonymous {
        /// A function of the caller for the response of a Turnstile widget.
        turnstile: Option<Provider<P>>,
    },
}

/// A function of the caller that returns a token, or the response of a widget: a string.
pub type Provider<P> = Arc<Function<(), BoxFuture<'static, Provided<P>>>>;

/// The value that a [`Provider`] returned, or its error.
pub type Provided<P> = Result<<P as Platform>::Value, <P as Platform>::Cause>;

pub(super) struct Session<P: Platform> {
    pub(super) source: TokenSource<P>,
    token: Lock<Option<Token>>,
    renewal: Lock<Weak<Job<P>>>,
    renewed: Arc<Event>,
}

#[derive(Clone)]
struct Token {
    text: String,
    /// The time of the renewal in milliseconds since 1970; `None` if the token is used until the
    /// gateway rejects it.
    renew_at: Option<f64>,
    is_rejected: bool,
}

impl Token {
    fn lasting(text: String) -> Self {
        Token::until(None, text)
    }

    fn until(renew_at: Option<f64>, text: String) -> Self {
        Token {
            text,
            renew_at,
            is_rejected: false,
        }
    }

    /// Returns true if the token need not be renewed at `now`, in milliseconds since 1970.
    fn is_fresh(&self, now: f64) -> bool {
        !self.is_rejected && self.renew_at.is_none_or(|renew_at| renew_at > now)
    }
}

/// The shortest time until a token is renewed, even if its lifetime is shorter.
const MIN_LIFETIME_MS: f64 = 1_000.0;

/// The message of the error for a token that cannot be sent.
pub const NOT_A_TOKEN: &str = "the session token is not visible ASCII; give a JWT";

/// Returns true if a text has only visible ASCII characters, so that it can be the value of a
/// header.
pub fn is_visible(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_graphic())
}

impl<P: Platform> Session<P> {
    pub(super) fn new(source: TokenSource<P>) -> Self {
        let token = match &source {
            TokenSource::Fixed(token) => Some(Token::lasting(token.clone())),
            TokenSource::Provider(_) | TokenSource::Anonymous { .. } => None,
        };
        Session {
            source,
            token: Lock::new(token),
            renewal: Lock::default(),
            renewed: Arc::default(),
        }
    }

    fn is_fixed(&self) -> bool {
        matches!(self.source, TokenSource::Fixed(_))
    }

    /// Returns the token; `None` if it must be renewed first.
    fn fresh(&self, now: f64) -> Option<String> {
        self.token.with(|token| {
            let token = token.as_ref()?;
            (self.is_fixed() || token.is_fresh(now)).then(|| token.text.clone())
        })
    }

    fn last(&self) -> Option<String> {
        self.token.with(|token| Some(token.as_ref()?.text.clone()))
    }
}

impl<P: Platform> Client<P> {
    /// Returns the token. Renews it first if necessary.
    ///
    /// # Errors
    /// [`Kind::TokenFailed`] if the function of the caller fails; [`Kind::InvalidArgument`] for a
    /// value that is not a token; those of `POST /session`.
    pub(super) async fn token(&self, waiters: &Waiters<P>) -> Result<Option<String>, Error<P>> {
        let session = &self.0.session;
        let now = self.platform().now();
        if let Some(token) = session.fresh(now) {
            return Ok(Some(token));
        }
        let renewal = session.renewal.with(|running| {
            let known = running
                .upgrade()
                .filter(|renewal| renewal.result().is_none());
            known.unwrap_or_else(|| {
                let client = self.clone();
                let new = Job::new(session.renewed.clone(), |waiters| {
                    Box::pin(async move { client.renew(waiters).await })
                });
                *running = Arc::downgrade(&new);
                new
            })
        });
        let policies = waiters.policies();
        let joined: Vec<_> = policies.iter().map(|retry| renewal.join(retry)).collect();
        renewal.start(self.platform());
        let result = renewal.ended().await;
        drop(joined);
        result?;
        Ok(session.last())
    }

    /// Records that the gateway responded with 401. Returns true if the token can be renewed.
    pub(super) fn reject_token(&self, used: Option<&str>) -> bool {
        let session = &self.0.session;
        session.token.with(|token| {
            // Another call may have renewed the token since.
            if let Some(token) = token
                && Some(&*token.text) == used
            {
                token.is_rejected = true;
            }
        });
        !session.is_fixed()
    }

    async fn renew(&self, waiters: Waiters<P>) -> Result<(), Error<P>> {
        let session = &self.0.session;
        let token = match &session.source {
            TokenSource::Fixed(token) => Token::lasting(token.clone()),
            TokenSource::Provider(provider) => {
                Token::lasting(self.provided(provider, &TOKEN, &waiters).await?)
            }
            TokenSource::Anonymous { turnstile } => {
                self.anonymous_token(turnstile.as_ref(), waiters).await?
            }
        };
        session.token.with(|last| *last = Some(token));
        Ok(())
    }

    async fn anonymous_token(
        &self,
        turnstile: Option<&Provider<P>>,
        waiters: Waiters<P>,
    ) -> Result<Token, Error<P>> {
        let known = self.0.session.last();
        let stored = self.stored_token();
        // Another tab may have renewed it.
        if let Some(token) = self.fresh_token(stored.as_ref())
            && known.as_ref() != Some(&token.text)
        {
            return Ok(token);
        }
        // The old token keeps the subject. A new subject would not own the tasks of the old one.
        let previous = known.or(stored.map(|token| token.text));
        let is_first = previous.is_none();
        let opened = match self
            .open_session(turnstile, previous.as_deref(), &waiters)
            .await
        {
            // A token that is too old, or signed with a key that was removed, must not lock the
            // page out.
            Err(error) if error.status == Some(401) && !is_first => {
                self.open_session(turnstile, None, &waiters).await?
            }
            opened => opened?,
        };
        // Another tab may have opened a session meanwhile. All tabs use the first stored session.
        if is_first && let Some(stored) = self.fresh_token(self.stored_token().as_ref()) {
            return Ok(stored);
        }
        self.store_token(&opened);
        Ok(opened)
    }

    async fn open_session(
        &self,
        turnstile: Option<&Provider<P>>,
        previous: Option<&str>,
        waiters: &Waiters<P>,
    ) -> Result<Token, Error<P>> {
        let url = concat(&[self.base(), "/session"]);
        let mut call = Call::new(url, Body::Empty, ResponseKind::Data, waiters.clone());
        call.request.method = "POST";
        call.request.headers.push(("x-mediagate", "1".into()));
        if let Some(turnstile) = turnstile {
            let response = self.provided(turnstile, &TURNSTILE, waiters).await?;
            call.request
                .headers
                .push(("x-turnstile-response", response));
        }
        call.request.token = previous.map(String::from);
        call.in_session = false;
        let data = self.data(call).await?;
        let session = data.get("session");
        let member = |name: &str| session.as_ref().and_then(|session| session.get(name));
        let lifetime_ms = member("expires_in")
            .and_then(|seconds| seconds.number())
            .ok_or_else(|| Error::missing(200, MissingPart::Session))?
            * 1000.0;
        let text = member("token")
            .and_then(|token| Some(String::from(&*token.text()?)))
            .filter(|token| is_visible(token))
            .ok_or_else(|| Error::new(Kind::InvalidArgument, NOT_A_TOKEN))?;
        // A slow renewal needs time before the end of the token: a fifth of its lifetime, at most a
        // minute.
        let reserve_ms = (lifetime_ms / 5.0).min(60_000.0);
        let renew_at = self.platform().now() + (lifetime_ms - reserve_ms).max(MIN_LIFETIME_MS);
        Ok(Token::until(Some(renew_at), text))
    }

    fn fresh_token(&self, token: Option<&Token>) -> Option<Token> {
        let now = self.platform().now();
        token.filter(|token| token.is_fresh(now)).cloned()
    }

    /// Returns the name under which the session is stored. The anonymous subject survives a reload,
    /// and tabs share it.
    fn storage_name(&self) -> String {
        concat(&["mediagate:", self.base()])
    }

    fn stored_token(&self) -> Option<Token> {
        let platform = self.platform();
        let stored = platform.parse(&platform.load(&self.storage_name())?)?;
        let text = stored.get("token")?.text()?.to_string();
        // A damaged record must not cost the subject: its token is used until it is rejected.
        let renew_at = stored.get("renewAt").and_then(|time| time.number());
        is_visible(&text).then(|| Token::until(renew_at, text))
    }

    fn store_token(&self, token: &Token) {
        let mut members = Vec::from([("token", P::Value::from_text(&token.text))]);
        members.extend(
            token
                .renew_at
                .map(|time| ("renewAt", P::Value::from_number(time))),
        );
        let stored = P::Value::from_members(members);
        let platform = self.platform();
        platform.store(&self.storage_name(), &stored.to_json());
    }

    /// Returns the text of a caller's function, which can be the value of a header. If the function
    /// fails while the device is offline, calls it again, like a request that failed.
    ///
    /// # Errors
    /// [`Kind::TokenFailed`] with the error of the function; [`Kind::InvalidArgument`] for any
    /// other value.
    async fn provided(
        &self,
        provider: &Provider<P>,
        function: &CallerFunction,
        waiters: &Waiters<P>,
    ) -> Result<String, Error<P>> {
        let mut failures = 0;
        let start = self.platform().now();
        loop {
            let cause = match provider(()).await {
                Ok(value) => return function.text_of(&value),
                Err(cause) => cause,
            };
            failures += 1;
            let message = P::message(&cause).unwrap_or_else(|| concat(&[function.name, " failed"]));
            let error = Error::new(Kind::TokenFailed, &message)
                .retryable()
                .caused_by(cause);
            // The function has its own reasons, such as that nobody is signed in. Without a
            // connection, its own request has failed, and a wait for a task must survive that.
            let retry_ms = if self.platform().is_offline() {
                waiters.next_retry(self.platform(), failures, start, &error)
            } else {
                None
            };
            match retry_ms {
                Some(delay_ms) => self.wait_to_retry(delay_ms).await,
                None => return Err(error),
            }
        }
    }
}

struct CallerFunction {
    name: &'static str,
    expected: &'static str,
}

impl CallerFunction {
    /// Returns the text, or [`Kind::InvalidArgument`] for another value and for a text that no
    /// header can have.
    fn text_of<P: Platform>(&self, value: &P::Value) -> Result<String, Error<P>> {
        let text = value.text().map(|text| String::from(&*text));
        let found = match &text {
            Some(text) if is_visible(text) => return Ok(text.clone()),
            Some(text) if text.is_empty() => "an empty string".into(),
            Some(text) if text.starts_with("Bearer ") => "\"Bearer \" and a token".into(),
            Some(_) => "a string with spaces or characters that are not ASCII".into(),
            None => value.described(),
        };
        let message = concat(&[
            self.name,
            " returned ",
            &found,
            " instead of ",
            self.expected,
        ]);
        Err(Error::new(Kind::InvalidArgument, &message))
    }
}

const TOKEN: CallerFunction = CallerFunction {
    name: "the function for a token",
    expected: "a session token",
};
const TURNSTILE: CallerFunction = CallerFunction {
    name: "the function for Turnstile",
    expected: "the response of its widget",
};
