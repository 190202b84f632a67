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
    pub(crate) input: Map<String, Value>,
    pub(crate) model: Model,
    pub(crate) assets: Vec<Asset>,
    /// The files, by the field that names them.
    pub(crate) files: BTreeMap<&'static str, Vec<StoredFile>>,
    pub(crate) credits: u64,
}

impl CreateCommand {
    /// Returns a string field. Returns `None` if it is absent or blank.
    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        non_blank(&self.input, name)
    }

    pub(crate) fn integer(&self, name: &str) -> Option<i64> {
        let number = self.input.get(name)?;
        number
            .as_i64()
            .or_else(|| number.as_f64().map(|number| number as i64))
    }

    /// Returns a number field as a side in pixels. Returns `None` if it is absent or not positive.
    pub(crate) fn side(&self, name: &str) -> Option<u32> {
        let side = u32::try_from(self.integer(name)?).ok()?;
        (side > 0).then_some(side)
    }
}

/// Returns a string field of a body. Returns `None` if it is absent or blank.
pub(super) fn non_blank<'a>(input: &'a Map<String, Value>, name: &str) -> Option<&'a str> {
    input
        .get(name)?
        .as_str()
        .filter(|text| !text.trim().is_empty())
}
