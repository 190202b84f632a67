use mediagate_core::{Capability, FileKind, Group, Issue, IssueReason, Kind, Severity};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Limits on the values of a create. An absent limit does not restrict. A value that a limit is
/// about and that the request does not state is refused, unless its documented default is allowed:
/// the media service chooses it, and may choose more.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ValueLimits {
    /// The ids of the models that may be used.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub models: Option<Vec<String>>,
    /// The longest generated video, in seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_seconds: Option<u32>,
    /// The labels of `clarity` and `resolution` that may be used. The case of letters is ignored.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clarities: Option<Vec<String>>,
    /// The largest product of `width` and `height`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_pixels: Option<u32>,
    /// The most characters of each text that describes the result, or is spoken in it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_prompt_chars: Option<u32>,
}

const LABELS: [&str; 2] = ["clarity", "resolution"];

const TEXTS: [&str; 5] = [
    "prompt",
    "negative_prompt",
    "text",
    "prompt_text",
    "persona",
];

/// Parts of the names of fields that the document does not list and that may change the length.
const LENGTH_NAMES: [&str; 7] = [
    "duration", "sec", "minute", "time", "length", "frame", "fps",
];

const SIZE_NAMES: [&str; 9] = [
    "width",
    "height",
    "size",
    "resolution",
    "clarity",
    "quality",
    "pixel",
    "dimension",
    "upscale",
];

const MODEL_NAMES: [&str; 2] = ["model", "version"];

/// The most allowed values that a message lists.
const MAX_LISTED: usize = 20;

impl ValueLimits {
    /// The fields with values that [`ValueLimits::allow_value`] may forbid.
    pub const FIELDS: [&str; 3] = ["clarity", "resolution", "duration_seconds"];

    /// Reads a claim such as `{"max_seconds": 5, "clarities": ["720P"]}`. Returns `None` for an
    /// unreadable limit, which must not be ignored.
    pub fn read(claim: Option<&Value>) -> Option<Self> {
        let Some(claim) = claim else {
            return Some(ValueLimits::default());
        };
        // Otherwise `null` would be read as an absent limit.
        if claim.as_object()?.values().any(Value::is_null) {
            return None;
        }
        ValueLimits::deserialize(claim).ok()
    }

    /// True if nothing is limited.
    pub fn is_unlimited(&self) -> bool {
        *self == ValueLimits::default()
    }

    /// Checks the documented fields of a valid body. Returns an issue for each value that the
    /// limits forbid.
    pub fn check(&self, capability: &Capability, body: &Value) -> Vec<Issue> {
        let mut issues = Vec::new();
        let fields = Fields { capability, body };
        if let Some(models) = &self.models {
            check_model(&fields, models, &mut issues);
        }
        if let Some(max) = self.max_seconds
            && has_length(capability)
        {
            issues.extend(length_issue(&fields, max));
        }
        if let Some(labels) = &self.clarities {
            for name in LABELS.into_iter().filter(|name| fields.has(name)) {
                let value = fields.value(name);
                let label = value.as_ref().and_then(Value::as_str);
                if !label.is_some_and(|label| lists(labels, label)) {
                    issues.push(issue(name, &one_of(labels)));
                }
            }
        }
        if let Some(max) = self.max_pixels
            && fields.has("width")
            && fields.has("height")
        {
            let pixels = fields.positive("width").zip(fields.positive("height"));
            if !pixels.is_some_and(|(width, height)| width * height <= f64::from(max)) {
                let message = format!(
                    "times height is not within the {max} pixels that this session may use; \
                     give smaller ones"
                );
                issues.push(issue("width", &message));
            }
        }
        if let Some(max) = self.max_prompt_chars {
            let is_long = |name: &&str| is_longer(&body[*name], max);
            let long = TEXTS.into_iter().filter(is_long);
            issues.extend(long.map(|name| text_issue(name, max)));
        }
        issues
    }

    /// Checks a field that the document does not list, whose meaning the gateway does not know. It
    /// is refused if the name of the field, or of a member of it, resembles a value that is
    /// limited.
    pub fn check_extra(&self, capability: &Capability, name: &str, value: &Value) -> Option<Issue> {
        let is_length = self.max_seconds.is_some() && has_length(capability);
        let is_size = self.max_pixels.is_some() || self.clarities.is_some();
        let rules: [(bool, &[&str], &str); 3] = [
            (self.models.is_some(), &MODEL_NAMES, "model"),
            (is_length, &LENGTH_NAMES, "length"),
            (is_size, &SIZE_NAMES, "size"),
        ];
        for (is_limited, parts, meaning) in rules {
            if is_limited && resembles(name, value, parts) {
                let message = format!(
                    "may change the {meaning}, which is limited in this session; leave it out"
                );
                return Some(issue(name, &message));
            }
        }
        let max = self.max_prompt_chars?;
        is_longer(value, max).then(|| text_issue(name, max))
    }

    /// Returns false for a capability whose creates are all refused.
    pub fn allow_capability(&self, capability: &Capability) -> bool {
        let is_limited = self.max_seconds.is_some() && has_length(capability);
        !is_limited || sound_of(capability).is_none()
    }

    /// Returns true if the limits allow a model.
    pub fn allow_model(&self, id: &str) -> bool {
        let models = self.models.as_ref();
        models.is_none_or(|models| models.iter().any(|model| model == id))
    }

    /// Returns true if a value of a field may be allowed.
    pub fn allow_value(&self, field: &str, value: &Value) -> bool {
        match (&self.clarities, self.max_seconds) {
            (Some(labels), _) if LABELS.contains(&field) => {
                value.as_str().is_some_and(|label| lists(labels, label))
            }
            (_, Some(max)) if field == "duration_seconds" => {
                number(value).is_some_and(|seconds| seconds <= f64::from(max))
            }
            _ => true,
        }
    }
}

/// The documented fields of a body.
struct Fields<'a> {
    capability: &'a Capability,
    body: &'a Value,
}

impl Fields<'_> {
    fn has(&self, name: &str) -> bool {
        self.capability.field(name).is_some()
    }

    /// Returns a value that is neither `null` nor blank.
    fn stated(&self, name: &str) -> Option<&Value> {
        let value = self.body.get(name)?;
        let is_blank = value.as_str().is_some_and(|text| text.trim().is_empty());
        (!value.is_null() && !is_blank).then_some(value)
    }

    /// Returns the stated value, or the documented default.
    fn value(&self, name: &str) -> Option<Value> {
        self.stated(name).cloned().or_else(|| {
            let default = self.capability.field(name)?.default?;
            serde_json::from_str(default).ok()
        })
    }

    fn positive(&self, name: &str) -> Option<f64> {
        number(&self.value(name)?).filter(|number| *number > 0.0)
    }
}

fn check_model(fields: &Fields<'_>, models: &[String], issues: &mut Vec<Issue>) {
    let stated = fields.stated("model_id").and_then(Value::as_str);
    let id = stated.or(fields.capability.default_model);
    if !id.is_some_and(|id| models.iter().any(|model| model == id)) {
        issues.push(issue("model_id", &one_of(models)));
    }
    // A free label can select another model.
    if fields.has("model") && fields.stated("model").is_some() {
        let message = "is a label of a model, and the models of this session are limited; \
            leave it out";
        issues.push(issue("model", message));
    }
}

fn length_issue(fields: &Fields<'_>, max: u32) -> Option<Issue> {
    if let Some(sound) = sound_of(fields.capability) {
        let message = format!(
            "decides the length, which the gateway does not know, and this session may use {max} \
             seconds; use a capability with duration_seconds"
        );
        return Some(issue(sound, &message));
    }
    let seconds = fields.positive("duration_seconds");
    if seconds.is_some_and(|seconds| seconds <= f64::from(max)) {
        return None;
    }
    let problem = match seconds {
        Some(_) => "is too long for this session",
        None => "is not given, and the length is limited in this session",
    };
    Some(issue(
        "duration_seconds",
        &format!("{problem}; give 1 to {max}"),
    ))
}

/// Returns true for a capability that generates a video or a sound.
fn has_length(capability: &Capability) -> bool {
    capability.group() == Group::Generate && capability.medium() != "image"
}

/// Returns the name of a required sound. The video is as long as the sound, whatever else the
/// request states.
fn sound_of(capability: &Capability) -> Option<&'static str> {
    let mut fields = capability.fields();
    let sound = fields.find(|field| field.required && field.kind == Kind::File(FileKind::Audio))?;
    Some(sound.name)
}

fn lists(labels: &[String], label: &str) -> bool {
    labels
        .iter()
        .any(|listed| listed.trim().eq_ignore_ascii_case(label))
}

fn number(value: &Value) -> Option<f64> {
    match value {
        Value::String(text) => text.trim().parse().ok(),
        other => other.as_f64(),
    }
}

/// Returns true if a text, or the texts in a list or an object together, have more than `max`
/// characters.
fn is_longer(value: &Value, max: u32) -> bool {
    chars(value) > max as usize
}

fn chars(value: &Value) -> usize {
    match value {
        Value::String(text) => text.chars().count(),
        Value::Array(items) => items.iter().map(chars).sum(),
        Value::Object(members) => members
            .iter()
            .map(|(name, value)| name.chars().count() + chars(value))
            .sum(),
        _ => 0,
    }
}

/// Returns true if the name of a field, or of a member at any depth, contains one of the parts.
fn resembles(name: &str, value: &Value, parts: &[&str]) -> bool {
    let name = name.to_ascii_lowercase();
    if parts.iter().any(|part| name.contains(part)) {
        return true;
    }
    match value {
        Value::Array(items) => items.iter().any(|item| resembles("", item, parts)),
        Value::Object(members) => members
            .iter()
            .any(|(name, value)| resembles(name, value, parts)),
        _ => false,
    }
}

fn one_of(allowed: &[String]) -> String {
    let listed: Vec<&str> = allowed
        .iter()
        .map(String::as_str)
        .take(MAX_LISTED)
        .collect();
    match listed.as_slice() {
        [] => "has no value that this session may use; use a session with wider limits".to_owned(),
        listed => format!(
            "must be one that this session may use; give one of {}",
            listed.join(", ")
        ),
    }
}

fn text_issue(name: &str, max: u32) -> Issue {
    let message =
        format!("has more than the {max} characters that this session may use; shorten it");
    issue(name, &message)
}

fn issue(path: &str, message: &str) -> Issue {
    Issue {
        path: path.to_owned(),
        reason: IssueReason::Limit,
        message: message.to_owned(),
        severity: Severity::Error,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mediagate_core::{CAPABILITIES, find};
    use serde_json::json;

    fn limits(claim: Value) -> ValueLimits {
        ValueLimits::read(Some(&claim)).expect("readable")
    }

    /// Returns the paths of the issues that a body has under a limit.
    fn paths(claim: Value, capability: &str, body: Value) -> Vec<String> {
        let capability = find(capability).expect("a capability");
        let issues = limits(claim).check(capability, &body);
        issues
            .into_iter()
            .map(|issue| {
                assert_eq!(issue.reason, IssueReason::Limit);
                issue.path
            })
            .collect()
    }

    fn extra(claim: Value, capability: &str, name: &str, value: Value) -> bool {
        let capability = find(capability).expect("a capability");
        let issue = limits(claim).check_extra(capability, name, &value);
        issue.is_some_and(|issue| issue.path == name)
    }

    #[test]
    fn a_claim_is_read_whole_or_not_at_all() {
        assert_eq!(ValueLimits::read(None), Some(ValueLimits::default()));
        assert!(limits(json!({})).is_unlimited());
        let all = json!({
            "models": ["m"], "max_seconds": 5, "clarities": ["720P"], "max_pixels": 1_048_576,
            "max_prompt_chars": 0,
        });
        let read = limits(all.clone());
        assert_eq!(serde_json::to_value(&read).expect("JSON"), all);
        for name in mediagate_core::claims::VALUE_LIMITS {
            assert!(all.get(name).is_some(), "{name}");
        }
        for wrong in [
            json!(5),
            json!(null),
            json!([]),
            json!({"max_second": 5}),
            json!({"max_seconds": null}),
            json!({"max_seconds": "5"}),
            json!({"max_seconds": -1}),
            json!({"max_seconds": 2.5}),
            json!({"max_pixels": 5_000_000_000_u64}),
            json!({"models": "m"}),
            json!({"clarities": [720]}),
        ] {
            assert_eq!(ValueLimits::read(Some(&wrong)), None, "{wrong}");
        }
    }

    #[test]
    fn a_length_is_stated_and_within_the_limit() {
        let of = |capability: &str, body: Value| paths(json!({"max_seconds": 5}), capability, body);
        let refused = ["duration_seconds"];
        for capability in ["image_to_video", "text_to_video", "text_driven"] {
            for seconds in [json!(1), json!(5), json!(5.0)] {
                let body = json!({"duration_seconds": seconds});
                assert!(of(capability, body).is_empty(), "{capability}, {seconds}");
            }
            for seconds in [
                json!(6),
                json!(60),
                json!(5.5),
                json!(0),
                json!(-5),
                json!(null),
            ] {
                let body = json!({"duration_seconds": seconds});
                assert_eq!(of(capability, body), refused, "{capability}, {seconds}");
            }
            assert_eq!(of(capability, json!({})), refused, "{capability}");
        }
        // A sound decides, whatever the request states.
        for (capability, sound) in [
            ("audio_driven", "audio_file_id"),
            ("image_audio_driven", "prompt_audio_file_id"),
            ("mv_director", "prompt_audio_file_id"),
        ] {
            assert_eq!(of(capability, json!({"duration_seconds": 5})), [sound]);
        }
        // Neither a picture nor a video that exists has a length to choose.
        for capability in ["text_to_image", "resize_video", "split_video"] {
            assert!(of(capability, json!({})).is_empty(), "{capability}");
        }
    }

    #[test]
    fn a_model_is_listed_or_the_documented_default_is() {
        let of = |models: Value, capability: &str, body: Value| {
            paths(json!({"models": models}), capability, body)
        };
        let veo = || json!(["veo"]);
        for (models, capability, body, expected) in [
            (veo(), "image_to_video", json!({"model_id": "veo"}), vec![]),
            (veo(), "image_to_video", json!({}), vec!["model_id"]),
            (
                veo(),
                "image_to_video",
                json!({"model_id": " "}),
                vec!["model_id"],
            ),
            (
                veo(),
                "image_to_video",
                json!({"model_id": "Veo"}),
                vec!["model_id"],
            ),
            (veo(), "text_to_image", json!({}), vec!["model_id"]),
            (
                json!(["text-to-image-default"]),
                "text_to_image",
                json!({}),
                vec![],
            ),
            // The document names this one without calling it the default.
            (
                json!(["talking-video-text-standard"]),
                "text_driven",
                json!({}),
                vec!["model_id"],
            ),
            (
                veo(),
                "text_driven",
                json!({"model_id": "veo", "model": "v2"}),
                vec!["model"],
            ),
            (json!([]), "text_to_image", json!({}), vec!["model_id"]),
        ] {
            assert_eq!(
                of(models, capability, body.clone()),
                expected,
                "{capability} {body}"
            );
        }
    }

    #[test]
    fn a_label_is_listed_or_the_documented_default_is() {
        let of = |capability: &str, body: Value| {
            paths(json!({"clarities": ["480P", "720p "]}), capability, body)
        };
        for (capability, body, expected) in [
            ("image_to_video", json!({"clarity": "720P"}), vec![]),
            ("image_to_video", json!({"clarity": "480p"}), vec![]),
            (
                "image_to_video",
                json!({"clarity": "1080P"}),
                vec!["clarity"],
            ),
            (
                "image_to_video",
                json!({"clarity": "720P "}),
                vec!["clarity"],
            ),
            ("image_to_video", json!({"clarity": ""}), vec!["clarity"]),
            ("image_to_video", json!({}), vec!["clarity"]),
            ("image_audio_driven", json!({}), vec![]),
            (
                "image_audio_driven",
                json!({"resolution": "1080p"}),
                vec!["resolution"],
            ),
            ("text_to_image", json!({}), vec![]),
        ] {
            assert_eq!(
                of(capability, body.clone()),
                expected,
                "{capability} {body}"
            );
        }
    }

    #[test]
    fn pixels_are_the_product_of_both_sides_with_their_defaults() {
        let of = |max: u32, body: Value| paths(json!({"max_pixels": max}), "text_to_image", body);
        let all = 1024 * 1024;
        assert!(of(all, json!({})).is_empty());
        assert!(of(all, json!({"width": 2048, "height": 512})).is_empty());
        for body in [
            json!({"width": 1025}),
            json!({"width": 4_000_000_000_u64, "height": 4_000_000_000_u64}),
            json!({"width": -4096, "height": -4096}),
            json!({"width": 0}),
        ] {
            assert_eq!(of(all, body.clone()), ["width"], "{body}");
        }
        assert_eq!(of(all - 1, json!({})), ["width"]);
        let video = json!({"width": 640, "height": 360});
        let max = json!({"max_pixels": 640 * 360 - 1});
        assert_eq!(paths(max, "resize_video", video), ["width"]);
    }

    #[test]
    fn texts_are_counted_in_characters() {
        let of =
            |capability: &str, body: Value| paths(json!({"max_prompt_chars": 4}), capability, body);
        for (capability, name) in [
            ("image_to_video", "prompt"),
            ("text_to_image", "negative_prompt"),
            ("text_driven", "text"),
            ("image_audio_driven", "prompt_text"),
            ("mv_director", "persona"),
        ] {
            assert!(of(capability, json!({name: "äöüß"})).is_empty(), "{name}");
            assert_eq!(of(capability, json!({name: "abcde"})), [name]);
        }
    }

    #[test]
    fn an_extra_field_that_resembles_a_limited_value_is_refused() {
        let seconds = || json!({"max_seconds": 5});
        for name in ["duration", "videoLength", "num_frames", "FPS", "video_secs"] {
            assert!(extra(seconds(), "image_to_video", name, json!(1)), "{name}");
            assert!(!extra(seconds(), "text_to_image", name, json!(1)), "{name}");
        }
        let nested = json!([{"options": {"Duration": 60}}]);
        assert!(extra(seconds(), "image_to_video", "more", nested));
        assert!(!extra(
            seconds(),
            "image_to_video",
            "style",
            json!("duration")
        ));
        for claim in [json!({"max_pixels": 9}), json!({"clarities": ["720P"]})] {
            for name in ["width", "image_size", "outputQuality", "megapixels"] {
                assert!(
                    extra(claim.clone(), "image_to_video", name, json!(1)),
                    "{name}"
                );
            }
        }
        assert!(extra(
            json!({"models": ["m"]}),
            "image_to_video",
            "model_version",
            json!(1)
        ));
        let texts = || json!({"max_prompt_chars": 4});
        assert!(extra(
            texts(),
            "image_to_video",
            "style",
            json!(["abc", "de"])
        ));
        assert!(!extra(texts(), "image_to_video", "style", json!("abcd")));
        assert!(!extra(json!({}), "image_to_video", "duration", json!(60)));
    }

    #[test]
    fn only_capabilities_by_a_sound_have_no_length_to_limit() {
        let limits = limits(json!({"max_seconds": 5}));
        let mut out: Vec<_> = CAPABILITIES
            .iter()
            .filter(|capability| !limits.allow_capability(capability))
            .map(|capability| capability.name())
            .collect();
        out.sort_unstable();
        assert_eq!(out, ["audio_driven", "image_audio_driven", "mv_director"]);
    }
}
