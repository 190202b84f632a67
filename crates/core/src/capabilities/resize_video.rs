use super::shared::*;

pub(super) static CAPABILITY: Capability = Capability::new(
    "process/video/resize_video",
    &[
        Field::new("input_file_id", Kind::File(FileKind::Video))
            .required()
            .doc("The video."),
        side("width").required().example("640"),
        side("height").required().example("360"),
    ],
)
.doc("Resize video", "Brings a video to another size.")
.keywords(&[
    "scale",
    "crop",
    "dimensions",
    "resolution",
    "smaller",
    "larger",
    "aspect ratio",
])
.default_model("resize-video-default")
.codes(&COMMON_CODES);
