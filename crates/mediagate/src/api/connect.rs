use std::error::Error as StdError;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures_util::future::FutureExt;
use mediagate_client::{
    self as client, BoxFuture, HostValue, MaybeSend, MaybeSync, NOT_A_TOKEN, Provider, TokenSource,
    is_visible,
};
use url::Url;

use super::call::{Call, CallKind};
use super::client::Client;
use crate::error::Error;
use crate::platform::{Cause, Host};
use crate::session::SessionStore;
use crate::value::Value;

impl Client {
    /// Connects to the gateway at a URL, such as `https://media.example.com`: http or https,
    /// without query, fragment and user. The limits of this call become the defaults of all calls
    /// of the client.
    ///
    /// # Errors
    /// - [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) for a URL or a token
    ///   that is not valid.
    /// - Without a token, the errors of opening an anonymous session:
    ///   [`ErrorKind::Network`](crate::ErrorKind::Network), and
    ///   [`ErrorKind::Unauthenticated`](crate::ErrorKind::Unauthenticated) if the gateway does not
    ///   allow it.
    /// - [`ErrorKind::Crashed`](crate::ErrorKind::Crashed) if the machine has no root certificates,
    ///   or no thread left.
    pub fn connect(url: impl Into<String>) -> Call<Connect> {
        Call::new(Connect::new(url.into()))
    }
}

/// The connection to a gateway that [`Client::connect`] prepares.
pub struct Connect {
    url: String,
    token: Token,
    store: Arc<dyn SessionStore>,
}

enum Token {
    Anonymous,
    Fixed(String),
    Provider(Provider<Host>),
}

impl Connect {
    pub(super) fn new(url: String) -> Self {
        Connect {
            url,
            token: Token::Anonymous,
            store: Host::session_store(),
        }
    }
}

impl Call<Connect> {
    /// Uses a session token of visible ASCII characters, such as a JWT that your backend signs. The
    /// client cannot renew it.
    pub fn token(mut self, token: impl Into<String>) -> Self {
        self.kind.token = Token::Fixed(token.into());
        self
    }

    /// Uses the tokens that a function returns. The function is called when a token is needed, and
    /// again when the gateway rejects the last token. If it fails, the call ends with
    /// [`ErrorKind::Token`](crate::ErrorKind::Token), whose message is that of the function's
    /// error. Only in a page that is offline, the function is called again.
    pub fn token_provider<F, T, E>(mut self, provider: F) -> Self
    where
        F: Fn() -> T + MaybeSend + MaybeSync + 'static,
        T: Future<Output = Result<String, E>> + MaybeSend + 'static,
        E: Into<Box<dyn StdError + Send + Sync>>,
    {
        let provider: Provider<Host> = Arc::new(move |()| {
            // A panic of the caller's function would end the renewal that other calls wait for.
            let fetched = AssertUnwindSafe(provider()).catch_unwind();
            Box::pin(async move {
                let panicked = || Cause::from(Box::from("the function for a token panicked"));
                fetched
                    .await
                    .map_err(|_| panicked())?
                    .map(|token| Value::from_text(&token))
                    .map_err(|error| Cause::from(error.into()))
            })
        });
        self.kind.token = Token::Provider(provider);
        self
    }

    /// Opens an anonymous session, which is the default. A gateway opens one only for the pages of
    /// its allowed origins. For a program, the error is
    /// [`ErrorKind::Unauthenticated`](crate::ErrorKind::Unauthenticated): connect with a token.
    /// This client has no option for Turnstile: a page of a gateway that uses it needs
    /// [`Call::token_provider`].
    pub fn anonymous(mut self) -> Self {
        self.kind.token = Token::Anonymous;
        self
    }

    /// Sets the store of the anonymous session. The next client with the store can then read the
    /// same tasks and files. By default the session is in the `localStorage` of a page, and in a
    /// program or a worker in memory, until the last clone of the client is dropped.
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

const NOT_A_URL: &str = "connect needs the gateway's whole url, such as \
                         https://media.example.com: no query, no fragment, no user";

/// Returns a URL without a slash at its end, or `None` for any scheme but http and https, and for a
/// URL with a query, a fragment or a user.
fn base_url(url: &str) -> Option<String> {
    let url = Url::parse(url).ok()?;
    let is_plain = matches!(url.scheme(), "http" | "https")
        && url.query().is_none()
        && url.fragment().is_none()
        && url.username().is_empty()
        && url.password().is_none();
    is_plain.then(|| url.as_str().trim_end_matches('/').to_owned())
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
