//! The credit estimate (§4.1).

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::members::Members;

/// The credit estimate, which takes "the same parameters" as the create (§4.1).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct EstimateDialect {
    /// The members of the body: `{input}` is the create's body, `{capability}` the capability's
    /// name, `{path}` the create's path. The default is `{"...": "{input}"}`.
    pub request: Members,
}

impl EstimateDialect {
    pub(super) const PLACEHOLDERS: [&str; 3] = ["capability", "input", "path"];

    /// Returns the estimate of an upstream module. Its body has the capability's name as well.
    pub fn of_module() -> Self {
        EstimateDialect {
            request: Members::of(&[("...", "{input}"), ("capability", "{capability}")]),
        }
    }

    /// Returns the body of an estimate.
    pub fn body(&self, capability: &str, path: &str, input: &Value) -> Value {
        self.request.fill(|name| match name {
            "capability" => Some(capability.into()),
            "path" => Some(path.into()),
            // `Dialect::parse` accepts no placeholder but these and `input`.
            _ => Some(input.clone()),
        })
    }
}

impl Default for EstimateDialect {
    fn default() -> Self {
        EstimateDialect {
            request: Members::of(&[("...", "{input}")]),
        }
    }
}
