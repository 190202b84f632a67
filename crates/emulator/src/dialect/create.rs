//! The accepted shapes of `region` and `video_size` (§4.3).

use mediagate_core::{Capability, Kind};
use serde_json::Value;

use super::document::Dialect;
use crate::http::{Problem, Refusal};

impl Dialect {
    /// Checks the shapes of the fields in a body. Refuses with 12 and every field that has another
    /// shape.
    pub(crate) fn check_shapes(
        &self,
        capability: &Capability,
        body: &Value,
    ) -> Result<(), Refusal> {
        if !self.dotted {
            return Ok(());
        }
        let mut problems = Vec::new();
        for field in capability.fields() {
            let value = body.get(field.name).filter(|value| !value.is_null());
            let message = match (field.kind, value) {
                (Kind::Region, Some(_)) => "an object, not members such as region.x",
                (Kind::VideoSize, Some(value)) if !value.is_object() => "not an object",
                _ => continue,
            };
            problems.push(Problem::new(field.name, "wrong_shape", message));
        }
        if problems.is_empty() {
            Ok(())
        } else {
            Err(Refusal::invalid(problems))
        }
    }
}
