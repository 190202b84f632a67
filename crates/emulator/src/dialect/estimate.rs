//! The estimate of credits (§4.1).

use json_patch::jsonptr::PointerBuf;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::place::{at, dotted};

/// The places of an estimate's parts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct EstimateDialect {
    /// The place of the create's body in the body of the request. The empty pointer is the whole
    /// body. `None`, the default, accepts the whole body and `{capability, input}`.
    pub input: Option<PointerBuf>,
    /// The place of the capability's name in the body of the request. If set, the name is required.
    pub capability: Option<PointerBuf>,
    /// The place of the credits in the response, from the outermost object.
    pub credits: PointerBuf,
}

impl Default for EstimateDialect {
    fn default() -> Self {
        EstimateDialect {
            input: None,
            capability: None,
            credits: at("/data/credits"),
        }
    }
}

/// The parts of a request for an estimate.
pub(crate) struct EstimateRequest {
    /// The place of the capability's name, as problems write it.
    pub(crate) path: String,
    /// The capability's name, or `None` if the dialect does not require one. It is empty if the
    /// request lacks a required name.
    pub(crate) capability: Option<String>,
    /// The body of the create.
    pub(crate) input: Value,
}

impl EstimateDialect {
    /// Reads the body of a request.
    pub(crate) fn request(&self, body: &Value) -> EstimateRequest {
        let default = at("/capability");
        let named = self.input.is_none() && body.get("capability").is_some_and(Value::is_string);
        let capability = self.capability.as_ref().or(named.then_some(&default));
        let input = match &self.input {
            Some(input) => body.pointer(input.as_str()),
            None if named => body.get("input"),
            None => Some(body),
        };
        EstimateRequest {
            path: capability.map(|place| dotted(place)).unwrap_or_default(),
            capability: capability.map(|place| {
                body.pointer(place.as_str())
                    .and_then(Value::as_str)
                    .unwrap_or_default()
                    .into()
            }),
            input: input.cloned().unwrap_or_default(),
        }
    }
}
