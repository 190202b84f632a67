//! Checks before a message is handled: content negotiation and scopes. Also the metadata that lists
//! the issuers of tokens.

use mediagate_access::identity::Scope;
use mediagate_access::refusal::Refusal;
use mediagate_core::{Code, Reason, scope};
use mediagate_routes::{METADATA_PATHS, NO_ISSUER, no_issuer};
use mediagate_settings::{MCP_PATH, McpSettings};
use serde_json::{Value, json};

use super::rpc::{self, RpcError, RpcRequest};
use super::tools::Tool;
use crate::incoming::Incoming;
use crate::operations::RequestContext;
use crate::reply::Reply;

/// Returns true if the client takes a stream of events. Without an `Accept`, it takes only JSON.
/// 415 for a body that is not JSON; 406 for a client that takes no JSON.
pub(super) fn negotiate(incoming: &Incoming) -> Result<bool, Refusal> {
    let content_type = incoming.header("content-type").unwrap_or_default();
    if !media_type(&content_type).eq_ignore_ascii_case("application/json") {
        return Err(Reason::MediaType.into());
    }
    let accept = incoming.header("accept").unwrap_or_default();
    if accept.trim().is_empty() {
        return Ok(false);
    }
    if !accepts(&accept, "application/json", &["application/*", "*/*"]) {
        return Err(Reason::NotAcceptable.into());
    }
    // `*/*` is the default of many programs that can't read a stream.
    Ok(accepts(&accept, "text/event-stream", &["text/*"]))
}

fn media_type(header: &str) -> &str {
    header.split(';').next().unwrap_or_default().trim()
}

/// Returns true if `Accept` lists a media type by its name, or by one of `ranges`, the narrowest
/// first. The narrowest range in the list decides, whatever the order (RFC 9110, 12.5.1).
fn accepts(accept: &str, wanted: &str, ranges: &[&str]) -> bool {
    for range in [wanted].iter().chain(ranges) {
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

/// A JSON-RPC error without an id. A JSON-RPC code means that the request has no valid message. An
/// application code means that the message was not read.
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

fn error_body(refusal: &Refusal, id: Option<&Value>) -> Value {
    let error = RpcError::new(refusal.rpc_code(), refusal.message.as_str());
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

/// Names the whole scope that the next token needs. The client may request nothing beyond it.
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
        (401, _) => vec![
            "error=\"invalid_token\"".to_owned(),
            format!("error_description=\"{}\"", quotable(&refusal.message)),
        ],
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

/// Removes what a description in the header must not have (RFC 6750, §3).
fn quotable(text: &str) -> String {
    let is_quotable = |letter: &char| matches!(letter, ' '..='~') && !matches!(letter, '"' | '\\');
    text.chars().filter(is_quotable).collect()
}

fn metadata_url(settings: &McpSettings) -> Option<String> {
    if settings.authorization_servers.is_empty() {
        return None;
    }
    let origin = settings.resource.as_deref()?.strip_suffix(MCP_PATH)?;
    Some([origin, METADATA_PATHS[0]].concat())
}

/// The metadata of the protected resource, with the issuers of tokens. Without an issuer, and at
/// the paths of an authorization server, an OAuth error with the source of tokens: 404 at a path of
/// metadata, 400 at an endpoint.
pub(crate) fn token_source(settings: &McpSettings, path: &str) -> Reply {
    let has_metadata = METADATA_PATHS.contains(&path) && !settings.authorization_servers.is_empty();
    if !has_metadata {
        // Clients go on to the next path after a 404, and show the error of an endpoint.
        let status = if path.contains("/.well-known/") {
            404
        } else {
            400
        };
        let description = no_issuer(&settings.authorization_servers);
        let error = json!({"error": NO_ISSUER, "error_description": description});
        return Reply::json(status, Code::UNAUTHENTICATED, &error);
    }
    let metadata = json!({
        "resource": settings.resource,
        "authorization_servers": settings.authorization_servers,
        "bearer_methods_supported": ["header"],
        "scopes_supported": Scope::ALL.split(' ').chain([scope::AGENT]).collect::<Vec<_>>(),
        "resource_name": "Mediagate",
    });
    Reply::bare_json(metadata.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_narrowest_range_decides_if_a_media_type_is_accepted() {
        let json = |accept: &str| accepts(accept, "application/json", &["application/*", "*/*"]);
        for (accept, expected) in [
            ("application/json", true),
            (
                "text/event-stream;q=0.5,Application/JSON; charset=utf-8",
                true,
            ),
            ("*/*", true),
            ("text/html, */*;q=0.1", true),
            ("*/*;q=0, application/*;Q=0.001", true),
            ("application/json; q=1.0; ext=0", true),
            ("text/event-stream", false),
            ("application/jsonx", false),
            ("application/json;q=0, */*", false),
            ("application/json ; Q=0.000", false),
            ("*/*, application/*;q=0.0", false),
        ] {
            assert_eq!(json(accept), expected, "{accept}");
        }
    }
}
