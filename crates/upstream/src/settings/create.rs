//! The shapes of a create's body that the document leaves open (§4.3).

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use mediagate_core::{Capability, Kind, object};

/// The shapes of the fields that the document describes in more than one way. Callers may use any.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct CreateDialect {
    /// `region`: one object, or members of the body such as `region.x`. The document has
    /// "`region.x`, `region.y` …".
    pub region: RegionShape,
    /// `video_size`: a list, or an object. The document has "object (original size hint as
    /// [width, height])".
    pub video_size: SizeShape,
}

/// The shape of a region.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RegionShape {
    /// `"region": {"x": 0, …}`.
    #[default]
    Nested,
    /// `"region.x": 0, …`.
    Dotted,
}

/// The shape of a size.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SizeShape {
    /// `[width, height]`.
    #[default]
    List,
    /// `{"width": …, "height": …}`.
    Object,
}

impl CreateDialect {
    /// Converts a valid body to the dialect's shapes. A field in an unknown shape stays unchanged.
    pub fn shape(&self, capability: &Capability, body: &mut Map<String, Value>) {
        for field in capability.fields() {
            match field.kind {
                Kind::Region => self.region(field.name, body),
                Kind::VideoSize => {
                    if let Some(size) = body.get_mut(field.name) {
                        self.size(size);
                    }
                }
                _ => {}
            }
        }
    }

    fn region(&self, name: &str, body: &mut Map<String, Value>) {
        let dotted = |side: &str| [name, ".", side].concat();
        let is_given = body.contains_key(name);
        let mut region = match body.remove(name) {
            Some(Value::Object(region)) => region,
            Some(other) => return drop(body.insert(name.to_string(), other)),
            None => Map::new(),
        };
        for member in Kind::Region.members() {
            if let Some(value) = body.remove(&dotted(member.name)) {
                region.insert(member.name.to_string(), value);
            }
        }
        match self.region {
            // The caller gave no region, so none is sent. An empty region of the caller's is sent.
            RegionShape::Nested if region.is_empty() && !is_given => {}
            RegionShape::Nested => drop(body.insert(name.to_string(), Value::Object(region))),
            RegionShape::Dotted => body.extend(
                region
                    .into_iter()
                    .map(|(side, value)| (dotted(&side), value)),
            ),
        }
    }

    fn size(&self, size: &mut Value) {
        let other = match (&*size, self.video_size) {
            (Value::Array(sides), SizeShape::Object) if sides.len() == 2 => {
                let sides = ["width", "height"]
                    .into_iter()
                    .zip(sides)
                    .map(|(name, side)| (name.to_string(), side.clone()));
                Some(Value::Object(object(sides)))
            }
            (Value::Object(sides), SizeShape::List) if sides.len() == 2 => ["width", "height"]
                .into_iter()
                .map(|side| sides.get(side).cloned())
                .collect::<Option<_>>()
                .map(Value::Array),
            _ => None,
        };
        if let Some(other) = other {
            *size = other;
        }
    }
}
