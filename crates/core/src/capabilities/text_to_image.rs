//! `text_to_image` (§4.2). The document shows no response for it and lists no codes.

use super::shared::*;

pub(super) static CAPABILITY: Capability = Capability::new(
    "generate/image/text_to_image",
    &[
        Field::new("prompt", Kind::FilledText)
            .required()
            .doc("The content of the picture.")
            .example("\"a lighthouse at dusk\""),
        NEGATIVE_PROMPT,
        side("height").default("1024"),
        side("width").default("1024"),
        SEED.default("-1"),
        Field::new("num_inference_steps", Kind::Integer)
            .doc("Steps of refinement.")
            .default("9"),
        Field::new("guidance_scale", Kind::Number)
            .doc("The degree to which the picture follows the prompt.")
            .default("0.0"),
        Field::new("cfg_normalization", Kind::Boolean)
            .doc("Normalises the guidance.")
            .default("false"),
        Field::new("cfg_truncation", Kind::Number)
            .doc("The point at which the guidance is cut off.")
            .default("1.0"),
        Field::new("max_sequence_length", Kind::Integer)
            .doc("Maximum text sequence length.")
            .default("512"),
    ],
)
.doc("Text to image", "Draws a picture from a text prompt.")
.keywords(&["photo", "illustration", "poster"])
.default_model("text-to-image-default")
.may_omit_task();
