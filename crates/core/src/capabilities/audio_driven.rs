use super::shared::*;

pub(super) static CAPABILITY: Capability = Capability::new(
    "generate/video/audio_driven",
    &[
        Field::new("avatar_asset_id", Kind::Asset(AssetCategory::Avatar))
            .required()
            .doc("The avatar who speaks: one of your own, or an official public one."),
        Field::new("audio_file_id", Kind::File(FileKind::Audio))
            .required()
            .doc("The speech of the avatar, as an uploaded sound."),
        ASPECT_RATIO,
        clarity(&["1080P", "2K"]),
        DURATION_SECONDS,
        LINKS,
        MODEL_LABEL,
    ],
)
.doc(
    "Talking avatar from audio",
    "Makes a lip-synced video of an avatar from uploaded audio.",
)
.keywords(&["talking head", "presenter", "lipsync", "lip sync", "speech"])
.documented_model("talking-video-audio-standard")
.codes(&AUDIO_DRIVEN_CODES);
