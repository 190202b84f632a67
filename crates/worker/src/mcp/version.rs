//! The protocol version of a request.
//!
//! Up to 2025-11-25, a client begins with `initialize`. From 2025-06-18 on, the header
//! `MCP-Protocol-Version` names the negotiated version. From 2026-07-28 on, each request has the
//! version and the client's capabilities in `_meta`. It repeats the method and the name in headers,
//! so that proxies need not read the body.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use super::rpc::{
    HEADER_MISMATCH, INTERNAL_ERROR, INVALID_PARAMS, METHOD_NOT_FOUND, RpcError, RpcRequest,
    UNSUPPORTED_VERSION,
};

/// The version without `initialize`.
pub(super) const MODERN: &str = "2026-07-28";
/// Versions that begin with `initialize`, the newest first.
pub(super) const WITH_INITIALIZE: [&str; 4] =
    ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];
/// Versions before the header `MCP-Protocol-Version`. They have batches of messages, and no links
/// to resources in results.
const EARLY: [&str; 2] = ["2025-03-26", "2024-11-05"];

pub(super) const TASKS: &str = "io.modelcontextprotocol/tasks";

const VERSION: &str = "io.modelcontextprotocol/protocolVersion";
const CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";

/// The protocol version of a request. Versions whose responses are equal share a variant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ProtocolVersion {
    /// Up to 2025-03-26.
    Early,
    /// 2025-06-18 and 2025-11-25.
    Legacy,
    /// From 2026-07-28 on.
    Modern {
        /// The client accepts a task instead of a result.
        tasks: bool,
    },
}

pub(super) fn supported() -> Vec<&'static str> {
    [MODERN].into_iter().chain(WITH_INITIALIZE).collect()
}

impl ProtocolVersion {
    /// Reads the version from a request and its headers. Refuses an unsupported version, a missing
    /// member of `_meta`, and a header that differs from the body.
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
        if stated != MODERN {
            return ProtocolVersion::of_header(Some(stated));
        }
        let capabilities = meta.and_then(|members| members.get(CAPABILITIES));
        let Some(capabilities) = capabilities.and_then(Value::as_object) else {
            let what = "the client's capabilities, as an object";
            return Err(missing(CAPABILITIES, what));
        };
        check_headers(request, header)?;
        let extensions = capabilities.get("extensions");
        let tasks = extensions.and_then(|extensions| extensions.get(TASKS));
        Ok(ProtocolVersion::Modern {
            tasks: tasks.is_some_and(Value::is_object),
        })
    }

    /// Reads the version from the header only, for a request up to 2025-11-25, or a notification.
    pub(super) fn of_header(version: Option<&str>) -> Result<Self, RpcError> {
        match version {
            None => Ok(ProtocolVersion::Early),
            Some(version) if EARLY.contains(&version) => Ok(ProtocolVersion::Early),
            Some(version) if WITH_INITIALIZE.contains(&version) => Ok(ProtocolVersion::Legacy),
            Some(MODERN) => Ok(ProtocolVersion::Modern { tasks: false }),
            Some(other) => Err(unsupported(other)),
        }
    }

    pub(super) fn has_initialize(self) -> bool {
        !matches!(self, ProtocolVersion::Modern { .. })
    }

    pub(super) fn status(self, code: i32) -> u16 {
        match code {
            // A valid message that could not be handled was still received.
            INTERNAL_ERROR => 200,
            METHOD_NOT_FOUND | INVALID_PARAMS if self.has_initialize() => 200,
            METHOD_NOT_FOUND => 404,
            _ => 400,
        }
    }
}

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

/// Decodes a header's value: plain, or base64 between markers if the value contains characters that
/// a header cannot contain.
fn decode(value: &str) -> Option<String> {
    let rest = value.strip_prefix("=?base64?");
    match rest.and_then(|rest| rest.strip_suffix("?=")) {
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
    RpcError::params(format!("params._meta has no {member}; give {what}"))
}

fn unsupported(requested: &str) -> RpcError {
    let message = format!(
        "Unsupported protocol version; use one of {}",
        supported().join(", ")
    );
    RpcError::new(UNSUPPORTED_VERSION, message)
        .with(json!({"supported": supported(), "requested": requested}))
}
