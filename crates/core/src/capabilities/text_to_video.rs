//! `text_to_video`, an extension: the document has no video from only a prompt. Its fields
//! have the rules of `image_to_video` and `text_to_image` (§4.2).

use super::shared::*;

pub(super) static CAPABILITY: Capability = Capability::new(
    "generate/video/text_to_video",
    &[
        Field::new("prompt", Kind::FilledText)
            .required()
            .doc("The content and the motion of the video; must not be empty.")
            .example("\"a lighthouse at dusk, slow push in\""),
        ASPECT_RATIO,
        clarity(&["720P", "1080P"]),
        DURATION_SECONDS,
        // Without a default, because a form would send it, and a service need not accept -1.
        SEED,
    ],
)
.doc("Text to video", "Makes a video from a text prompt.")
.keywords(&["clip", "film", "scene"])
.extension();
