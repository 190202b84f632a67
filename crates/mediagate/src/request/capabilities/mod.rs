//! A request for each capability. Written from the catalogue by `cargo xtask generate`; edits are lost.

mod add_audio_to_video;
mod adjust_audio_volume;
mod audio_driven;
mod background_removal;
mod head_swap;
mod image_audio_driven;
mod image_to_video;
mod merge_pdf;
mod mv_director;
mod object_removal_by_prompt;
mod omni_reference_to_video;
mod resize_video;
mod split_pdf;
mod split_video;
mod subtitle_removal;
mod text_driven;
mod text_to_image;
mod text_to_image_turbo;
mod text_to_video;
mod video_logo_removal;

pub use add_audio_to_video::AddAudioToVideo;
pub use adjust_audio_volume::AdjustAudioVolume;
pub use audio_driven::AudioDriven;
pub use background_removal::BackgroundRemoval;
pub use head_swap::HeadSwap;
pub use image_audio_driven::ImageAudioDriven;
pub use image_to_video::ImageToVideo;
pub use merge_pdf::MergePdf;
pub use mv_director::MvDirector;
pub use object_removal_by_prompt::ObjectRemovalByPrompt;
pub use omni_reference_to_video::OmniReferenceToVideo;
pub use resize_video::ResizeVideo;
pub use split_pdf::SplitPdf;
pub use split_video::SplitVideo;
pub use subtitle_removal::SubtitleRemoval;
pub use text_driven::TextDriven;
pub use text_to_image::TextToImage;
pub use text_to_image_turbo::TextToImageTurbo;
pub use text_to_video::TextToVideo;
pub use video_logo_removal::VideoLogoRemoval;

/// The names of all capabilities, in alphabetical order.
pub const NAMES: &[&str] = &[
    "add_audio_to_video",
    "adjust_audio_volume",
    "audio_driven",
    "background_removal",
    "head_swap",
    "image_audio_driven",
    "image_to_video",
    "merge_pdf",
    "mv_director",
    "object_removal_by_prompt",
    "omni_reference_to_video",
    "resize_video",
    "split_pdf",
    "split_video",
    "subtitle_removal",
    "text_driven",
    "text_to_image",
    "text_to_image_turbo",
    "text_to_video",
    "video_logo_removal",
];
