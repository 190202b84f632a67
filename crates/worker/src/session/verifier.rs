//! Whether a token is one to believe: its signature first, then every claim.

use std::rc::Rc;

use sha2::{Digest, Sha256};

use super::jwks::KeySet;
use super::token::{Claims, Token};
use super::{Caller, Scope, Subject, hs256};
use crate::memo::Memo;
use crate::settings::{Mcp, Settings};
use crate::{Refusal, Secret};

/// Longest life of a token, in seconds.
const LONGEST_LIFE: f64 = 3600.0;
/// A day, in seconds.
const DAY: f64 = 86_400.0;
/// Longest `jti` of a token that lives longer, in characters.
const LONGEST_ID: usize = 128;
/// How far clocks may differ, in seconds.
const SKEW: f64 = 60.0;
/// Tokens that are remembered: a page sends the same one with all that it asks.
const REMEMBERED: usize = 1_000;
/// What the subject of an anonymous session begins with, and no other's.
pub(super) const ANONYMOUS_NAME: &str = "anon:";

/// Source of the app's backend, by a shared secret.
const BACKEND: &str = "hs256";
/// Source of the app's identity provider, by its published keys.
pub(super) const PROVIDER: &str = "jwks";
/// Source of this gateway's own anonymous sessions.
pub(super) const ANONYMOUS: &str = "anonymous";

/// Verifies tokens of the app's backend, of its identity provider, and of this gateway.
pub struct Verifier {
    backend: Vec<Secret>,
    anonymous: Vec<Secret>,
    provider: Option<KeySet>,
    audience: String,
    issuer: String,
    not_before: f64,
    agents: Mcp,
    /// What tokens say whose signature held, by their SHA-256. Of the keys that this gateway holds alone: those that are
    /// published may be withdrawn.
    signed: Memo<[u8; 32], Rc<Signed>>,
}

/// A token whose signature holds: who signed it, and what it says.
struct Signed {
    source: &'static str,
    claims: Claims,
}

/// Where a token is shown.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Door {
    /// The HTTP interface.
    Page,
    /// `/mcp`.
    Agent,
}

impl Verifier {
    /// A verifier as the settings ask for, with the keys of anonymous sessions.
    pub fn new(settings: &Settings, anonymous: Vec<Secret>) -> Self {
        Verifier {
            backend: settings.session_secrets.clone(),
            anonymous,
            provider: settings.session_jwks_url.clone().map(KeySet::new),
            audience: settings.session_audience.clone(),
            issuer: settings.session_issuer.clone(),
            not_before: settings.session_not_before,
            agents: settings.mcp.clone(),
            signed: Memo::new(REMEMBERED),
        }
    }

    /// The caller whom a token names at this moment (seconds since 1970). Waits only where keys have to be fetched.
    pub async fn caller(&self, token: &str, now: f64) -> Result<Caller, Refusal> {
        self.verify(token, now, Door::Page).await
    }

    /// The same for what agents ask: a token with the scope `mcp` and a `jti` may live longer, and one for
    /// `MCP_RESOURCE` is for us.
    pub async fn agent(&self, token: &str, now: f64) -> Result<Caller, Refusal> {
        self.verify(token, now, Door::Agent).await
    }

    async fn verify(&self, token: &str, now: f64, door: Door) -> Result<Caller, Refusal> {
        let signed = self.signed(token, now).await?;
        let Signed { source, claims } = &*signed;
        // Remembered or not, what it says is weighed at this moment.
        self.check(source, claims, now, door)?;
        let text = |name| claims.text(name).unwrap_or_default();
        let budget = claims.budget().ok_or_else(|| {
            let message =
                "the session token's budget is none; give whole numbers for creates, generate, process, in_flight";
            refuse("invalid_budget", message)
        })?;
        let subject =
            Subject { source: (*source).into(), issuer: text("iss").to_owned(), name: text("sub").to_owned() };
        let until = claims.number("exp").unwrap_or_default();
        Ok(Caller { subject, scope: Scope::new(text("scope")), budget, watch: claims.watch(), until })
    }

    /// What a token says, where its signature holds.
    async fn signed(&self, token: &str, now: f64) -> Result<Rc<Signed>, Refusal> {
        let name = Sha256::digest(token).into();
        if let Some(signed) = self.signed.get(&name) {
            return Ok(signed);
        }
        let token = Token::parse(token).ok_or_else(invalid)?;
        let source = match (self.shared_source(&token), &self.provider) {
            (Some(source), _) => source,
            (None, Some(provider)) if token.algorithm != hs256::NAME && provider.verifies(&token, now).await? => {
                PROVIDER
            }
            _ => return Err(invalid()),
        };
        // Nothing that the token says is read before its signature holds.
        let claims = token
            .claims()
            .ok_or_else(|| refuse("invalid_claims", "the session token holds no JSON object, or a name twice"))?;
        let signed = Rc::new(Signed { source, claims });
        if source != PROVIDER {
            self.signed.keep(name, Rc::clone(&signed));
        }
        Ok(signed)
    }

    /// The claims of a token of this gateway's own, where its signature holds and it was not revoked. It may be too old.
    pub(super) fn own_claims(&self, token: &str) -> Option<Claims> {
        let token = Token::parse(token).filter(|it| self.shared_source(it) == Some(ANONYMOUS))?;
        token.claims().filter(|it| !self.is_revoked(it))
    }

    /// Whose shared secret signed it, where one did.
    fn shared_source(&self, token: &Token) -> Option<&'static str> {
        let keys = [(BACKEND, &self.backend), (ANONYMOUS, &self.anonymous)];
        let found = keys.into_iter().find(|it| hs256::verifies(it.1, token))?;
        (token.algorithm == hs256::NAME).then_some(found.0)
    }

    fn check(&self, source: &str, claims: &Claims, now: f64, door: Door) -> Result<(), Refusal> {
        let (issued, expires) = claims
            .number("iat")
            .zip(claims.number("exp"))
            .ok_or_else(|| refuse("invalid_claims", "the session token lacks iat or exp, as numbers"))?;
        if !claims.are_of_their_types() {
            return Err(refuse("invalid_claims", "the session token has a claim of the wrong type"));
        }
        let not_before = claims.number("nbf").unwrap_or(issued);
        if now >= expires + SKEW {
            return Err(refuse("expired_token", "the session token has expired; fetch a new one"));
        }
        if issued > now + SKEW || not_before > now + SKEW {
            return Err(refuse("early_token", "the session token is not valid yet; check the clock of its issuer"));
        }
        if expires - issued > LONGEST_LIFE {
            self.check_long(claims, expires - issued, door)?;
        }
        if door == Door::Page && Scope::new(claims.text("scope").unwrap_or_default()).is_agent() {
            let message =
                "the session token has the scope mcp, which is good at /mcp alone; fetch one without that word";
            return Err(refuse("agent_token", message));
        }
        if self.is_revoked(claims) {
            return Err(refuse("revoked_token", "the session token was revoked; fetch a new one"));
        }
        self.check_names(source, claims, door)
    }

    /// A token that lives longer than an hour: an agent's, which has to be one that can be revoked.
    fn check_long(&self, claims: &Claims, life: f64, door: Door) -> Result<(), Refusal> {
        let is_agent = door == Door::Agent && Scope::new(claims.text("scope").unwrap_or_default()).is_agent();
        if !is_agent || self.agents.token_days == 0 {
            let message =
                "the session token lives longer than an hour; issue shorter ones, or for /mcp one with the scope mcp";
            return Err(refuse("long_token", message));
        }
        if life > f64::from(self.agents.token_days) * DAY {
            return Err(refuse("long_token", "the session token lives longer than MCP_TOKEN_DAYS; issue shorter ones"));
        }
        if !claims.text("jti").is_some_and(can_be_listed) {
            let message =
                "the session token lives longer than an hour and has no jti of visible ASCII without commas; issue one";
            return Err(refuse("invalid_id", message));
        }
        Ok(())
    }

    /// Whether it was issued before the cut-off, or is one of those revoked; one that does not say when counts as revoked.
    fn is_revoked(&self, claims: &Claims) -> bool {
        let is_listed = claims.text("jti").is_some_and(|id| self.agents.revoked_tokens.iter().any(|it| it == id));
        is_listed || claims.number("iat").is_none_or(|it| it < self.not_before)
    }

    /// Whether a token may be of this issuer: of the one that is set, or else where published keys sign it of one of the
    /// authorization servers. Anonymous tokens are this gateway's own: they carry none.
    fn takes_issuer(&self, source: &str, issuer: Option<&str>) -> bool {
        let servers = &self.agents.authorization_servers;
        match source {
            ANONYMOUS => true,
            _ if !self.issuer.is_empty() => issuer == Some(&self.issuer),
            PROVIDER if !servers.is_empty() => servers.iter().any(|it| issuer == Some(it)),
            _ => true,
        }
    }

    fn check_names(&self, source: &str, claims: &Claims, door: Door) -> Result<(), Refusal> {
        let resource = self.agents.resource.as_deref().filter(|_| door == Door::Agent && source == PROVIDER);
        if !claims.names_audience(&self.audience) && !resource.is_some_and(|it| claims.names_audience(it)) {
            return Err(refuse("wrong_audience", "the session token is for another audience"));
        }
        if !self.takes_issuer(source, claims.text("iss")) {
            return Err(refuse("wrong_issuer", "the session token is of another issuer"));
        }
        let subject = claims.text("sub").unwrap_or_default();
        if subject.trim().is_empty() || subject.starts_with(ANONYMOUS_NAME) != (source == ANONYMOUS) {
            return Err(refuse("invalid_subject", "the session token names no subject, or one that it may not"));
        }
        Ok(())
    }
}

/// Whether the list of revoked tokens can hold an id: what it could not hold could not be revoked.
pub(crate) fn can_be_listed(id: &str) -> bool {
    (1..=LONGEST_ID).contains(&id.len()) && id.bytes().all(|it| it.is_ascii_graphic() && it != b',')
}

fn refuse(reason: &str, message: &str) -> Refusal {
    Refusal::unauthenticated(reason, message)
}

fn invalid() -> Refusal {
    refuse("invalid_token", "the session token is not valid; fetch a new one")
}
