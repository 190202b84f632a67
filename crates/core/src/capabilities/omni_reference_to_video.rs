use super::shared::*;

pub(super) static CAPABILITY: Capability = Capability::new(
    "generate/video/omni_reference_to_video",
    &[
        Field::new("prompt", Kind::FilledText)
            .required()
            .doc("The action in the video.")
            .example("\"the two characters meet on a bridge\""),
        Field::new("image_file_ids", Kind::Files(FileKind::Image)).doc("Reference images."),
        Field::new("video_file_ids", Kind::Files(FileKind::Video)).doc(
            "Reference videos; one model takes none, another at most 15 seconds of video and \
             audio together.",
        ),
        Field::new("audio_file_ids", Kind::Files(FileKind::Audio))
            .doc("Reference audio, limited together with `video_file_ids`."),
        ASPECT_RATIO,
        clarity(&[]),
        DURATION_SECONDS,
    ],
)
.doc(
    "Video from references",
    "Makes a video from a prompt and reference images, videos or audio, at least one of them.",
)
.keywords(&["character", "consistency", "clip"])
.any_of(&["image_file_ids", "video_file_ids", "audio_file_ids"])
.codes(&OMNI_CODES);
