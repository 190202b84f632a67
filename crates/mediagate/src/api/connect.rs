//! Connecting to a gateway.

use std::error::Error as StdError;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures_util::future::FutureExt;
use url::Url;

use super::call::{Call, CallKind};
use super::client::Client;
use crate::client::{self, Provider, TokenSource};
use crate::error::Error;
use crate::platform::{Cause, Host};
use crate::sendable::{BoxFuture, MaybeSend, MaybeSync};
use crate::session::SessionStore;

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
    Provider(Provider<Host>),
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

    /// Uses tokens that a function returns. It is called when a token is needed, and again when the
    /// gateway rejects the last one. Where it fails, the call ends with [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument), whose `cause` is the
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
        let provider: Provider<Host> = Arc::new(move |()| {
            let fetched = AssertUnwindSafe(provider()).catch_unwind();
            Box::pin(async move {
                let panicked = || Cause::from(Box::from("the function for a token panicked"));
                fetched
                    .await
                    .map_err(|_| panicked())?
                    .map_err(|it| Cause::from(it.into()))
            })
        });
        self.kind.token = Token::Provider(provider);
        self
    }

    /// Opens an anonymous session, which is the default. A gateway opens one for the pages of its allowed origins alone, so
    /// that a program connects to it with a token; the error of any other is [`ErrorKind::Unauthenticated`](crate::ErrorKind::Unauthenticated). This client has no
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
            settings,
        } = call;
        Box::pin(async move {
            let url = base_url(&url).ok_or_else(|| Error::invalid_argument(NOT_A_URL))?;
            let source = match token {
                Token::Anonymous => TokenSource::Anonymous { turnstile: None },
                Token::Fixed(token) if is_visible(&token) => TokenSource::Fixed(token),
                Token::Fixed(_) => return Err(Error::invalid_argument(NOT_A_TOKEN)),
                Token::Provider(provider) => TokenSource::Provider(provider),
            };
            let inner = client::Client::new(Host::new(store)?, url, source);
            inner.connect(settings.limits()).await?;
            Ok(Client { inner, settings })
        })
    }
}

const NOT_A_URL: &str = "connect needs the gateway's whole url, such as https://media.example.com: no query, no fragment, no user";
const NOT_A_TOKEN: &str = "the session token is not visible ASCII; give a JWT";

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
