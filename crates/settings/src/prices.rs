use std::collections::BTreeMap;

use mediagate_access::identity::Credits;
use mediagate_core::{Capability, find};
use serde_json::{Map, Value};

/// The highest amount of a price, in credits.
const MAX_AMOUNT: f64 = 1e6;
/// The longest length of a price, in seconds.
const MAX_SECONDS: f64 = 86_400.0;

/// The capabilities whose results are as long as a sound, whatever the request states.
const AS_LONG_AS_A_SOUND: [&str; 3] = ["audio_driven", "image_audio_driven", "mv_director"];

/// The words in names of fields beyond the document that may change what a create costs.
const LENGTH_WORDS: [&str; 6] = ["duration", "second", "length", "frame", "fps", "time"];
const CLARITY_WORDS: [&str; 5] = ["clarity", "resolution", "quality", "size", "pixel"];
const MODEL_WORDS: [&str; 2] = ["model", "version"];

/// What creates cost, by capability.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Prices(BTreeMap<String, Row>);

/// The prices of a capability, or of one of its models.
#[derive(Clone, Debug, Default, PartialEq)]
struct Row {
    own: Rate,
    /// By the folded value of `clarity` or `resolution`.
    clarity: BTreeMap<String, Rate>,
    /// By `model_id`. Empty for a model.
    models: BTreeMap<String, Row>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Rate {
    credits: Option<f64>,
    per_second: Option<f64>,
    /// The length that the service takes if the request states none.
    seconds: Option<f64>,
    /// The price if the length is unknown.
    most: Option<f64>,
}

#[derive(Clone, Copy)]
enum Length {
    Stated(f64),
    /// The request states no length, so the service takes its own.
    Unstated,
    /// The length follows from a file, or from a field whose meaning nobody knows.
    Unknown,
}

impl Prices {
    /// Reads a JSON object from capabilities to prices. The error is the rest of a sentence about
    /// the setting, and names the path of the mistake.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let all: Map<String, Value> =
            serde_json::from_str(text).map_err(|error| format!("is not a JSON object: {error}"))?;
        let mut rows = BTreeMap::new();
        for (name, row) in all {
            if find(&name).is_none() {
                return Err(format!(
                    "names {name:?}, which is not a capability; give the name of one"
                ));
            }
            let row = Row::read(&name, &row, true)?;
            let has_sound = AS_LONG_AS_A_SOUND.contains(&&*name);
            let has_no_most = |rate: &Rate| rate.per_second.is_some() && rate.most.is_none();
            if has_sound && row.rates().any(has_no_most) {
                return Err(format!(
                    "has a price by second at {name}, whose length is that of a sound; give most \
                     beside it"
                ));
            }
            rows.insert(name, row);
        }
        Ok(Prices(rows))
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the price of a valid body. `None` if the table does not tell.
    pub fn expected(&self, capability: &Capability, body: &Value) -> Option<Credits> {
        let row = self.0.get(capability.name())?;
        let length = length(capability, body);
        let mut highest: f64 = 0.0;
        for rate in row.rates_of(capability, body) {
            // The price is unknown if that of any possible rate is.
            highest = highest.max(rate.price(length)?);
        }
        Credits::from_number(highest)
    }
}

impl Row {
    fn read(path: &str, row: &Value, may_have_models: bool) -> Result<Self, String> {
        let mut own = row
            .as_object()
            .cloned()
            .ok_or_else(|| format!("has no object at {path}"))?;
        if own.is_empty() {
            return Err(format!(
                "has an empty object at {path}; give credits, per_second, most, clarity or models"
            ));
        }
        let clarity = members(path, "clarity", own.remove("clarity"))?;
        let clarity = clarity.into_iter().map(|(name, path, rate)| {
            let rate = rate.as_object().ok_or(format!("has no object at {path}"))?;
            Ok((fold(&name), Rate::read(&path, rate)?))
        });
        let clarity: BTreeMap<_, _> = clarity.collect::<Result<_, String>>()?;
        let mut models = BTreeMap::new();
        if may_have_models {
            for (name, path, row) in members(path, "models", own.remove("models"))? {
                models.insert(name, Row::read(&path, &row, false)?);
            }
        }
        Ok(Row {
            own: Rate::read(path, &own)?,
            clarity,
            models,
        })
    }

    fn rates(&self) -> impl Iterator<Item = &Rate> {
        let of_models = self
            .models
            .values()
            .flat_map(|model| [&model.own].into_iter().chain(model.clarity.values()));
        [&self.own]
            .into_iter()
            .chain(self.clarity.values())
            .chain(of_models)
    }

    /// Returns the rates that a body may have. There are several if it does not tell.
    fn rates_of(&self, capability: &Capability, body: &Value) -> Vec<Rate> {
        self.rows_of(capability, body)
            .into_iter()
            .flat_map(|row| row.by_clarity(capability, body))
            .collect()
    }

    fn rows_of(&self, capability: &Capability, body: &Value) -> Vec<&Row> {
        let is_hidden = has_alike(capability, body, &MODEL_WORDS) || !body["model"].is_null();
        let model = body["model_id"].as_str().or(capability.default_model);
        match model {
            _ if self.models.is_empty() => vec![self],
            _ if is_hidden => [self].into_iter().chain(self.models.values()).collect(),
            Some(model) => vec![self.models.get(model).unwrap_or(self)],
            None if self.own.is_set() || !self.clarity.is_empty() => vec![self],
            None => self.models.values().collect(),
        }
    }

    fn by_clarity(&self, capability: &Capability, body: &Value) -> Vec<Rate> {
        if self.clarity.is_empty() {
            return vec![self.own];
        }
        let listed = self.clarity.values().copied();
        if has_alike(capability, body, &CLARITY_WORDS) {
            let own = self.own.is_set().then_some(self.own);
            return own.into_iter().chain(listed).collect();
        }
        let stated: Vec<Rate> = ["clarity", "resolution"]
            .iter()
            .filter_map(|name| body[*name].as_str())
            .map(|value| self.clarity.get(&fold(value)).copied().unwrap_or(self.own))
            .collect();
        match stated.is_empty() {
            false => stated,
            true if self.own.is_set() => vec![self.own],
            true => listed.collect(),
        }
    }
}

impl Rate {
    fn read(path: &str, members: &Map<String, Value>) -> Result<Self, String> {
        let mut rate = Rate::default();
        for (name, value) in members {
            let (slot, max) = match &**name {
                "credits" => (&mut rate.credits, MAX_AMOUNT),
                "per_second" => (&mut rate.per_second, MAX_AMOUNT),
                "most" => (&mut rate.most, MAX_AMOUNT),
                "seconds" => (&mut rate.seconds, MAX_SECONDS),
                _ => {
                    return Err(format!(
                        "has {path}.{name}, which is no part of a price; give credits, \
                         per_second, seconds, most, clarity or models"
                    ));
                }
            };
            let number = value.as_f64().filter(|number| {
                (0.0..=max).contains(number) && (name != "seconds" || *number > 0.0)
            });
            let problem = || format!("has {path}.{name}, which is not a number from 0 to {max}");
            *slot = Some(number.ok_or_else(problem)?);
        }
        Ok(rate)
    }

    fn is_set(&self) -> bool {
        self.credits.or(self.per_second).or(self.most).is_some()
    }

    fn price(&self, length: Length) -> Option<f64> {
        let fixed = self.credits.unwrap_or_default();
        let Some(per_second) = self.per_second else {
            return self.credits.or(self.most);
        };
        let seconds = match length {
            Length::Stated(seconds) => Some(seconds),
            Length::Unstated => self.seconds,
            Length::Unknown => None,
        };
        seconds
            .map(|seconds| fixed + per_second * seconds)
            .or(self.most)
    }
}

/// Returns the length of what a valid body creates.
fn length(capability: &Capability, body: &Value) -> Length {
    // The length of the parts of a split video is in its segments, in several forms.
    let is_of_file =
        AS_LONG_AS_A_SOUND.contains(&capability.name()) || body.get("segments").is_some();
    if is_of_file || has_alike(capability, body, &LENGTH_WORDS) {
        return Length::Unknown;
    }
    match body["duration_seconds"].as_f64() {
        Some(seconds) if seconds > 0.0 => Length::Stated(seconds),
        // Validation only warns of these, and nobody knows what the service takes instead.
        Some(_) => Length::Unknown,
        None => Length::Unstated,
    }
}

/// Returns true if a field that the document does not list has a name with one of the words.
fn has_alike(capability: &Capability, body: &Value, words: &[&str]) -> bool {
    let mut names = body.as_object().into_iter().flat_map(Map::keys);
    names.any(|name| {
        let folded = fold(name);
        capability.field(name).is_none() && words.iter().any(|word| folded.contains(word))
    })
}

/// Returns the letters and digits in lower case.
fn fold(text: &str) -> String {
    text.chars()
        .filter(char::is_ascii_alphanumeric)
        .map(|letter| letter.to_ascii_lowercase())
        .collect()
}

/// Returns the members of an object inside a price, with their paths.
fn members(
    path: &str,
    name: &str,
    value: Option<Value>,
) -> Result<Vec<(String, String, Value)>, String> {
    let path = format!("{path}.{name}");
    match value {
        None => Ok(Vec::new()),
        Some(Value::Object(all)) => Ok(all
            .into_iter()
            .map(|(name, value)| {
                let path = format!("{path}.{name}");
                (name, path, value)
            })
            .collect()),
        Some(_) => Err(format!("has no object at {path}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn prices() -> Prices {
        let table = json!({
            "text_to_image": {"credits": 4},
            "text_to_video": {"models": {"a": {"credits": 3}, "b": {"credits": 7}}},
            "image_to_video": {
                "per_second": 10, "seconds": 5, "most": 900,
                "clarity": {"4K": {"per_second": 40}},
                "models": {"veo-3": {"credits": 1, "per_second": 60.5, "seconds": 8}}
            },
            "mv_director": {"per_second": 5, "most": 800}
        });
        Prices::parse(&table.to_string()).expect("a table")
    }

    #[test]
    fn a_body_costs_what_its_length_model_and_clarity_say() {
        let price = |name: &str, body: Value| -> Value {
            let capability = find(name).expect("a capability");
            json!(prices().expected(capability, &body))
        };
        for (name, body, expected) in [
            ("text_to_image", json!({"prompt": "p"}), json!(4)),
            ("text_to_image", json!({"duration_seconds": 9}), json!(4)),
            ("image_to_video", json!({"duration_seconds": 6}), json!(60)),
            ("image_to_video", json!({"duration_seconds": 0}), json!(900)),
            (
                "image_to_video",
                json!({"duration_seconds": -5}),
                json!(900),
            ),
            ("image_to_video", json!({}), json!(50)),
            // The document does not list this field, and the service may take it as the length.
            (
                "image_to_video",
                json!({"duration_seconds": 5, "video_length": 60}),
                json!(900),
            ),
            (
                "image_to_video",
                json!({"duration_seconds": 2, "clarity": "4k "}),
                json!(80),
            ),
            ("image_to_video", json!({"clarity": "4K"}), json!(null)),
            (
                "image_to_video",
                json!({"clarity": "720P", "duration_seconds": 2}),
                json!(20),
            ),
            (
                "image_to_video",
                json!({"duration_seconds": 2, "max_quality": true}),
                json!(80),
            ),
            ("image_to_video", json!({"model_id": "veo-3"}), json!(485)),
            ("image_to_video", json!({"model_id": "other"}), json!(50)),
            (
                "image_to_video",
                json!({"duration_seconds": 2, "model_version": "veo-3"}),
                json!(122),
            ),
            ("mv_director", json!({"duration_seconds": 5}), json!(800)),
            ("text_to_video", json!({"model_id": "a"}), json!(3)),
            ("text_to_video", json!({"model_id": "c"}), json!(null)),
            ("head_swap", json!({}), json!(null)),
        ] {
            assert_eq!(price(name, body.clone()), expected, "{name} {body}");
        }
        let capability = find("text_to_video").expect("a capability");
        if capability.default_model.is_none() {
            assert_eq!(price("text_to_video", json!({})), json!(7), "the dearest");
        }
    }

    #[test]
    fn a_mistake_is_named_with_its_path() {
        for (table, path) in [
            (json!([]), "is not a JSON object"),
            (json!({"text_to_imag": {"credits": 1}}), "\"text_to_imag\""),
            (json!({"text_to_image": 4}), "at text_to_image"),
            (json!({"text_to_image": {}}), "at text_to_image"),
            (
                json!({"text_to_image": {"credits": -1}}),
                "text_to_image.credits",
            ),
            (
                json!({"text_to_image": {"credit": 1}}),
                "text_to_image.credit,",
            ),
            (
                json!({"image_to_video": {"per_second": 1, "seconds": 0}}),
                "image_to_video.seconds",
            ),
            (
                json!({"image_to_video": {"models": {"m": {"per_second": "1"}}}}),
                "image_to_video.models.m.per_second",
            ),
            (
                json!({"image_to_video": {"models": {"m": {"models": {}}}}}),
                "image_to_video.models.m.models",
            ),
            (
                json!({"image_to_video": {"clarity": {"4K": {"clarity": {}}}}}),
                "image_to_video.clarity.4K.clarity",
            ),
            (json!({"mv_director": {"per_second": 1}}), "at mv_director"),
        ] {
            let problem = Prices::parse(&table.to_string()).expect_err("a mistake");
            assert!(problem.contains(path), "{problem}");
        }
    }
}
