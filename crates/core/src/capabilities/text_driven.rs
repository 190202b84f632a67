use super::shared::*;

pub(super) static CAPABILITY: Capability = Capability::new(
    "generate/video/text_driven",
    &[
        Field::new("avatar_asset_id", Kind::Asset(AssetCategory::Avatar))
            .required()
            .doc("The avatar who speaks: one of your own, or an official public one."),
        Field::new("voice_asset_id", Kind::Asset(AssetCategory::Voice))
            .required()
            .doc("The voice that reads the script, for the lip sync."),
        Field::new("text", Kind::FilledText)
            .required()
            .doc("The script; must not be empty.")
            .example("\"Welcome to our shop.\""),
        ASPECT_RATIO,
        clarity(&["1080P", "2K"]),
        DURATION_SECONDS,
        LINKS,
        MODEL_LABEL,
    ],
)
.doc(
    "Talking avatar from text",
    "Makes a video of an avatar that speaks a script with a chosen voice.",
)
.keywords(&[
    "talking head",
    "presenter",
    "lipsync",
    "lip sync",
    "speech",
    "say",
])
.documented_model("talking-video-text-standard")
.codes(&TEXT_DRIVEN_CODES);
