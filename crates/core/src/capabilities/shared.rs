//! Fields that several capabilities share, and the code lists of §7.

pub(super) use crate::capability::Capability;
pub(super) use crate::code::Code;
pub(super) use crate::field::{AssetCategory, Field, FileKind, Kind};

pub(super) const ASPECT_RATIO: Field = Field::new("aspect_ratio", Kind::Choice)
    .doc("Shape of the picture, such as 16:9 or 9:16.")
    .values(&["16:9", "9:16"]);

/// Returns the field for a resolution, with the values that the document lists for one endpoint.
pub(super) const fn clarity(values: &'static [&'static str]) -> Field {
    Field::new("clarity", Kind::Choice)
        .doc("Resolution label.")
        .values(values)
        .example("\"1080P\"")
}

pub(super) const DURATION_SECONDS: Field =
    Field::new("duration_seconds", Kind::PositiveInt32).doc("Length of the video in seconds.");

pub(super) const LINKS: Field = Field::new("links", Kind::TextList).doc("Reference links.");

pub(super) const MODEL_LABEL: Field = Field::new("model", Kind::Text)
    .doc("Model label or version.")
    .example("\"v1\"");

pub(super) const NEGATIVE_PROMPT: Field = Field::new("negative_prompt", Kind::Text)
    .doc("Things that the picture should not show.")
    .example("\"blurry, watermark\"");

pub(super) const REGION: Field = Field::new("region", Kind::Region)
    .doc("The rectangle to work on: its top left corner and its size, in pixels.");

pub(super) const SEED: Field = Field::new("seed", Kind::Integer).doc("The seed; -1 generates one.");

/// Returns the field for a side of a picture, in pixels.
pub(super) const fn side(name: &'static str) -> Field {
    Field::new(name, Kind::PositiveInteger).doc("In pixels.")
}

/// Joins two lists. `concat` of slices is not available in a constant.
const fn concat<const A: usize, const B: usize, const N: usize>(
    a: [Code; A],
    b: [Code; B],
) -> [Code; N] {
    let mut all = [Code::OK; N];
    let mut i = 0;
    while i < N {
        all[i] = if i < A { a[i] } else { b[i - A] };
        i += 1;
    }
    all
}

const BASE: [Code; 10] = [
    Code::OK,
    Code::INVALID_INPUT,
    Code::INVALID_MODEL,
    Code::PAID_PLAN_REQUIRED,
    Code::INSUFFICIENT_CREDITS,
    Code::PROVIDER_ERROR,
    Code::PROVIDER_TIMEOUT,
    Code::UNAUTHENTICATED,
    Code::RATE_LIMIT,
    Code::SERVER_ERROR,
];

/// The codes of process endpoints, image-audio-driven, MV director and turbo text-to-image.
pub(super) static COMMON_CODES: [Code; 10] = BASE;
pub(super) static IMAGE_TO_VIDEO_CODES: [Code; 11] = concat(BASE, [Code::ASSET_CATEGORY_MISMATCH]);
pub(super) static AUDIO_DRIVEN_CODES: [Code; 13] = concat(
    BASE,
    [
        Code::ASSET_CATEGORY_MISMATCH,
        Code::ASSET_LOCKED,
        Code::ASSET_EXPIRED,
    ],
);
pub(super) static TEXT_DRIVEN_CODES: [Code; 14] = concat(
    BASE,
    [
        Code::ASSET_CATEGORY_MISMATCH,
        Code::VOICE_ASSET_REQUIRED,
        Code::ASSET_LOCKED,
        Code::ASSET_EXPIRED,
    ],
);
/// The codes of omni reference video. The document lists neither 1405 nor 16 for it.
pub(super) static OMNI_CODES: [Code; 8] = [
    Code::OK,
    Code::INVALID_INPUT,
    Code::INVALID_MODEL,
    Code::PAID_PLAN_REQUIRED,
    Code::INSUFFICIENT_CREDITS,
    Code::UNAUTHENTICATED,
    Code::PROVIDER_ERROR,
    Code::SERVER_ERROR,
];
