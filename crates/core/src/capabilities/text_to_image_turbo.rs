//! `text_to_image_turbo` (§4.2). Its default model and its sample prompt are not shown.

use super::shared::*;

pub(super) static CAPABILITY: Capability = Capability::new(
    "generate/image/text_to_image_turbo",
    &[
        Field::new("prompt", Kind::FilledText)
            .required()
            .doc("The content of the picture.")
            .example("\"a paper boat on a puddle\""),
        NEGATIVE_PROMPT,
        side("height").default("1024"),
        side("width").default("1024"),
    ],
)
.doc(
    "Text to image, turbo",
    "Draws a picture from a text prompt, faster and with fewer settings.",
)
.keywords(&["photo", "quick"])
.codes(&COMMON_CODES);
