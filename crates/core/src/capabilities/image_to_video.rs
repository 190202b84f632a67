//! `image_to_video` (§4.2). Below the Starter plan the default model is rejected with 1409 and
//! `data.paid_plan_required`.

use super::shared::*;

pub(super) static CAPABILITY: Capability = Capability::new(
    "generate/video/image_to_video",
    &[
        Field::new("file_id", Kind::File(FileKind::Image))
            .required()
            .doc("The picture to bring to life."),
        Field::new("prompt", Kind::FilledText)
            .required()
            .doc("The motion; must not be empty.")
            .example("\"slow push in\""),
        ASPECT_RATIO,
        clarity(&["720P", "1080P"]),
        DURATION_SECONDS,
    ],
)
.doc(
    "Image to video",
    "Makes a video from a picture and a motion prompt. The default model needs the Starter plan \
     and is billed per second of video.",
)
.keywords(&["animate", "photo", "clip"])
.codes(&IMAGE_TO_VIDEO_CODES);
