//! The create command.

use std::collections::BTreeMap;

use mediagate_core::Capability;
use serde_json::{Map, Value};

use crate::{
    scene::{Asset, Model},
    storage::StoredFile,
};

/// A validated create request, with everything that its ids refer to.
#[derive(Debug)]
pub(crate) struct CreateCommand {
    pub(crate) capability: &'static Capability,
    /// The body of the request.
    pub(crate) input: Map<String, Value>,
    pub(crate) model: Model,
    pub(crate) assets: Vec<Asset>,
    /// The files by the field that names them.
    pub(crate) files: BTreeMap<&'static str, Vec<StoredFile>>,
    /// The price of the task in credits.
    pub(crate) credits: u64,
}

impl CreateCommand {
    /// Returns the value of a string field, or `None` if it is absent or blank.
    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        non_blank(&self.input, name)
    }

    /// Returns the value of a number field as an integer, or `None` if it is absent.
    pub(crate) fn integer(&self, name: &str) -> Option<i64> {
        let number = self.input.get(name)?;
        number
            .as_i64()
            .or_else(|| number.as_f64().map(|number| number as i64))
    }
}

/// Returns the value of a string field of a body, or `None` if it is absent or blank.
pub(super) fn non_blank<'a>(input: &'a Map<String, Value>, name: &str) -> Option<&'a str> {
    input
        .get(name)?
        .as_str()
        .filter(|text| !text.trim().is_empty())
}
