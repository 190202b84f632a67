//! Connecting to a gateway.

use std::error::Error as StdError;
use std::sync::Arc;

use futures_util::future::{BoxFuture, FutureExt};
use mediagate_client::Source;
use url::Url;

use super::call::{Call, CallKind};
use super::inner::{Client, Inner, lease};
use crate::actor::{Begin, Connection};
use crate::driver::{Driver, Host};
use crate::error::Error;
use crate::sendable::{self, MaybeSend, MaybeSync};
use crate::session::SessionStore;
use crate::value::{Cause, TokenSource, Value, hold};

/// Connects to a gateway: what [`Client::connect`] prepares.
pub struct Connect {
    url: String,
    token: Token,
    store: Arc<dyn SessionStore>,
}

/// Where tokens come from.
enum Token {
    Anonymous,
    Fixed(String),
    Function(TokenSource),
}

impl Connect {
    /// A connection to the gateway at a URL, with an anonymous session.
    pub(super) fn new(url: String) -> Self {
        Connect {
            url,
            token: Token::Anonymous,
            store: Host::session_store(),
        }
    }
}

impl Call<Connect> {
    /// Uses a session token, which the client cannot renew: visible ASCII characters, such as a JWT that your backend
    /// signs.
    pub fn token(mut self, token: impl Into<String>) -> Self {
        self.kind.token = Token::Fixed(token.into());
        self
    }

    /// Uses tokens that a function returns. It is called on the client's thread when a token is needed, and again when the
    /// gateway rejects the last one. Where it fails, the call ends with [`Error::InvalidArgument`], whose `cause` is the
    /// function's error.
    ///
    /// ```no_run
    /// # async fn fetch_token() -> std::io::Result<String> { Ok(String::new()) }
    /// # async fn example() -> Result<(), mediagate::Error> {
    /// use mediagate::Client;
    ///
    /// let client = Client::connect("https://media.example.com").token_provider(fetch_token).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn token_provider<F, T, E>(mut self, provider: F) -> Self
    where
        F: Fn() -> T + MaybeSend + MaybeSync + 'static,
        T: Future<Output = Result<String, E>> + MaybeSend + 'static,
        E: Into<Box<dyn StdError + Send + Sync>>,
    {
        let provider = sendable::function(move |()| provider());
        let fetch = move || {
            sendable::future(provider(()))
                .map(|it| it.map_err(|it| Cause::from(it.into())))
                .boxed()
        };
        self.kind.token = Token::Function(Arc::new(fetch));
        self
    }

    /// Opens an anonymous session, which is the default. A gateway opens one for the pages of its allowed origins alone, so
    /// that a program connects to it with a token; the error of any other is [`Error::Unauthenticated`]. This client has no
    /// option for Turnstile: a page of a gateway that uses it needs [`Call::token_provider`].
    pub fn anonymous(mut self) -> Self {
        self.kind.token = Token::Anonymous;
        self
    }

    /// Stores the anonymous session, so that its tasks and files still belong to the next client. By default a page has it
    /// in its `localStorage`, and a program or a worker in memory, as long as the client and its clones.
    pub fn session_store(mut self, store: impl SessionStore + 'static) -> Self {
        self.kind.store = Arc::new(store);
        self
    }
}

impl CallKind for Connect {
    type Output = Client;

    fn begin(call: Call<Self>) -> BoxFuture<'static, Result<Client, Error>> {
        let Call {
            kind: Connect { url, token, store },
            limits,
        } = call;
        async move {
            let url = base_url(&url).ok_or_else(|| Error::invalid_argument(NOT_A_URL))?;
            if matches!(&token, Token::Fixed(it) if !is_visible(it)) {
                return Err(Error::invalid_argument(NOT_A_TOKEN));
            }
            let connection = Connection::start(store)?;
            let gateway = connection
                .call(limits.clone(), connecting(url.clone(), token), lease)
                .await?;
            Ok(Client(Arc::new(Inner {
                gateway,
                connection,
                limits,
                url,
            })))
        }
        .boxed()
    }
}

const NOT_A_URL: &str = "connect needs the gateway's whole url, such as https://media.example.com: no query, no fragment, no user";
const NOT_A_TOKEN: &str = "the session token is not visible ASCII; give a JWT";

fn connecting(url: String, token: Token) -> Begin {
    Box::new(move |engine, _, promise| {
        let source = match token {
            Token::Anonymous => Source::Anonymous,
            Token::Fixed(token) => Source::Fixed(hold(Value::text(&token))),
            Token::Function(function) => Source::Function(hold(Value::TokenSource(function))),
        };
        engine.connect(promise, hold(Value::text(&url)), source, None, None);
    })
}

/// The URL without a slash at its end; `None` for any scheme but http and https, and for a URL with a query, a fragment or
/// a user.
fn base_url(url: &str) -> Option<String> {
    let url = Url::parse(url).ok()?;
    let is_plain = matches!(url.scheme(), "http" | "https")
        && url.query().is_none()
        && url.fragment().is_none()
        && url.username().is_empty()
        && url.password().is_none();
    is_plain.then(|| url.as_str().trim_end_matches('/').to_owned())
}

/// Whether it is a string of visible ASCII characters, and so can be a header's value.
pub(super) fn is_visible(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|it| it.is_ascii_graphic())
}

#[cfg(test)]
mod tests {
    use super::base_url;

    #[test]
    fn a_base_url_is_plain() {
        assert_eq!(
            base_url("https://a.example/").as_deref(),
            Some("https://a.example")
        );
        assert_eq!(
            base_url("http://a.example:8080/media/").as_deref(),
            Some("http://a.example:8080/media")
        );
        for url in [
            "a.example",
            "ftp://a.example",
            "https://u@a.example",
            "https://a.example?q",
            "https://a.example#f",
        ] {
            assert_eq!(base_url(url), None, "{url}");
        }
    }
}
