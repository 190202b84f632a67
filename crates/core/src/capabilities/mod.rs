//! The catalogue. Each capability has a file, and a line in this one.

mod shared;

use crate::capability::Capability;
use crate::suggest::nearest;

macro_rules! catalogue {
    ($($file:ident),* $(,)?) => {
        $(mod $file;)*
        /// Every capability, generation first, in the document's order. In each group, extensions
        /// are last.
        pub static CAPABILITIES: &[&Capability] = &[$(&$file::CAPABILITY),*];
    };
}

catalogue! {
    text_to_image,
    text_to_image_turbo,
    text_driven,
    audio_driven,
    omni_reference_to_video,
    image_to_video,
    image_audio_driven,
    mv_director,
    text_to_video,
    split_video,
    object_removal_by_prompt,
    subtitle_removal,
    resize_video,
    add_audio_to_video,
    video_logo_removal,
    background_removal,
    head_swap,
    merge_pdf,
    split_pdf,
    adjust_audio_volume,
}

/// Returns the capability with this name, such as `image_to_video`.
pub fn find(name: &str) -> Option<&'static Capability> {
    CAPABILITIES
        .iter()
        .copied()
        .find(|capability| capability.name() == name)
}

/// Returns the name of the capability that is nearest to a misspelt name.
pub fn nearest_capability(name: &str) -> Option<&'static str> {
    nearest(
        name,
        CAPABILITIES.iter().map(|capability| capability.name()),
    )
}

/// Returns the capability at this path after [`crate::PREFIX`], such as
/// `generate/video/image_to_video`.
pub fn by_path(path: &str) -> Option<&'static Capability> {
    CAPABILITIES
        .iter()
        .copied()
        .find(|capability| capability.path == path)
}
