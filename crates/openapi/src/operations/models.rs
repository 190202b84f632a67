//! The media service's models, and the estimate of a create's cost.

use crate::capability::input_name;
use crate::parts::{Operation, RequestBody};
use mediagate_core::{CAPABILITIES, Capability};
use mediagate_schema::{self as schema, Ids};
use serde_json::json;

use crate::builder::Builder;
use crate::content::Content;
use crate::operation::operation;

const TAG: &str = "Models and credits";
const SUCCESS: &str = "The media service's `data`.";

/// `GET /api/app/v1/models`.
pub(super) fn models(builder: &Builder) -> Operation {
    let about = "The media service's model catalogue, if the operator has configured its path. If \
        the gateway can read it, `models` lists the models, each with `model_id`, `capability` if \
        it is known, and in `generation_options` the values that it takes, by field; `assets` \
        lists the avatars and voices that the caller may use, each with `asset_id`, and with \
        `category` (`avatar` or `voice`) if it is known: those of the media service's own list, if \
        it has one, of the token's claim and of the operator's setting. Everything else is the \
        media service's own, and not documented.";
    let options = json!({"width": [512, 1024]});
    let model = json!({"model_id": "text-to-image-default", "generation_options": options});
    let content = Content::envelope(json!({}), &json!({ "models": [model] }));
    let success = builder.response(SUCCESS, content, &[]);
    operation(TAG, "listModels", "List the models", about, success)
}

/// `GET /api/app/v1/capabilities`.
pub(super) fn capabilities(builder: &Builder) -> Operation {
    let about = "The capabilities that this gateway offers. Each has in `models` the models that \
        serve it, with the values that each accepts in `values`, by field; the list is empty if \
        the media service has no catalogue that the gateway can read. `is_extension` marks a \
        capability that the media service's document does not have. `limits` has the limits of the \
        session on values, if there are any; what they forbid is not listed.";
    let schema = json!({
        "type": "object",
        "properties": {
            "capabilities": {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {
                        "capability": {"type": "string"},
                        "is_extension": {"type": "boolean"},
                        "models": {
                            "type": "array",
                            "items": {
                                "type": "object",
                                "properties": {
                                    "model_id": {"type": "string"},
                                    "values": {
                                        "type": "object",
                                        "additionalProperties": {"type": "array", "items": {}},
                                    },
                                },
                                "required": ["model_id", "values"],
                            },
                        },
                    },
                    "required": ["capability", "is_extension", "models"],
                },
            },
            "limits": {
                "type": "object",
                "properties": {
                    "models": {"type": "array", "items": {"type": "string"}},
                    "max_seconds": {"type": "integer"},
                    "clarities": {"type": "array", "items": {"type": "string"}},
                    "max_pixels": {"type": "integer"},
                    "max_prompt_chars": {"type": "integer"},
                },
            },
        },
        "required": ["capabilities"],
    });
    let model = json!({"model_id": "text-to-image-default", "values": {"width": [512, 1024]}});
    let offered = json!({"capability": "text_to_image", "is_extension": false, "models": [model]});
    let content = Content::envelope(schema, &json!({"capabilities": [offered]}));
    let success = builder.response("The capabilities.", content, &[]);
    operation(
        TAG,
        "listCapabilities",
        "List the capabilities",
        about,
        success,
    )
}

/// `POST /api/app/v1/credits/estimate`.
pub(super) fn estimate(builder: &mut Builder) -> Operation {
    let about = "The cost of a create with the same input, if the operator has configured the path \
        of the media service's estimate. The gateway validates the input as it does for the \
        create; nothing is charged. The media service does not document its response.\n\nScope of \
        the session token: the capability's.";
    // One alternative for each capability, since each has its own input.
    let alternative = |capability: &&Capability| {
        let name = input_name(capability);
        let input = json!({"$ref": format!("#/components/schemas/{name}")});
        json!({
            "type": "object",
            "properties": {"capability": {"const": capability.name()}, "input": input},
            "required": ["capability", "input"],
        })
    };
    let request = json!({"oneOf": CAPABILITIES.iter().map(alternative).collect::<Vec<_>>()});
    let request = builder
        .document
        .component("schemas", "EstimateInput", request);
    let examples = CAPABILITIES.iter().map(|capability| {
        let input = schema::example(capability, Ids::Sealed, false);
        let request = json!({"capability": capability.name(), "input": input});
        (capability.name(), request)
    });
    let content = Content::envelope(json!({}), &json!({"credits": 4}));
    let success = builder.response(SUCCESS, content, &[]);
    Operation {
        body: Some(RequestBody::json(request, examples.collect())),
        ..operation(TAG, "estimateCredits", "Estimate credits", about, success)
    }
}
