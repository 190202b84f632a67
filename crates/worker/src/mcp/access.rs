//! What is settled before a message is read: where `/mcp` is, what it takes, and who issues tokens for it.

use mediagate_core::Code;
use serde_json::{Value, json};

use super::rpc::{self, Error, INVALID_REQUEST, PARSE_ERROR, Request};
use super::tools::Tool;
use crate::http::Incoming;
use crate::operations::Call;
use crate::refusal::Refusal;
use crate::reply::Reply;
use crate::session::Scope;
use crate::settings::Mcp;

/// Where the protocol is spoken.
pub(crate) const PATH: &str = "/mcp";
/// Where it is said who issues tokens for it (RFC 9728): of that path, and of the whole origin.
pub(crate) const METADATA: [&str; 2] =
    ["/.well-known/oauth-protected-resource/mcp", "/.well-known/oauth-protected-resource"];

/// Refuses what could not be answered: a body that is no JSON, a client that does not take both forms of an answer.
pub(super) fn negotiate(incoming: &Incoming) -> Result<(), Refusal> {
    let content_type = incoming.header("content-type").unwrap_or_default();
    if !media_type(&content_type).eq_ignore_ascii_case("application/json") {
        let message = "the body is not announced as JSON; send Content-Type: application/json";
        return Err(Refusal::new(415, Code::INVALID_INPUT, "media_type", message));
    }
    let accept = incoming.header("accept").unwrap_or_default();
    if !takes(&accept, "application/json") || !takes(&accept, "text/event-stream") {
        let message = "answers are JSON or events; send Accept: application/json, text/event-stream";
        return Err(Refusal::new(406, Code::INVALID_INPUT, "not_acceptable", message));
    }
    Ok(())
}

/// A media type without its parameters.
fn media_type(header: &str) -> &str {
    header.split(';').next().unwrap_or_default().trim()
}

/// Whether an `Accept` lists a media type, itself or by a star.
fn takes(accept: &str, wanted: &str) -> bool {
    let any = wanted.split('/').next().map(|it| [it, "/*"].concat()).unwrap_or_default();
    accept
        .split(',')
        .map(media_type)
        .any(|it| it == "*/*" || [wanted, &any].iter().any(|one| it.eq_ignore_ascii_case(one)))
}

/// A refusal as a client of the protocol reads it: an error that answers no message in particular. Codes of JSON-RPC say
/// that there was none; those of the service's list say why one was not looked at.
pub(crate) fn refused(refusal: Refusal, request_id: &str) -> Reply {
    let Refusal { status, code, message, data, retry_after, headers } = refusal.with("request_id", request_id);
    let of_rpc = match data.get("reason").and_then(Value::as_str) {
        Some("malformed_json" | "broken_body") => PARSE_ERROR,
        _ if code == Code::INVALID_INPUT => INVALID_REQUEST,
        _ => code.0,
    };
    let error = Error::new(of_rpc, message).with(Value::Object(data));
    let mut reply = Reply::other(status, code, &rpc::error(None, error));
    headers.into_iter().for_each(|(name, value)| reply.header(name, value));
    if let Some(seconds) = retry_after {
        reply.header("retry-after", seconds.to_string());
    }
    reply
}

/// Refuses a call that a token with a wider scope could make, where a client can ask an authorization server for one.
/// Where there is none, a model is told in the result.
pub(super) fn step_up(call: &Call<'_>, request: &Request) -> Result<(), Refusal> {
    let settings = &call.service.gateway.settings;
    let name = request.params.get("name").and_then(Value::as_str).filter(|_| request.method == "tools/call");
    let tool = name.and_then(|it| Tool::named(it, settings)).filter(|_| metadata_url(&settings.mcp).is_some());
    match tool.and_then(|it| it.lacks(&call.caller.scope)) {
        None => Ok(()),
        Some(word) => {
            let message = format!("the access token's scope does not allow {word}; ask for one that does");
            Err(Refusal::forbidden("scope", message).with("scope", word))
        }
    }
}

/// Says with a 401 how to get in (RFC 6750), with a 403 what scope it takes, and where tokens are issued, where that is
/// set.
pub(crate) fn challenge(settings: &Mcp, mut refusal: Refusal) -> Refusal {
    let said = |name: &str| refusal.data.get(name).and_then(Value::as_str);
    let mut challenge = match (refusal.status, said("scope")) {
        (401, _) if said("reason") == Some("no_token") => vec![],
        (401, _) => vec!["error=\"invalid_token\"".to_owned()],
        (403, Some(word)) => vec!["error=\"insufficient_scope\"".to_owned(), format!("scope=\"{word}\"")],
        _ => return refusal,
    };
    challenge.extend(metadata_url(settings).map(|it| format!("resource_metadata=\"{it}\"")));
    refusal.headers.push(("www-authenticate", format!("Bearer {}", challenge.join(", ")).trim_end().to_owned()));
    refusal
}

fn metadata_url(settings: &Mcp) -> Option<String> {
    let resource = settings.resource.as_deref().filter(|_| !settings.authorization_servers.is_empty())?;
    Some([resource.strip_suffix(PATH)?, METADATA[0]].concat())
}

/// `GET /.well-known/oauth-protected-resource`, with and without the path: who issues tokens for `/mcp`.
pub(crate) fn protected_resource(settings: &Mcp) -> Result<Reply, Refusal> {
    if settings.authorization_servers.is_empty() {
        return Err(Refusal::no_such_path());
    }
    let metadata = json!({
        "resource": settings.resource,
        "authorization_servers": settings.authorization_servers,
        "bearer_methods_supported": ["header"],
        "scopes_supported": Scope::ALL.split(' ').collect::<Vec<_>>(),
        "resource_name": "Mediagate",
    });
    Ok(Reply::plain(metadata.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_forms_of_an_answer_have_to_be_taken() {
        let both = |accept: &str| takes(accept, "application/json") && takes(accept, "text/event-stream");
        for good in [
            "application/json, text/event-stream",
            "text/event-stream;q=0.5,Application/JSON; charset=utf-8",
            "*/*",
            "application/*, text/*",
        ] {
            assert!(both(good), "{good}");
        }
        for bad in ["", "application/json", "text/event-stream", "text/*", "application/jsonx, text/event-streams"] {
            assert!(!both(bad), "{bad}");
        }
    }

    #[test]
    fn a_challenge_leads_to_the_metadata_where_there_is_any() {
        let settings = |servers: &[&str]| Mcp {
            tool_prefix: String::new(),
            wait_seconds: 0,
            token_days: 0,
            revoked_tokens: vec![],
            resource: Some("https://h.example/mcp".into()),
            authorization_servers: servers.iter().map(|it| (*it).to_owned()).collect(),
        };
        let header = |servers: &[&str], reason: &str| {
            challenge(&settings(servers), Refusal::unauthenticated(reason, "m")).headers.remove(0).1
        };
        assert_eq!(header(&[], "no_token"), "Bearer");
        assert_eq!(header(&[], "expired_token"), "Bearer error=\"invalid_token\"");
        assert_eq!(
            header(&["https://as.example"], "expired_token"),
            "Bearer error=\"invalid_token\", \
             resource_metadata=\"https://h.example/.well-known/oauth-protected-resource/mcp\""
        );
        assert!(challenge(&settings(&[]), Refusal::forbidden("scope", "m")).headers.is_empty());
        let narrow = Refusal::forbidden("scope", "m").with("scope", "upload");
        let said = challenge(&settings(&["https://as.example"]), narrow).headers.remove(0).1;
        assert!(
            said.starts_with("Bearer error=\"insufficient_scope\", scope=\"upload\", resource_metadata="),
            "{said}"
        );
    }
}
