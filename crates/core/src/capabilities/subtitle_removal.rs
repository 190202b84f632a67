use super::shared::*;

pub(super) static CAPABILITY: Capability = Capability::new(
    "process/video/subtitle_removal",
    &[
        Field::new("file_id", Kind::File(FileKind::Video))
            .required()
            .doc("The video."),
        REGION,
    ],
)
.doc(
    "Remove subtitles",
    "Removes burnt-in subtitles from a video.",
)
.keywords(&[
    "caption",
    "captions",
    "text",
    "burned-in",
    "erase",
    "hardsub",
])
.documented_model("video-subtitle-removal-standard")
.codes(&COMMON_CODES);
