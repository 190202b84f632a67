//! The estimate of credits (§4.1).

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::pointer::Pointer;

/// Where an estimate has its parts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct EstimateDialect {
    /// The create's own body in the body of the request; the empty pointer for the body itself. `None`, the default: the
    /// body itself, or `{capability, input}`.
    pub input: Option<Pointer>,
    /// The capability's name in the body of the request, which is then required.
    pub capability: Option<Pointer>,
    /// The credits in the response, from the outermost object.
    pub credits: Pointer,
}

impl Default for EstimateDialect {
    fn default() -> Self {
        EstimateDialect {
            input: None,
            capability: None,
            credits: Pointer::new("/data/credits"),
        }
    }
}

/// The parts of a request for an estimate.
pub(crate) struct EstimateRequest {
    /// The place of the capability, as problems name it.
    pub(crate) path: String,
    /// The capability's name, where the request has to name it; empty where it does not.
    pub(crate) capability: Option<String>,
    /// The create's body.
    pub(crate) input: Value,
}

impl EstimateDialect {
    /// Reads the body of a request.
    pub(crate) fn request(&self, body: &Value) -> EstimateRequest {
        let default = Pointer::new("/capability");
        let named = self.input.is_none() && body.get("capability").is_some_and(Value::is_string);
        let capability = self.capability.as_ref().or(named.then_some(&default));
        let input = match &self.input {
            Some(input) => body.pointer(input.as_str()),
            None if named => body.get("input"),
            None => Some(body),
        };
        EstimateRequest {
            path: capability.map(Pointer::dotted).unwrap_or_default(),
            capability: capability.map(|it| {
                body.pointer(it.as_str())
                    .and_then(Value::as_str)
                    .unwrap_or_default()
                    .into()
            }),
            input: input.cloned().unwrap_or_default(),
        }
    }
}
