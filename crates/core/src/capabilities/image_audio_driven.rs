use super::shared::*;

pub(super) static CAPABILITY: Capability = Capability::new(
    "generate/video/image_audio_driven",
    &[
        Field::new("prompt_text", Kind::FilledText)
            .required()
            .doc("The manner of speaking.")
            .example("\"speaks calmly to the camera\""),
        Field::new("prompt_image_file_id", Kind::File(FileKind::Image))
            .required()
            .doc("The person, as a reference image."),
        Field::new("prompt_audio_file_id", Kind::File(FileKind::Audio))
            .required()
            .doc("The speech of the person, as an uploaded sound."),
        Field::new("resolution", Kind::Text)
            .doc("Size to which frames are brought before generation.")
            .default("\"720p\"")
            .values(&["720p"]),
    ],
)
.doc(
    "Talking picture",
    "Makes a person in a picture speak an uploaded sound.",
)
.keywords(&[
    "talking photo",
    "singing",
    "lipsync",
    "lip sync",
    "animate",
    "portrait",
])
.default_model("image-audio-driven-video-default")
.codes(&COMMON_CODES);
