use super::shared::*;

pub(super) static CAPABILITY: Capability = Capability::new(
    "process/video/add_audio_to_video",
    &[
        Field::new("video_file_id", Kind::File(FileKind::Video))
            .required()
            .doc("The video."),
        Field::new("audio_file_id", Kind::File(FileKind::Audio))
            .required()
            .doc("The new sound."),
    ],
)
.doc(
    "Add audio to video",
    "Replaces or adds the sound of a video.",
)
.keywords(&["music", "soundtrack", "voice-over", "dub", "mux"])
.default_model("add-audio-to-video-default")
.codes(&COMMON_CODES);
