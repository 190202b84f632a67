//! Which revision of the protocol a request speaks, and whether it does so rightly.
//!
//! Up to 2025-11-25 a client introduces itself with `initialize`, and the header `MCP-Protocol-Version` names what was
//! agreed. From 2026-07-28 on each request says everything itself: the revision and what the client can in `_meta`, and
//! method and name once more in headers, so that those on the way need not read the body.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value, json};

use super::rpc::{Error, HEADER_MISMATCH, INVALID_PARAMS, Request, UNSUPPORTED_VERSION};

/// The revision that needs no introduction.
pub(super) const MODERN: &str = "2026-07-28";
/// Revisions that begin with `initialize`, the newest first.
pub(super) const LEGACY: [&str; 2] = ["2025-11-25", "2025-06-18"];

/// The extension for tasks that a client asks after by itself.
pub(super) const TASKS: &str = "io.modelcontextprotocol/tasks";

const VERSION: &str = "io.modelcontextprotocol/protocolVersion";
const CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";

/// How a request is to be answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Era {
    /// As up to 2025-11-25.
    Legacy,
    /// As from 2026-07-28 on.
    Modern {
        /// Whether the client takes a task in place of a result.
        tasks: bool,
    },
}

/// Every revision that is served, the newest first.
pub(super) fn supported() -> Vec<&'static str> {
    [MODERN].into_iter().chain(LEGACY).collect()
}

impl Era {
    /// Reads it from a request and its headers, and checks one against the other.
    pub(super) fn of(request: &Request, header: impl Fn(&str) -> Option<String>) -> Result<Self, Error> {
        let meta = request.params.get("_meta").and_then(Value::as_object);
        let asked = meta.and_then(|it| it.get(VERSION));
        let version = header("mcp-protocol-version");
        if asked.is_none() && version.as_deref() != Some(MODERN) {
            return Era::of_header(version.as_deref());
        }
        let Some(asked) = asked.and_then(Value::as_str) else {
            return Err(lacking(VERSION, "the revision, as a string"));
        };
        if version.as_deref() != Some(asked) {
            return Err(mismatch("MCP-Protocol-Version"));
        }
        if LEGACY.contains(&asked) {
            return Ok(Era::Legacy);
        }
        if asked != MODERN {
            return Err(unsupported(asked));
        }
        let Some(capabilities) = meta.and_then(|it| it.get(CAPABILITIES)).and_then(Value::as_object) else {
            return Err(lacking(CAPABILITIES, "what the client can, as an object"));
        };
        mirrors(request, header)?;
        Ok(Era::Modern { tasks: takes_tasks(capabilities) })
    }

    /// The era of what has nothing but its header: a request from before 2026-07-28, or a notification of any.
    pub(super) fn of_header(version: Option<&str>) -> Result<Self, Error> {
        match version {
            // Clients from before the header.
            None => Ok(Era::Legacy),
            Some(it) if LEGACY.contains(&it) => Ok(Era::Legacy),
            Some(MODERN) => Ok(Era::Modern { tasks: false }),
            Some(other) => Err(unsupported(other)),
        }
    }

    /// The HTTP status of an error.
    pub(super) fn status(self, code: i32) -> u16 {
        match (self, code) {
            (_, super::rpc::INTERNAL_ERROR) => 200,
            (Era::Legacy, super::rpc::METHOD_NOT_FOUND | INVALID_PARAMS) => 200,
            (Era::Modern { .. }, super::rpc::METHOD_NOT_FOUND) => 404,
            _ => 400,
        }
    }
}

fn takes_tasks(capabilities: &Map<String, Value>) -> bool {
    capabilities.get("extensions").and_then(|it| it.get(TASKS)).is_some_and(Value::is_object)
}

/// Compares the headers that repeat the body with it.
fn mirrors(request: &Request, header: impl Fn(&str) -> Option<String>) -> Result<(), Error> {
    if header("mcp-method").as_deref() != Some(request.method.as_str()) {
        return Err(mismatch("Mcp-Method"));
    }
    let member = match request.method.as_str() {
        "tools/call" => "name",
        "tasks/get" | "tasks/update" | "tasks/cancel" => "taskId",
        _ => return Ok(()),
    };
    // What is no string is refused for that, with the method's own words.
    let Some(name) = request.params.get(member).and_then(Value::as_str) else { return Ok(()) };
    let told = header("mcp-name").and_then(|it| decoded(&it));
    if told.as_deref() == Some(name) { Ok(()) } else { Err(mismatch("Mcp-Name")) }
}

/// A header's value: as it is, or where it could not be sent as it is, in base64 between markers.
fn decoded(value: &str) -> Option<String> {
    match value.strip_prefix("=?base64?").and_then(|it| it.strip_suffix("?=")) {
        Some(encoded) => String::from_utf8(STANDARD.decode(encoded).ok()?).ok(),
        None => Some(value.to_owned()),
    }
}

fn mismatch(header: &str) -> Error {
    let message =
        format!("Header mismatch: {header} is missing or says something else than the body; send what it says");
    Error::new(HEADER_MISMATCH, message)
}

fn lacking(member: &str, what: &str) -> Error {
    Error::new(INVALID_PARAMS, format!("params._meta lacks {member}: {what}"))
}

fn unsupported(asked: &str) -> Error {
    let message = format!("Unsupported protocol version; speak one of {}", supported().join(", "));
    Error::new(UNSUPPORTED_VERSION, message).with(json!({"supported": supported(), "requested": asked}))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(method: &str, params: Value) -> Request {
        let params = params.as_object().cloned().unwrap_or_default();
        Request { id: json!(1), method: method.into(), params }
    }

    fn meta(version: &str) -> Value {
        json!({"_meta": {VERSION: version, CAPABILITIES: {}}})
    }

    fn era(request: &Request, headers: &[(&str, &str)]) -> Result<Era, i32> {
        let header = |name: &str| headers.iter().find(|it| it.0 == name).map(|it| it.1.to_owned());
        Era::of(request, header).map_err(|it| it.code)
    }

    const VERSION_HEADER: (&str, &str) = ("mcp-protocol-version", MODERN);

    #[test]
    fn older_requests_are_told_by_their_header_alone() {
        let list = request("tools/list", json!({}));
        for headers in [&[][..], &[("mcp-protocol-version", "2025-11-25")], &[("mcp-protocol-version", "2025-06-18")]] {
            assert_eq!(era(&list, headers), Ok(Era::Legacy));
        }
        for version in ["2025-03-26", "1900-01-01", "", "2025-11-25, 2025-11-25"] {
            assert_eq!(era(&list, &[("mcp-protocol-version", version)]), Err(UNSUPPORTED_VERSION), "{version}");
        }
    }

    #[test]
    fn newer_requests_say_everything_themselves() {
        let discover = ("mcp-method", "server/discover");
        let all = |params: Value| era(&request("server/discover", params), &[VERSION_HEADER, discover]);
        assert_eq!(all(meta(MODERN)), Ok(Era::Modern { tasks: false }));
        assert_eq!(all(json!({})), Err(INVALID_PARAMS));
        assert_eq!(all(json!({"_meta": {CAPABILITIES: {}}})), Err(INVALID_PARAMS));
        assert_eq!(all(json!({"_meta": {VERSION: 5, CAPABILITIES: {}}})), Err(INVALID_PARAMS));
        assert_eq!(all(json!({"_meta": {VERSION: MODERN}})), Err(INVALID_PARAMS));
        assert_eq!(all(meta("v999")), Err(HEADER_MISMATCH));
        let other = [("mcp-protocol-version", "v999"), discover];
        assert_eq!(era(&request("server/discover", meta("v999")), &other), Err(UNSUPPORTED_VERSION));
        assert_eq!(era(&request("server/discover", meta(MODERN)), &[discover]), Err(HEADER_MISMATCH));
        assert_eq!(era(&request("server/discover", meta(MODERN)), &[VERSION_HEADER]), Err(HEADER_MISMATCH));
    }

    #[test]
    fn names_are_repeated_in_a_header() {
        let mut params = meta(MODERN);
        params["name"] = json!("é");
        let call = request("tools/call", params);
        let with = |name: &str| era(&call, &[VERSION_HEADER, ("mcp-method", "tools/call"), ("mcp-name", name)]);
        assert_eq!(with("=?base64?w6k=?="), Ok(Era::Modern { tasks: false }));
        for wrong in ["", "e", "=?base64?w6k?=", "=?base64?!?=", "=?BASE64?w6k=?="] {
            assert_eq!(with(wrong), Err(HEADER_MISMATCH), "{wrong}");
        }
    }

    #[test]
    fn tasks_are_taken_where_they_were_declared() {
        let mut params = meta(MODERN);
        params["_meta"][CAPABILITIES] = json!({"extensions": {TASKS: {}}});
        let headers = [VERSION_HEADER, ("mcp-method", "tools/list")];
        assert_eq!(era(&request("tools/list", params), &headers), Ok(Era::Modern { tasks: true }));
    }
}
