use mediagate_access::identity::Scope;
use mediagate_access::refusal::Refusal;
use mediagate_core::Reason;
use mediagate_platform::{now_ms, random};
use serde_json::json;

use super::Gateway;
use crate::auth::{AnonymousIssuer, turnstile};
use crate::incoming::Incoming;
use crate::reply::Reply;

impl Gateway {
    /// `POST /session`. Issues a session. Of all pages, only those of allowed origins can send the
    /// header `x-mediagate`, because forms and images can't. Clients that are no browsers are
    /// limited only by scope, budget, rate limit and Turnstile.
    ///
    /// 404 if anonymous sessions are disabled; 403 without an origin, without the header or without
    /// Turnstile's approval; 429 for too many requests; 500 without a key or random bytes.
    pub(super) async fn open_session(&self, incoming: &Incoming) -> Result<Reply, Refusal> {
        let settings = &self.upstream.settings;
        if !settings.anonymous.sessions {
            let message = "this gateway issues no anonymous sessions, so a session token is \
                needed: have the app's backend issue one, and give it to `connect` as `token` (or, \
                to allow sessions without one, set ANONYMOUS_SESSIONS)";
            return Err(Refusal::new(Reason::UnknownPath, message));
        }
        if incoming.origin.is_none() {
            let message = "a session is for the pages of allowed origins, and this request has no \
                header Origin, which names its page; outside of a page, give `connect` a token \
                that your backend signs, or, to try it, one that `mediagate-gateway token` \
                prints";
            return Err(Refusal::new(Reason::OriginNotAllowed, message));
        }
        if incoming.header("x-mediagate").as_deref() != Some("1") {
            let message = "a session is for requests of scripts; send this one with the header \
                x-mediagate: 1";
            return Err(Refusal::new(Reason::OriginNotAllowed, message));
        }
        // Clients without an address share one limit.
        let network = incoming.network().unwrap_or_default();
        self.shedder
            .take(&["session ", &network].concat(), now_ms())
            .map_err(Refusal::too_many)?;
        if let Some(turnstile) = &settings.turnstile {
            let response = incoming.header("x-turnstile-response").unwrap_or_default();
            if !turnstile::verifies(turnstile, &response, incoming.address()).await {
                return Err(Reason::Turnstile.into());
            }
        }
        let key = self.anonymous_key.clone().ok_or(Reason::NoKey)?;
        let scope = settings.anonymous.scope.clone();
        let scope = scope.unwrap_or_else(|| Scope::ALL.to_owned());
        let issuer = AnonymousIssuer::new(key, settings.session_audience.clone(), scope);
        let random = random().ok_or(Reason::NoRandomness)?;
        let previous = incoming.bearer();
        let now = now_ms() / 1000.0;
        let (token, expires_in) = issuer.issue(&self.verifier, previous.as_deref(), random, now);
        let session = json!({"token": token, "expires_in": expires_in});
        Ok(Reply::ok(json!({ "session": session })))
    }
}
