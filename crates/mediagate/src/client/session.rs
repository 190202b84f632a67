//! The token for a gateway. Where it is missing, rejected or old, one renewal serves all that wait.

use alloc::boxed::Box;
use alloc::string::{String, ToString};
use alloc::sync::{Arc, Weak};
use alloc::vec::Vec;

use mediagate_core::Value;
use mediagate_core::text::concat;

use super::Client;
use super::call::Call;
use super::error::{Error, Kind};
use super::limits::Waiters;
use super::platform::{Body, HostValue, Platform};
use super::response::Expected;
use super::sync::{Job, Lock, Signal};
use crate::sendable::{BoxFuture, Function};

/// The source of the tokens of a client.
pub enum TokenSource<P: Platform> {
    /// The caller gave this one, which cannot be renewed.
    Fixed(String),
    /// The caller's function.
    Provider(Provider<P>),
    /// The gateway's `POST /session`, for a page without a backend of its own.
    Anonymous {
        /// The caller's function for the response of a Turnstile widget.
        turnstile: Option<Provider<P>>,
    },
}

/// A function of the caller that returns a token, or the response of a widget.
pub type Provider<P> =
    Arc<Function<(), BoxFuture<'static, Result<String, <P as Platform>::Cause>>>>;

/// The session of a client.
pub(super) struct Session<P: Platform> {
    pub(super) source: TokenSource<P>,
    state: Lock<State>,
    renewal: Lock<Weak<Renewal<P>>>,
    signal: Arc<Signal>,
}

type Renewal<P> = Job<P, ()>;

#[derive(Clone, Default)]
struct State {
    token: Option<Token>,
    /// Whether the gateway rejected the token.
    is_rejected: bool,
}

#[derive(Clone)]
struct Token {
    text: String,
    /// Milliseconds since 1970; infinite for a token that is good until it is rejected.
    renew_at: f64,
}

impl Token {
    fn lasting(text: String) -> Self {
        Token {
            text,
            renew_at: f64::INFINITY,
        }
    }
}

const NOT_A_TOKEN: &str = "the session token is not visible ASCII; give a JWT";

/// Returns whether a text is of visible ASCII characters, so that it can be a header's value.
pub(crate) fn is_visible(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|it| it.is_ascii_graphic())
}

impl<P: Platform> Session<P> {
    pub(super) fn new(source: TokenSource<P>) -> Self {
        let token = match &source {
            TokenSource::Fixed(token) => Some(Token::lasting(token.clone())),
            TokenSource::Provider(_) | TokenSource::Anonymous { .. } => None,
        };
        Session {
            source,
            state: Lock::new(State {
                token,
                is_rejected: false,
            }),
            renewal: Lock::default(),
            signal: Arc::default(),
        }
    }

    fn is_fixed(&self) -> bool {
        matches!(self.source, TokenSource::Fixed(_))
    }

    /// The token, unless it must be renewed.
    fn fresh(&self, now: f64) -> Option<String> {
        let State { token, is_rejected } = self.state.with(|it| it.clone());
        token
            .filter(|it| self.is_fixed() || (!is_rejected && it.renew_at > now))
            .map(|it| it.text)
    }
}

impl<P: Platform> Client<P> {
    /// Returns the token, and renews it first where it must be.
    ///
    /// # Errors
    /// Those of the caller's function and of `POST /session`; [`Kind::InvalidArgument`] for what is no token.
    pub(super) async fn token(&self, waiters: &Waiters<P>) -> Result<Option<String>, Error<P>> {
        let session = &self.0.session;
        let now = self.platform().now();
        if let Some(token) = session.fresh(now) {
            return Ok(Some(token));
        }
        let renewal = session.renewal.with(|running| {
            let known = running.upgrade().filter(|it| it.result().is_none());
            known.unwrap_or_else(|| {
                let client = self.clone();
                let new = Job::start(self.platform(), session.signal.clone(), |waiters| {
                    Box::pin(async move { client.renew(waiters).await })
                });
                *running = Arc::downgrade(&new);
                new
            })
        });
        let waiting: Vec<_> = waiters.all().iter().map(|it| renewal.join(it)).collect();
        let result = session.signal.until(|| renewal.result()).await;
        drop(waiting);
        result?;
        Ok(session
            .state
            .with(|it| Some(it.token.as_ref()?.text.clone())))
    }

    /// Records that the gateway responded with 401 to a token. Returns whether a new one can be fetched.
    pub(super) fn reject_token(&self, used: Option<&str>) -> bool {
        let session = &self.0.session;
        session.state.with(|it| {
            // Another call may have renewed it since.
            it.is_rejected |= it.token.as_ref().map(|it| it.text.as_str()) == used;
        });
        !session.is_fixed()
    }

    async fn renew(&self, waiters: Waiters<P>) -> Result<(), Error<P>> {
        let session = &self.0.session;
        let token = match &session.source {
            TokenSource::Fixed(token) => Token::lasting(token.clone()),
            TokenSource::Provider(provider) => {
                Token::lasting(provided(provider, NOT_A_TOKEN).await?)
            }
            TokenSource::Anonymous { turnstile } => {
                self.anonymous_token(turnstile.as_ref(), waiters).await?
            }
        };
        session.state.with(|it| {
            *it = State {
                token: Some(token),
                is_rejected: false,
            };
        });
        Ok(())
    }

    async fn anonymous_token(
        &self,
        turnstile: Option<&Provider<P>>,
        waiters: Waiters<P>,
    ) -> Result<Token, Error<P>> {
        let known = self
            .0
            .session
            .state
            .with(|it| Some(it.token.as_ref()?.text.clone()));
        let stored = self.stored_token();
        // Another tab may have renewed it.
        if let Some(token) = self.fresh_token(stored.as_ref())
            && known.as_ref() != Some(&token.text)
        {
            return Ok(token);
        }
        // The same subject as before: another one would not own its tasks.
        let previous = known.or(stored.map(|it| it.text));
        let is_first = previous.is_none();
        let opened = match self
            .open_session(turnstile, previous.as_deref(), &waiters)
            .await
        {
            // A token that is too old, or signed with a key that was removed, must not lock the page out.
            Err(error) if error.status == Some(401) && !is_first => {
                self.open_session(turnstile, None, &waiters).await?
            }
            opened => opened?,
        };
        // Another tab may have opened a session meanwhile. All tabs use the one that was stored first.
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
        let mut call = Call::new(url, Body::Empty, Expected::Data, waiters.clone());
        call.request.method = "POST";
        call.request.headers.push(("x-mediagate", "1".into()));
        if let Some(turnstile) = turnstile {
            let message = "turnstile returned no response of its widget";
            let response = provided(turnstile, message).await?;
            call.request
                .headers
                .push(("x-turnstile-response", response));
        }
        call.request.token = previous.map(String::from);
        call.in_session = false;
        let data = self.data(call).await?;
        let session = data.get("session");
        let member = |name: &str| session.as_ref().and_then(|it| it.get(name));
        let lifetime_ms = member("expires_in")
            .and_then(|it| it.number())
            .ok_or_else(|| Error::unreadable(200, "no_session"))?
            * 1000.0;
        let text = member("token")
            .and_then(|it| Some(String::from(&*it.text()?)))
            .filter(|it| is_visible(it))
            .ok_or_else(|| Error::new(Kind::InvalidArgument, NOT_A_TOKEN))?;
        // Renewed a fifth of its lifetime before its end, a minute at most: enough time for a slow renewal, also of a token
        // with a short lifetime.
        let renew_at = self.platform().now() + lifetime_ms - (lifetime_ms / 5.0).min(60_000.0);
        Ok(Token { text, renew_at })
    }

    fn fresh_token(&self, token: Option<&Token>) -> Option<Token> {
        token
            .filter(|it| it.renew_at > self.platform().now())
            .cloned()
    }

    /// The name under which the session is stored, so that an anonymous subject survives a reload and is shared by tabs.
    fn storage_name(&self) -> String {
        concat(&["mediagate:", self.base()])
    }

    fn stored_token(&self) -> Option<Token> {
        let platform = self.platform();
        let stored = platform.parse(&platform.load(&self.storage_name())?)?;
        let text = stored.get("token")?.text()?.to_string();
        let renew_at = stored.get("renewAt").and_then(|it| it.number());
        is_visible(&text).then_some(Token {
            text,
            renew_at: renew_at.unwrap_or_default(),
        })
    }

    fn store_token(&self, token: &Token) {
        let stored = P::Value::from_members(Vec::from([
            ("token", P::Value::from_text(&token.text)),
            ("renewAt", P::Value::from_number(token.renew_at)),
        ]));
        let platform = self.platform();
        platform.store(&self.storage_name(), &stored.to_json());
    }
}

/// What a function of the caller returned, if it can be a header's value.
async fn provided<P: Platform>(
    provider: &Provider<P>,
    not_visible: &str,
) -> Result<String, Error<P>> {
    match provider(()).await {
        Ok(text) if is_visible(&text) => Ok(text),
        Ok(_) => Err(Error::new(Kind::InvalidArgument, not_visible)),
        Err(cause) => {
            let message = "the function for a token failed; its error is the cause";
            Err(Error::new(Kind::InvalidArgument, message).caused_by(cause))
        }
    }
}
