use super::shared::*;

pub(super) static CAPABILITY: Capability = Capability::new(
    "process/audio/adjust_audio_volume",
    &[
        Field::new("input_file_id", Kind::File(FileKind::Audio))
            .required()
            .doc("The sound."),
        Field::new("volume", Kind::Volume)
            .required()
            .doc("A multiplier such as 0.5, or decibels such as -6dB."),
    ],
)
.doc("Adjust volume", "Makes a sound louder or quieter.")
.keywords(&["loudness", "gain", "decibel", "normalise"])
.default_model("adjust-audio-volume-default")
.codes(&COMMON_CODES);
