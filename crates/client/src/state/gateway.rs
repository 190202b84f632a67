//! A gateway, and the session token for it.

use mediagate_core::{PREFIX, Value};

use crate::platform::{Id, Platform};

/// A gateway with a session, which all clients share that were connected with the same options.
#[derive(Clone, Copy)]
pub(crate) struct Gateway<V> {
    /// Its URL, without a slash at the end.
    pub(crate) base: V,
    /// The caller's function in the place of `fetch`.
    pub(crate) network: Option<V>,
    /// The number of clients that the caller has.
    pub(crate) handles: u32,
    pub(crate) source: Source<V>,
    /// The caller's function that returns the response of a Turnstile widget.
    pub(crate) turnstile: Option<V>,
    pub(crate) session: Session<V>,
    /// Whether the gateway rejected the token.
    pub(crate) is_rejected: bool,
    pub(crate) renewal: Renewal<V>,
    /// Whether it has responded to any request of the page's, so that nothing keeps the page from it.
    pub(crate) has_responded: bool,
}

/// The value, where it is a token: a string of visible ASCII characters.
pub(crate) fn token<V: Value + Copy>(value: Option<V>) -> Option<V> {
    value.filter(|it| is_visible(*it))
}

/// Whether it is a string of visible ASCII characters, so that it can be a header's value.
pub(crate) fn is_visible<V: Value + Copy>(value: V) -> bool {
    value
        .text()
        .is_some_and(|it| !it.is_empty() && it.bytes().all(|it| it.is_ascii_graphic()))
}

/// Where tokens come from.
#[derive(Clone, Copy)]
pub enum Source<V> {
    /// The caller gave this one, which cannot be renewed.
    Fixed(V),
    /// The caller's function: `() => string | Promise<string>`.
    Function(V),
    /// The gateway's `POST /session`, for a page without a backend of its own.
    Anonymous,
}

/// A token, and when it must be renewed.
#[derive(Clone, Copy)]
pub(crate) struct Session<V> {
    /// The token.
    pub(crate) token: Option<V>,
    /// In milliseconds since 1970; infinite for a token that is good until it is rejected.
    pub(crate) renew_at: f64,
}

/// How far the renewal of a token is.
#[derive(Clone, Copy)]
pub(crate) enum Renewal<V> {
    /// There is none under way.
    Idle,
    /// The caller's function for a token was called.
    Function,
    /// The caller's function for the response of a Turnstile widget was called.
    Turnstile(Opening<V>),
    /// `POST /session` is under way, by this call.
    Opening(Opening<V>, Id),
}

/// An anonymous session that is being opened.
#[derive(Clone, Copy)]
pub(crate) struct Opening<V> {
    /// The token before, with which the subject stays the same; `None` for a new subject.
    pub(crate) previous: Option<V>,
    /// Whether the page had no token before, not even one that was stored.
    pub(crate) is_first: bool,
}

impl<V: Value + Copy> Session<V> {
    /// A session with a token that is good until it is rejected.
    pub(crate) fn lasting(token: Option<V>) -> Self {
        Session {
            token,
            renew_at: f64::INFINITY,
        }
    }

    pub(crate) fn is_fresh(&self, now: f64) -> bool {
        self.token.is_some() && self.renew_at > now
    }

    /// The session that is stored for a gateway.
    pub(crate) fn stored<P: Platform<Value = V>>(platform: &P, base: V) -> Self {
        let stored = platform.stored(storage_name(platform, base));
        let member = |name| stored.and_then(|it| it.get(name));
        let renew_at = member("renewAt")
            .and_then(|it| it.number())
            .unwrap_or_default();
        Session {
            token: token(member("token")),
            renew_at,
        }
    }

    pub(crate) fn store<P: Platform<Value = V>>(&self, platform: &P, base: V) {
        let stored = platform.with_member(None, "token", self.token);
        let stored = platform.with_member(
            Some(stored),
            "renewAt",
            Some(platform.number(self.renew_at)),
        );
        platform.store(storage_name(platform, base), stored);
    }
}

/// The name under which the session of the gateway at this URL is stored, so that an anonymous subject survives a reload
/// and is shared by tabs.
pub(crate) fn storage_name<P: Platform>(platform: &P, base: P::Value) -> P::Value {
    platform.append_value(platform.text("mediagate:"), base)
}

impl<V: Value + Copy> Gateway<V> {
    /// The URL of a path without [`PREFIX`].
    pub(crate) fn url<P: Platform<Value = V>>(&self, platform: &P, path: &str) -> V {
        platform.append(platform.append(self.base, PREFIX), path)
    }

    /// Whether it is at the same URL, with tokens from the same source, and the same functions of the caller's.
    pub(crate) fn is_same<P: Platform<Value = V>>(&self, platform: &P, other: &Self) -> bool {
        let is_same_source = match (self.source, other.source) {
            (Source::Fixed(one), Source::Fixed(other))
            | (Source::Function(one), Source::Function(other)) => {
                platform.is_identical(Some(one), Some(other))
            }
            (one, other) => matches!((one, other), (Source::Anonymous, Source::Anonymous)),
        };
        is_same_source
            && platform.is_identical(Some(self.base), Some(other.base))
            && platform.is_identical(self.network, other.network)
            && platform.is_identical(self.turnstile, other.turnstile)
    }

    pub(crate) fn needs_token(&self, now: f64) -> bool {
        !matches!(self.source, Source::Fixed(_))
            && (self.is_rejected || !self.session.is_fresh(now))
    }

    /// Records that the gateway responded with 401 to this token. Returns whether a new one can be fetched.
    pub(crate) fn reject<P: Platform<Value = V>>(&mut self, platform: &P, used: Option<V>) -> bool {
        // Another call may have renewed it since.
        self.is_rejected |= platform.is_identical(self.session.token, used);
        !matches!(self.source, Source::Fixed(_))
    }

    /// The values that it refers to.
    pub(crate) fn values(&self) -> [Option<V>; 6] {
        let source = match self.source {
            Source::Fixed(it) | Source::Function(it) => Some(it),
            Source::Anonymous => None,
        };
        let previous = match self.renewal {
            Renewal::Turnstile(it) | Renewal::Opening(it, _) => it.previous,
            Renewal::Idle | Renewal::Function => None,
        };
        [
            Some(self.base),
            self.network,
            source,
            self.turnstile,
            self.session.token,
            previous,
        ]
    }
}
