//! A session for a page that has no backend of its own.

use serde_json::json;

use crate::gateway::Gateway;
use crate::http::Incoming;
use crate::platform::{now_ms, random};
use crate::refusal::Refusal;
use crate::reply::Reply;
use crate::session::{Anonymous, Scope, turnstile};

/// `POST /session`. Asked for by an allowed origin's page and by nothing that a form or an image could send.
pub(crate) async fn session(gateway: &Gateway, incoming: &Incoming) -> Result<Reply, Refusal> {
    let settings = &gateway.settings;
    if !settings.anonymous_sessions {
        return Err(Refusal::no_such_path());
    }
    if incoming.header("origin").is_none() || incoming.header("x-mediagate").as_deref() != Some("1") {
        let message = "a session is given to the pages of allowed origins, asked for with the header x-mediagate: 1";
        return Err(Refusal::forbidden("origin_not_allowed", message));
    }
    let address = incoming.address();
    gateway.shedder.take(&["session ", &address].concat(), now_ms()).map_err(Refusal::too_many)?;
    let scope = match &settings.anonymous_scope {
        Some(scope) => scope.clone(),
        None => Scope::ALL.to_owned(),
    };
    if let Some(secret) = &settings.turnstile_secret {
        let response = incoming.header("x-turnstile-response").unwrap_or_default();
        let address = Some(address.as_str()).filter(|it| !it.is_empty());
        if !turnstile::vouches(&settings.turnstile_url, secret, &response, address).await {
            let message = "Turnstile did not vouch for this request; send its response token in x-turnstile-response";
            return Err(Refusal::forbidden("turnstile", message));
        }
    }
    let key = gateway.anonymous_key.clone().ok_or_else(|| Refusal::internal("no_key"))?;
    let issuer = Anonymous::new(key, settings.session_audience.clone(), scope);
    let (token, expires_in) =
        issuer.issue(&gateway.verifier, incoming.bearer().as_deref(), random()?, now_ms() / 1000.0);
    Ok(Reply::ok(json!({"session": {"token": token, "expires_in": expires_in}})))
}
