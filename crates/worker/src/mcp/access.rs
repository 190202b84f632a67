//! Checks before a message is handled: content negotiation and scopes. Also the metadata that lists
//! the issuers of tokens.

use mediagate_core::{Code, Reason};
use serde_json::{Value, json};

use super::rpc::{self, INVALID_REQUEST, PARSE_ERROR, RpcError, RpcRequest};
use super::tools::Tool;
use crate::identity::Scope;
use crate::operations::RequestContext;
use crate::platform::Incoming;
use crate::refusal::Refusal;
use crate::reply::Reply;
use crate::settings::{MCP_PATH, McpSettings};

/// The paths of the protected resource metadata (RFC 9728), for `/mcp` and for the whole origin.
pub(crate) const METADATA_PATHS: [&str; 2] = [
    "/.well-known/oauth-protected-resource/mcp",
    "/.well-known/oauth-protected-resource",
];

/// Refuses a body that is not JSON, and a client that does not accept both types of response.
pub(super) fn negotiate(incoming: &Incoming) -> Result<(), Refusal> {
    let content_type = incoming.header("content-type").unwrap_or_default();
    if !media_type(&content_type).eq_ignore_ascii_case("application/json") {
        return Err(Reason::MediaType.into());
    }
    let accept = incoming.header("accept").unwrap_or_default();
    if !accepts(&accept, "application/json") || !accepts(&accept, "text/event-stream") {
        return Err(Reason::NotAcceptable.into());
    }
    Ok(())
}

fn media_type(header: &str) -> &str {
    header.split(';').next().unwrap_or_default().trim()
}

fn accepts(accept: &str, wanted: &str) -> bool {
    let group = wanted.split('/').next().unwrap_or_default();
    let any_of_group = [group, "/*"].concat();
    // The most specific range decides, whatever the order (RFC 9110, 12.5.1).
    for range in [wanted, &any_of_group, "*/*"] {
        let mut listed = accept
            .split(',')
            .filter(|entry| media_type(entry).eq_ignore_ascii_case(range))
            .peekable();
        if listed.peek().is_some() {
            return listed.any(|entry| !has_zero_weight(entry));
        }
    }
    false
}

fn has_zero_weight(entry: &str) -> bool {
    let parameters = entry.split(';').skip(1);
    let mut parameters = parameters.filter_map(|parameter| parameter.trim().split_once('='));
    let weight = parameters.find(|(name, _)| name.eq_ignore_ascii_case("q"));
    let weight = weight.and_then(|(_, value)| value.trim().parse::<f32>().ok());
    weight.is_some_and(|weight| weight <= 0.0)
}

/// A refusal as a JSON-RPC error without an id. A JSON-RPC code means that the request has no valid
/// message. An application code means that the message was not read.
pub(crate) fn refused(refusal: Refusal, request_id: &str) -> Reply {
    error_reply(refusal.with("request_id", request_id), None)
}

pub(super) fn error_reply(refusal: Refusal, id: Option<&Value>) -> Reply {
    let mut reply = Reply::json(refusal.status, refusal.code, &error_body(&refusal, id));
    for (name, value) in refusal.headers {
        reply.header(name, value);
    }
    if let Some(seconds) = refusal.retry_after {
        reply.header("retry-after", seconds.to_string());
    }
    reply
}

pub(crate) fn error_body(refusal: &Refusal, id: Option<&Value>) -> Value {
    let is_unparsed = refusal.is(Reason::MalformedJson) || refusal.is(Reason::BrokenBody);
    let code = match refusal.code {
        _ if is_unparsed => PARSE_ERROR,
        Code::INVALID_INPUT => INVALID_REQUEST,
        code => code.0,
    };
    let error = RpcError::new(code, refusal.message.as_str());
    rpc::error(id, error.with(Value::Object(refusal.data.clone())))
}

/// Refuses a call that requires a wider scope, if the client can request one from an authorization
/// server. Returns `None` for every other token, whose tool result is the error.
pub(super) fn step_up(context: &RequestContext<'_>, request: &RpcRequest) -> Option<Reply> {
    let settings = context.settings();
    metadata_url(&settings.mcp)?;
    if request.method != "tools/call" || !context.caller.subject.is_of_provider() {
        return None;
    }
    let name = request.params.get("name")?.as_str()?;
    let scope = &context.caller.scope;
    let word = Tool::named(name, settings)?.missing_scope(scope)?;
    let refusal = challenge(&settings.mcp, insufficient_scope(scope, word));
    Some(error_reply(refusal, Some(&request.id)))
}

/// A refusal with the whole scope that the next token needs. The client may request nothing beyond
/// it.
fn insufficient_scope(scope: &Scope, word: &str) -> Refusal {
    let message =
        format!("the access token's scope does not allow {word}; request a token that includes it");
    // Unknown words are left out, because they may contain a quote and would break the header.
    let required = [scope.known(), vec![word]].concat().join(" ");
    Refusal::new(Reason::Scope, message).with("scope", required)
}

/// Adds `WWW-Authenticate` (RFC 6750) to a 401, and to a 403 because of the scope. The header has
/// the URL of the metadata if an authorization server is set.
pub(crate) fn challenge(settings: &McpSettings, mut refusal: Refusal) -> Refusal {
    let member = |name: &str| refusal.data.get(name).and_then(Value::as_str);
    let mut challenge = match (refusal.status, member("scope")) {
        // A request without a token gets no error code (RFC 6750, 3.1).
        (401, _) if refusal.is(Reason::NoToken) => vec![],
        (401, _) => vec!["error=\"invalid_token\"".to_owned()],
        (403, Some(word)) => vec![
            "error=\"insufficient_scope\"".to_owned(),
            format!("scope=\"{word}\""),
        ],
        _ => return refusal,
    };
    challenge.extend(metadata_url(settings).map(|url| format!("resource_metadata=\"{url}\"")));
    let value = format!("Bearer {}", challenge.join(", "));
    let header = ("www-authenticate", value.trim_end().to_owned());
    refusal.headers.push(header);
    refusal
}

fn metadata_url(settings: &McpSettings) -> Option<String> {
    if settings.authorization_servers.is_empty() {
        return None;
    }
    let origin = settings.resource.as_deref()?.strip_suffix(MCP_PATH)?;
    Some([origin, METADATA_PATHS[0]].concat())
}

/// `GET /.well-known/oauth-protected-resource`, with and without `/mcp`: the issuers of tokens.
///
/// # Errors
/// 404 without an authorization server.
pub(crate) fn protected_resource(settings: &McpSettings) -> Result<Reply, Refusal> {
    if settings.authorization_servers.is_empty() {
        return Err(Reason::UnknownPath.into());
    }
    let metadata = json!({
        "resource": settings.resource,
        "authorization_servers": settings.authorization_servers,
        "bearer_methods_supported": ["header"],
        "scopes_supported": Scope::ALL.split(' ').chain([Scope::AGENT]).collect::<Vec<_>>(),
        "resource_name": "Mediagate",
    });
    Ok(Reply::bare_json(metadata.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_types_of_response_must_be_accepted() {
        let both = |accept: &str| {
            accepts(accept, "application/json") && accepts(accept, "text/event-stream")
        };
        for good in [
            "application/json, text/event-stream",
            "text/event-stream;q=0.5,Application/JSON; charset=utf-8",
            "*/*",
            "application/*, text/*",
            "*/*;q=0, application/*;Q=0.001, text/event-stream",
            "application/json, text/event-stream; q=1.0; ext=0",
        ] {
            assert!(both(good), "{good}");
        }
        for bad in [
            "",
            "application/json",
            "text/event-stream",
            "text/*",
            "application/jsonx, text/event-streams",
            "application/json, text/event-stream;q=0",
            "application/json, text/event-stream ; Q=0.000",
            "text/event-stream;q=0, */*",
            "*/*, text/*;q=0.0",
            "*/*;q=0",
        ] {
            assert!(!both(bad), "{bad}");
        }
    }
}
