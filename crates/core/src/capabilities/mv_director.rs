//! `mv_director` (§4.2). The default of `persona` is not shown.

use super::shared::*;

pub(super) static CAPABILITY: Capability = Capability::new(
    "generate/video/mv_director",
    &[
        Field::new("prompt_image_file_id", Kind::File(FileKind::Image))
            .required()
            .doc("The portrait of the artist."),
        Field::new("prompt_audio_file_id", Kind::File(FileKind::Audio))
            .required()
            .doc("The track."),
        Field::new("persona", Kind::Text)
            .doc(
                "The character for the shot designer; left out, the media service describes a \
                 moody cinematic night drive.",
            )
            .example("\"a quiet night on a neon street\""),
    ],
)
.doc(
    "Music video",
    "Directs a music video from one track and one portrait.",
)
.keywords(&["song", "clip", "film"])
.default_model("mv-director-default")
.codes(&COMMON_CODES);
