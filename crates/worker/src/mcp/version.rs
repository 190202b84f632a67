//! The protocol version of a request.
//!
//! Up to 2025-11-25 a client begins with `initialize`, and the header `MCP-Protocol-Version` names
//! the negotiated version. From 2026-07-28 on, each request has the version and the client's
//! capabilities in `_meta`. It repeats the method and the name in headers, so that proxies need not
//! read the body.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value, json};

use super::rpc::{
    HEADER_MISMATCH, INTERNAL_ERROR, INVALID_PARAMS, METHOD_NOT_FOUND, RpcError, RpcRequest,
    UNSUPPORTED_VERSION,
};

/// The version without `initialize`.
pub(super) const MODERN: &str = "2026-07-28";
/// Versions that begin with `initialize`, the newest first.
pub(super) const LEGACY: [&str; 2] = ["2025-11-25", "2025-06-18"];

/// The extension for tasks that a client polls.
pub(super) const TASKS: &str = "io.modelcontextprotocol/tasks";

const VERSION: &str = "io.modelcontextprotocol/protocolVersion";
const CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";

/// The protocol version of a request. Versions whose responses are equal share a variant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ProtocolVersion {
    /// Up to 2025-11-25.
    Legacy,
    /// From 2026-07-28 on.
    Modern {
        /// The client accepts a task instead of a result.
        tasks: bool,
    },
}

/// Every supported version, the newest first.
pub(super) fn supported() -> Vec<&'static str> {
    [MODERN].into_iter().chain(LEGACY).collect()
}

impl ProtocolVersion {
    /// Reads the version from a request and its headers, and checks that they agree.
    ///
    /// # Errors
    /// An unsupported version, a missing member of `_meta`, or a header that differs from the body.
    pub(super) fn of(
        request: &RpcRequest,
        header: impl Fn(&str) -> Option<String>,
    ) -> Result<Self, RpcError> {
        let meta = request.params.get("_meta").and_then(Value::as_object);
        let stated = meta.and_then(|members| members.get(VERSION));
        let version = header("mcp-protocol-version");
        // Older clients have no `_meta`. A newer client without it is refused below.
        if stated.is_none() && version.as_deref() != Some(MODERN) {
            return ProtocolVersion::of_header(version.as_deref());
        }
        let Some(stated) = stated.and_then(Value::as_str) else {
            return Err(missing(VERSION, "the protocol version, as a string"));
        };
        if version.as_deref() != Some(stated) {
            return Err(mismatch("MCP-Protocol-Version"));
        }
        if LEGACY.contains(&stated) {
            return Ok(ProtocolVersion::Legacy);
        }
        if stated != MODERN {
            return Err(unsupported(stated));
        }
        let Some(capabilities) = meta
            .and_then(|members| members.get(CAPABILITIES))
            .and_then(Value::as_object)
        else {
            return Err(missing(
                CAPABILITIES,
                "the client's capabilities, as an object",
            ));
        };
        check_headers(request, header)?;
        Ok(ProtocolVersion::Modern {
            tasks: accepts_tasks(capabilities),
        })
    }

    /// Reads the version from the header only: for a request up to 2025-11-25, or a notification.
    ///
    /// # Errors
    /// An unsupported version.
    pub(super) fn of_header(version: Option<&str>) -> Result<Self, RpcError> {
        match version {
            // The header is newer than the protocol: clients of the first version do not send it.
            None => Ok(ProtocolVersion::Legacy),
            Some(version) if LEGACY.contains(&version) => Ok(ProtocolVersion::Legacy),
            Some(MODERN) => Ok(ProtocolVersion::Modern { tasks: false }),
            Some(other) => Err(unsupported(other)),
        }
    }

    /// Returns the HTTP status for a JSON-RPC error code.
    pub(super) fn status(self, code: i32) -> u16 {
        match (self, code) {
            // A valid message that could not be handled was still received.
            (_, INTERNAL_ERROR) => 200,
            (ProtocolVersion::Legacy, METHOD_NOT_FOUND | INVALID_PARAMS) => 200,
            (ProtocolVersion::Modern { .. }, METHOD_NOT_FOUND) => 404,
            _ => 400,
        }
    }
}

fn accepts_tasks(capabilities: &Map<String, Value>) -> bool {
    capabilities
        .get("extensions")
        .and_then(|extensions| extensions.get(TASKS))
        .is_some_and(Value::is_object)
}

/// Checks that the headers repeat the body.
fn check_headers(
    request: &RpcRequest,
    header: impl Fn(&str) -> Option<String>,
) -> Result<(), RpcError> {
    if header("mcp-method").as_deref() != Some(request.method.as_str()) {
        return Err(mismatch("Mcp-Method"));
    }
    let member = match request.method.as_str() {
        "tools/call" => "name",
        "tasks/get" | "tasks/update" | "tasks/cancel" => "taskId",
        _ => return Ok(()),
    };
    // The method itself rejects a name that is not a string.
    let Some(name) = request.params.get(member).and_then(Value::as_str) else {
        return Ok(());
    };
    let repeated = header("mcp-name").and_then(|value| decode(&value));
    if repeated.as_deref() == Some(name) {
        Ok(())
    } else {
        Err(mismatch("Mcp-Name"))
    }
}

/// Decodes a header's value. It is plain, or base64 between markers if it contains characters that
/// a header cannot contain.
fn decode(value: &str) -> Option<String> {
    match value
        .strip_prefix("=?base64?")
        .and_then(|rest| rest.strip_suffix("?="))
    {
        Some(encoded) => String::from_utf8(STANDARD.decode(encoded).ok()?).ok(),
        None => Some(value.to_owned()),
    }
}

fn mismatch(header: &str) -> RpcError {
    let message = format!(
        "Header mismatch: {header} is missing or differs from the body; repeat the body's value"
    );
    RpcError::new(HEADER_MISMATCH, message)
}

fn missing(member: &str, what: &str) -> RpcError {
    RpcError::new(
        INVALID_PARAMS,
        format!("params._meta has no {member}; give {what}"),
    )
}

fn unsupported(requested: &str) -> RpcError {
    let message = format!(
        "Unsupported protocol version; use one of {}",
        supported().join(", ")
    );
    RpcError::new(UNSUPPORTED_VERSION, message)
        .with(json!({"supported": supported(), "requested": requested}))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(method: &str, params: Value) -> RpcRequest {
        let params = params.as_object().cloned().unwrap_or_default();
        RpcRequest {
            id: json!(1),
            method: method.into(),
            params,
        }
    }

    fn meta(version: &str) -> Value {
        json!({"_meta": {VERSION: version, CAPABILITIES: {}}})
    }

    fn version_of(request: &RpcRequest, headers: &[(&str, &str)]) -> Result<ProtocolVersion, i32> {
        let header = |name: &str| {
            headers
                .iter()
                .find(|entry| entry.0 == name)
                .map(|entry| entry.1.to_owned())
        };
        ProtocolVersion::of(request, header).map_err(|error| error.code)
    }

    const VERSION_HEADER: (&str, &str) = ("mcp-protocol-version", MODERN);

    #[test]
    fn older_requests_state_their_version_in_the_header() {
        let list = request("tools/list", json!({}));
        for headers in [
            &[][..],
            &[("mcp-protocol-version", "2025-11-25")],
            &[("mcp-protocol-version", "2025-06-18")],
        ] {
            assert_eq!(version_of(&list, headers), Ok(ProtocolVersion::Legacy));
        }
        for version in ["2025-03-26", "1900-01-01", "", "2025-11-25, 2025-11-25"] {
            assert_eq!(
                version_of(&list, &[("mcp-protocol-version", version)]),
                Err(UNSUPPORTED_VERSION),
                "{version}"
            );
        }
    }

    #[test]
    fn newer_requests_have_their_version_and_capabilities() {
        let discover = ("mcp-method", "server/discover");
        let all = |params: Value| {
            version_of(
                &request("server/discover", params),
                &[VERSION_HEADER, discover],
            )
        };
        assert_eq!(
            all(meta(MODERN)),
            Ok(ProtocolVersion::Modern { tasks: false })
        );
        assert_eq!(all(json!({})), Err(INVALID_PARAMS));
        assert_eq!(
            all(json!({"_meta": {CAPABILITIES: {}}})),
            Err(INVALID_PARAMS)
        );
        assert_eq!(
            all(json!({"_meta": {VERSION: 5, CAPABILITIES: {}}})),
            Err(INVALID_PARAMS)
        );
        assert_eq!(
            all(json!({"_meta": {VERSION: MODERN}})),
            Err(INVALID_PARAMS)
        );
        assert_eq!(all(meta("v999")), Err(HEADER_MISMATCH));
        let other = [("mcp-protocol-version", "v999"), discover];
        assert_eq!(
            version_of(&request("server/discover", meta("v999")), &other),
            Err(UNSUPPORTED_VERSION)
        );
        assert_eq!(
            version_of(&request("server/discover", meta(MODERN)), &[discover]),
            Err(HEADER_MISMATCH)
        );
        assert_eq!(
            version_of(&request("server/discover", meta(MODERN)), &[VERSION_HEADER]),
            Err(HEADER_MISMATCH)
        );
    }

    #[test]
    fn names_are_repeated_in_a_header() {
        let mut params = meta(MODERN);
        params["name"] = json!("é");
        let call = request("tools/call", params);
        let with = |name: &str| {
            version_of(
                &call,
                &[
                    VERSION_HEADER,
                    ("mcp-method", "tools/call"),
                    ("mcp-name", name),
                ],
            )
        };
        assert_eq!(
            with("=?base64?w6k=?="),
            Ok(ProtocolVersion::Modern { tasks: false })
        );
        for wrong in ["", "e", "=?base64?w6k?=", "=?base64?!?=", "=?BASE64?w6k=?="] {
            assert_eq!(with(wrong), Err(HEADER_MISMATCH), "{wrong}");
        }
    }

    #[test]
    fn tasks_are_accepted_if_the_client_declares_them() {
        let mut params = meta(MODERN);
        params["_meta"][CAPABILITIES] = json!({"extensions": {TASKS: {}}});
        let headers = [VERSION_HEADER, ("mcp-method", "tools/list")];
        assert_eq!(
            version_of(&request("tools/list", params), &headers),
            Ok(ProtocolVersion::Modern { tasks: true })
        );
    }
}
