//! Verifies tokens: the signature first, then every claim.

use std::rc::Rc;

use mediagate_access::crypto::Secret;
use mediagate_access::identity::{Caller, Subject};
use mediagate_access::refusal::Refusal;
use mediagate_core::Reason;
use mediagate_core::claims::{ANONYMOUS_PREFIX, MAX_LIFETIME_S};
use mediagate_platform::Memo;
use mediagate_settings::{Settings, is_revocable_id};
use sha2::{Digest, Sha256};

use super::hs256;
use super::jwks::KeySet;
use super::token::{Claims, Token};

const DAY_S: f64 = 86_400.0;
const SKEW_S: f64 = 60.0;
/// The most verified tokens that are cached. A page sends its token with every request.
const MAX_CACHED: usize = 1_000;

/// Verifies tokens of the app's backend, of its identity provider, and of this gateway.
pub struct Verifier {
    settings: Settings,
    anonymous: Vec<Secret>,
    provider: Option<KeySet>,
    /// Verified tokens by their SHA-256. Has only tokens that were signed with a shared secret,
    /// since a published key may be withdrawn.
    verified: Memo<[u8; 32], Rc<Verified>>,
}

struct Verified {
    source: &'static str,
    claims: Claims,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Interface {
    Rest,
    Mcp,
}

impl Verifier {
    /// `anonymous` are the keys of anonymous sessions.
    pub fn new(settings: &Settings, anonymous: Vec<Secret>) -> Self {
        Verifier {
            settings: settings.clone(),
            anonymous,
            provider: settings.session_jwks_url.clone().map(KeySet::new),
            verified: Memo::new(MAX_CACHED),
        }
    }

    /// Verifies a token, and returns its caller. `now` is in seconds since 1970. Waits only if
    /// published keys must be fetched. 401, code 13, with the reason; 503 if published keys can't
    /// be fetched.
    pub async fn caller(&self, token: &str, now: f64) -> Result<Caller, Refusal> {
        self.verify(token, now, Interface::Rest).await
    }

    /// Like [`Verifier::caller`], for a request to `/mcp`. A token with the scope `mcp` and a `jti`
    /// may live longer, and the audience `MCP_RESOURCE` is accepted, too.
    pub async fn agent(&self, token: &str, now: f64) -> Result<Caller, Refusal> {
        self.verify(token, now, Interface::Mcp).await
    }

    async fn verify(&self, token: &str, now: f64, interface: Interface) -> Result<Caller, Refusal> {
        let verified = self.verify_signature(token, now).await?;
        let Verified { source, claims } = &*verified;
        // The claims of a cached token are checked, too, since it may have expired.
        self.check(source, claims, now, interface)?;
        let text = |name| claims.text(name).unwrap_or_default().to_owned();
        Ok(Caller {
            subject: Subject {
                source: (*source).into(),
                issuer: text("iss"),
                name: text("sub"),
            },
            scope: claims.scope(),
            budget: claims.budget().ok_or(Reason::InvalidBudget)?,
            limits: claims.limits().ok_or(Reason::InvalidLimits)?,
            assets: claims.assets().ok_or(Reason::InvalidAssets)?,
            watch: claims.watch(),
            until: claims.number("exp").unwrap_or_default(),
            issued_at: claims.number("iat"),
            token_id: claims.text("jti").map(str::to_owned),
        })
    }

    async fn verify_signature(&self, token: &str, now: f64) -> Result<Rc<Verified>, Refusal> {
        let digest = Sha256::digest(token).into();
        if let Some(verified) = self.verified.get(&digest) {
            return Ok(verified);
        }
        let token = Token::parse(token).ok_or(Reason::InvalidToken)?;
        let source = match (self.shared_source(&token), &self.provider) {
            (Some(source), _) => source,
            (None, Some(provider)) if provider.verifies(&token, now).await? => Subject::PROVIDER,
            _ if self.settings.session_secrets.is_empty() || token.algorithm != hs256::NAME => {
                return Err(Reason::InvalidToken.into());
            }
            // Two different secrets are the usual cause, so the message names the setting.
            _ => {
                let message = "the session token's signature fits no key of this gateway: \
                               its issuer may have another SESSION_SECRET than the gateway; \
                               fetch a new one";
                let refusal = Refusal::new(Reason::InvalidToken, message);
                return Err(refusal.with("setting", "SESSION_SECRET"));
            }
        };
        self.check_type(source, &token)?;
        // Claims are parsed only after the signature is verified.
        let claims = token.claims().ok_or_else(|| {
            let message = "the session token's claims are not a JSON object, or repeat a name";
            Refusal::new(Reason::InvalidClaims, message)
        })?;
        let verified = Rc::new(Verified { source, claims });
        // A provider may withdraw its keys, so its tokens are verified each time.
        if source != Subject::PROVIDER {
            self.verified.insert(digest, Rc::clone(&verified));
        }
        Ok(verified)
    }

    /// Checks that a token is an access token. Authorization servers sign other tokens with these
    /// keys and for this audience, so the type of their tokens must be explicit.
    fn check_type(&self, source: &str, token: &Token) -> Result<(), Refusal> {
        let needs_type =
            source == Subject::PROVIDER && !self.settings.mcp.authorization_servers.is_empty();
        if token.is_access_token() || !needs_type && token.may_be_access_token() {
            Ok(())
        } else {
            Err(Reason::WrongType.into())
        }
    }

    /// Returns the claims of an anonymous token with a valid signature, even if it has expired.
    /// Returns `None` if it is revoked.
    pub(super) fn own_claims(&self, token: &str) -> Option<Claims> {
        let token = Token::parse(token)
            .filter(|token| self.shared_source(token) == Some(Subject::ANONYMOUS))?;
        token.claims().filter(|claims| !self.is_revoked(claims))
    }

    fn shared_source(&self, token: &Token) -> Option<&'static str> {
        let keys = [
            (Subject::BACKEND, &self.settings.session_secrets),
            (Subject::ANONYMOUS, &self.anonymous),
        ];
        let (source, _) = keys
            .into_iter()
            .find(|(_, secrets)| hs256::verifies(secrets, token))?;
        (token.algorithm == hs256::NAME).then_some(source)
    }

    fn check(
        &self,
        source: &str,
        claims: &Claims,
        now: f64,
        interface: Interface,
    ) -> Result<(), Refusal> {
        let Some((issued, expires)) = claims.number("iat").zip(claims.number("exp")) else {
            let message = "the session token lacks iat or exp, as numbers";
            return Err(Refusal::new(Reason::InvalidClaims, message));
        };
        if !claims.are_of_their_types() {
            let message = "the session token has a claim of the wrong type";
            return Err(Refusal::new(Reason::InvalidClaims, message));
        }
        let not_before = claims.number("nbf").unwrap_or(issued);
        if now >= expires + SKEW_S {
            let message = format!(
                "the session token has expired: its exp is {expires}, and the gateway's time is \
                 {now:.0}, in seconds since 1970; fetch a new one, and if a new one has expired \
                 too, compare the clocks"
            );
            return Err(Refusal::new(Reason::ExpiredToken, message));
        }
        let valid_from = issued.max(not_before);
        if valid_from > now + SKEW_S {
            let message = format!(
                "the session token is not valid yet: its iat or nbf is {valid_from}, and the \
                 gateway's time is {now:.0}, in seconds since 1970; compare the clock of its \
                 issuer with the gateway's"
            );
            return Err(Refusal::new(Reason::EarlyToken, message));
        }
        if expires - issued > f64::from(MAX_LIFETIME_S) {
            self.check_long_lived(claims, expires - issued, interface)?;
        }
        // An agent's token may live for months, so a stolen one must not work elsewhere.
        if interface == Interface::Rest && claims.scope().is_agent() {
            return Err(Reason::AgentToken.into());
        }
        if self.is_revoked(claims) {
            return Err(Reason::RevokedToken.into());
        }
        self.check_names(source, claims, interface)
    }

    /// Checks a token that lives longer than an hour: only an agent's token may, and it must be
    /// revocable.
    fn check_long_lived(
        &self,
        claims: &Claims,
        lifetime: f64,
        interface: Interface,
    ) -> Result<(), Refusal> {
        let is_agent = interface == Interface::Mcp && claims.scope().is_agent();
        if !is_agent || self.settings.mcp.token_days == 0 {
            let message = "the session token lives longer than an hour; \
                           issue shorter ones, or for /mcp one with the scope mcp";
            return Err(Refusal::new(Reason::LongToken, message));
        }
        if lifetime > f64::from(self.settings.mcp.token_days) * DAY_S {
            let message = "the session token lives longer than MCP_TOKEN_DAYS; issue shorter ones";
            return Err(Refusal::new(Reason::LongToken, message));
        }
        if !claims.text("jti").is_some_and(is_revocable_id) {
            return Err(Reason::InvalidId.into());
        }
        Ok(())
    }

    /// Returns true if the token's id is revoked, or if it was issued before `SESSION_NOT_BEFORE`
    /// or at an unknown time.
    fn is_revoked(&self, claims: &Claims) -> bool {
        let is_listed = claims.text("jti").is_some_and(|id| {
            let mut revoked = self.settings.mcp.revoked_tokens.iter();
            revoked.any(|listed| listed == id)
        });
        let issued_at = claims.number("iat");
        is_listed || issued_at.is_none_or(|issued_at| issued_at < self.settings.session_not_before)
    }

    /// With `SESSION_ISSUER`, only that issuer. Without it, a token with a published key must name
    /// one of the authorization servers, if there are any. Anonymous tokens have no issuer.
    fn accepts_issuer(&self, source: &str, issuer: Option<&str>) -> bool {
        let servers = &self.settings.mcp.authorization_servers;
        match source {
            Subject::ANONYMOUS => true,
            _ if self.settings.session_issuer.is_some() => {
                issuer == self.settings.session_issuer.as_deref()
            }
            Subject::PROVIDER if !servers.is_empty() => {
                servers.iter().any(|server| issuer == Some(server))
            }
            _ => true,
        }
    }

    fn check_names(
        &self,
        source: &str,
        claims: &Claims,
        interface: Interface,
    ) -> Result<(), Refusal> {
        let takes_resource = interface == Interface::Mcp && source == Subject::PROVIDER;
        let resource = self.settings.mcp.resource.as_deref();
        let is_named = claims.names_audience(&self.settings.session_audience)
            || takes_resource && resource.is_some_and(|url| claims.names_audience(url));
        if !is_named {
            return Err(Reason::WrongAudience.into());
        }
        if !self.accepts_issuer(source, claims.text("iss")) {
            return Err(Reason::WrongIssuer.into());
        }
        let subject = claims.text("sub").unwrap_or_default();
        // Only this gateway issues subjects with the prefix, and only such subjects.
        if subject.trim().is_empty()
            || subject.starts_with(ANONYMOUS_PREFIX) != (source == Subject::ANONYMOUS)
        {
            return Err(Reason::InvalidSubject.into());
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base64::Engine;
    use base64::engine::general_purpose::URL_SAFE_NO_PAD;
    use futures_util::FutureExt;
    use serde_json::{Value, json};

    const NOW: f64 = 1_800_000_000.0;
    const SERVER: &str = "https://as.example.com";
    const RESOURCE: &str = "https://media.example.com/mcp";
    const SERVERS: [(&str, &str); 1] = [(
        "MCP_AUTHORIZATION_SERVERS",
        "https://as2.example.com,https://as.example.com",
    )];

    fn verifier(changes: &[(&str, &str)]) -> Verifier {
        let server = [
            ("SESSION_JWKS_URL", "https://as.example.com/keys"),
            ("MCP_RESOURCE", RESOURCE),
        ];
        let settings = Settings::for_tests(&[changes, &server].concat());
        Verifier::new(&settings, Vec::new())
    }

    fn token(header: &Value, changes: &[(&str, Value)]) -> Token {
        let mut claims =
            json!({"sub": "alice", "aud": "mediagate", "iat": NOW, "exp": NOW + 600.0});
        changes
            .iter()
            .for_each(|(name, value)| claims[*name] = value.clone());
        let part = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
        Token::parse(&[&part(header), ".", &part(&claims), ".AA"].concat()).expect("well-formed")
    }

    /// Returns the reason to refuse a token with these claims and a valid signature. Empty if the
    /// token is accepted.
    fn reason(
        verifier: &Verifier,
        source: &str,
        interface: Interface,
        changes: &[(&str, Value)],
    ) -> String {
        let claims = token(&json!({"alg": "ES256"}), changes)
            .claims()
            .expect("an object");
        let refused = verifier.check(source, &claims, NOW, interface).err();
        let reason = refused
            .as_ref()
            .and_then(|refusal| refusal.data["reason"].as_str());
        reason.unwrap_or_default().to_owned()
    }

    #[test]
    fn an_authorization_servers_token_says_that_it_is_an_access_token() {
        let accepts = |settings: &[(&str, &str)], source: &str| {
            ["at+jwt", "jwt", "id+jwt"].map(|kind| {
                let token = token(&json!({"alg": "ES256", "typ": kind}), &[]);
                verifier(settings).check_type(source, &token).is_ok()
            })
        };
        assert_eq!(accepts(&SERVERS, Subject::PROVIDER), [true, false, false]);
        assert_eq!(accepts(&[], Subject::PROVIDER), [true, true, false]);
        assert_eq!(accepts(&SERVERS, Subject::BACKEND), [true, true, false]);
    }

    #[test]
    fn issuers_are_those_of_the_tokens_source() {
        let issuer = ("SESSION_ISSUER", "app");
        let both = [SERVERS[0], issuer];
        let wrong = "wrong_issuer";
        for (settings, source, subject, expected) in [
            (&SERVERS[..], Subject::PROVIDER, "alice", ["", wrong, wrong]),
            (&both, Subject::PROVIDER, "alice", [wrong, "", wrong]),
            (&[], Subject::PROVIDER, "alice", ["", "", ""]),
            (&SERVERS, Subject::BACKEND, "alice", ["", "", ""]),
            (&[issuer], Subject::BACKEND, "alice", [wrong, "", wrong]),
            // It has no issuer to compare.
            (&[issuer], Subject::ANONYMOUS, "anon:1", ["", "", ""]),
        ] {
            let reasons = [SERVER, "app", "other"].map(|issuer| {
                let claims = [("iss", json!(issuer)), ("sub", json!(subject))];
                reason(&verifier(settings), source, Interface::Rest, &claims)
            });
            assert_eq!(reasons, expected, "{settings:?} {source}");
        }
    }

    #[test]
    fn the_url_of_mcp_is_an_audience_only_of_a_providers_tokens_there() {
        let wrong = "wrong_audience";
        for (source, interface, audience, expected) in [
            (Subject::PROVIDER, Interface::Mcp, RESOURCE, ""),
            (Subject::PROVIDER, Interface::Mcp, "mediagate", ""),
            (Subject::PROVIDER, Interface::Mcp, SERVER, wrong),
            (Subject::PROVIDER, Interface::Rest, RESOURCE, wrong),
            (Subject::BACKEND, Interface::Mcp, RESOURCE, wrong),
        ] {
            let claims = [("aud", json!(audience)), ("iss", json!(SERVER))];
            let reason = reason(&verifier(&SERVERS), source, interface, &claims);
            assert_eq!(reason, expected, "{audience}");
        }
    }

    #[test]
    fn if_clocks_differ_both_times_are_named() {
        for (changes, reason, time) in [
            (
                [("iat", json!(NOW + 95.0)), ("exp", json!(NOW + 600.0))],
                Reason::EarlyToken,
                "1800000095",
            ),
            (
                [("iat", json!(NOW - 600.0)), ("exp", json!(NOW - 61.0))],
                Reason::ExpiredToken,
                "1799999939",
            ),
        ] {
            let claims = token(&json!({"alg": "HS256"}), &changes).claims();
            let claims = claims.expect("an object");
            let verifier = verifier(&[]);
            let refused = verifier.check(Subject::BACKEND, &claims, NOW, Interface::Rest);
            let refusal = refused.expect_err("the clocks differ");
            assert_eq!(refusal.data["reason"], reason.name());
            for time in [time, "1800000000"] {
                assert!(refusal.message.contains(time), "{}", refusal.message);
            }
        }
    }

    #[test]
    fn a_verified_signature_of_a_shared_secret_is_cached() {
        let verifier = verifier(&[]);
        let claims = json!({"sub": "alice", "aud": "mediagate", "iat": NOW, "exp": NOW + 600.0});
        let token = hs256::sign(&verifier.settings.session_secrets[0], &claims);
        let is_cached = || {
            let digest = Sha256::digest(&token).into();
            verifier.verified.get(&digest).is_some()
        };
        assert!(!is_cached());
        let caller = verifier.caller(&token, NOW).now_or_never();
        assert!(caller.expect("no key is fetched").is_ok());
        assert!(is_cached());
    }
}
