//! A method for each capability. Written from the catalogue by `cargo xtask generate`; edits are lost.

use super::call::Call;
use super::client::Client;
use super::create::Create;
use crate::request;

/// A method for each capability. Each is [`Client::create`] with the type of its request.
impl Client {
    /// Draws a picture from a text prompt.
    ///
    /// The path is `generate/image/text_to_image` (§4.2 of the upstream document).
    /// [`request::TextToImage`] has the fields.
    pub fn text_to_image(&self, request: request::TextToImage) -> Call<Create> {
        self.create(request)
    }

    /// Draws a picture from a text prompt, faster and with fewer settings.
    ///
    /// The path is `generate/image/text_to_image_turbo` (§4.2 of the upstream document).
    /// [`request::TextToImageTurbo`] has the fields.
    pub fn text_to_image_turbo(&self, request: request::TextToImageTurbo) -> Call<Create> {
        self.create(request)
    }

    /// Makes a video of an avatar that speaks a script with a chosen voice.
    ///
    /// The path is `generate/video/text_driven` (§4.2 of the upstream document).
    /// [`request::TextDriven`] has the fields.
    pub fn text_driven(&self, request: request::TextDriven) -> Call<Create> {
        self.create(request)
    }

    /// Makes a lip-synced video of an avatar from uploaded audio.
    ///
    /// The path is `generate/video/audio_driven` (§4.2 of the upstream document).
    /// [`request::AudioDriven`] has the fields.
    pub fn audio_driven(&self, request: request::AudioDriven) -> Call<Create> {
        self.create(request)
    }

    /// Makes a video from a prompt and reference images, videos or audio, at least one of them.
    ///
    /// The path is `generate/video/omni_reference_to_video` (§4.2 of the upstream document).
    /// [`request::OmniReferenceToVideo`] has the fields.
    pub fn omni_reference_to_video(&self, request: request::OmniReferenceToVideo) -> Call<Create> {
        self.create(request)
    }

    /// Makes a video from a picture and a motion prompt. The default model needs the Starter plan
    /// and is billed per second of video.
    ///
    /// The path is `generate/video/image_to_video` (§4.2 of the upstream document).
    /// [`request::ImageToVideo`] has the fields.
    pub fn image_to_video(&self, request: request::ImageToVideo) -> Call<Create> {
        self.create(request)
    }

    /// Makes a person in a picture speak an uploaded sound.
    ///
    /// The path is `generate/video/image_audio_driven` (§4.2 of the upstream document).
    /// [`request::ImageAudioDriven`] has the fields.
    pub fn image_audio_driven(&self, request: request::ImageAudioDriven) -> Call<Create> {
        self.create(request)
    }

    /// Directs a music video from one track and one portrait.
    ///
    /// The path is `generate/video/mv_director` (§4.2 of the upstream document).
    /// [`request::MvDirector`] has the fields.
    pub fn mv_director(&self, request: request::MvDirector) -> Call<Create> {
        self.create(request)
    }

    /// Makes a video from a text prompt.
    ///
    /// An extension: the document of the media service does not have it, and a gateway offers it
    /// only if its setting CAPABILITIES names it.
    ///
    /// The path is `generate/video/text_to_video`. [`request::TextToVideo`] has the fields.
    pub fn text_to_video(&self, request: request::TextToVideo) -> Call<Create> {
        self.create(request)
    }

    /// Cuts parts out of a video.
    ///
    /// The path is `process/video/split_video` (§4.3 of the upstream document).
    /// [`request::SplitVideo`] has the fields.
    pub fn split_video(&self, request: request::SplitVideo) -> Call<Create> {
        self.create(request)
    }

    /// Removes an object, named in words, from a video.
    ///
    /// The path is `process/video/object_removal_by_prompt` (§4.3 of the upstream document).
    /// [`request::ObjectRemovalByPrompt`] has the fields.
    pub fn object_removal_by_prompt(
        &self,
        request: request::ObjectRemovalByPrompt,
    ) -> Call<Create> {
        self.create(request)
    }

    /// Removes burnt-in subtitles from a video.
    ///
    /// The path is `process/video/subtitle_removal` (§4.3 of the upstream document).
    /// [`request::SubtitleRemoval`] has the fields.
    pub fn subtitle_removal(&self, request: request::SubtitleRemoval) -> Call<Create> {
        self.create(request)
    }

    /// Brings a video to another size.
    ///
    /// The path is `process/video/resize_video` (§4.3 of the upstream document).
    /// [`request::ResizeVideo`] has the fields.
    pub fn resize_video(&self, request: request::ResizeVideo) -> Call<Create> {
        self.create(request)
    }

    /// Replaces or adds the sound of a video.
    ///
    /// The path is `process/video/add_audio_to_video` (§4.3 of the upstream document).
    /// [`request::AddAudioToVideo`] has the fields.
    pub fn add_audio_to_video(&self, request: request::AddAudioToVideo) -> Call<Create> {
        self.create(request)
    }

    /// Removes a logo from a video.
    ///
    /// The path is `process/video/video_logo_removal` (§4.3 of the upstream document).
    /// [`request::VideoLogoRemoval`] has the fields.
    pub fn video_logo_removal(&self, request: request::VideoLogoRemoval) -> Call<Create> {
        self.create(request)
    }

    /// Makes the background of a picture transparent.
    ///
    /// The path is `process/image/background_removal` (§4.3 of the upstream document).
    /// [`request::BackgroundRemoval`] has the fields.
    pub fn background_removal(&self, request: request::BackgroundRemoval) -> Call<Create> {
        self.create(request)
    }

    /// Puts the head of one picture on the body of another.
    ///
    /// The path is `process/image/head_swap` (§4.3 of the upstream document). [`request::HeadSwap`]
    /// has the fields.
    pub fn head_swap(&self, request: request::HeadSwap) -> Call<Create> {
        self.create(request)
    }

    /// Joins PDF documents into one.
    ///
    /// The path is `process/asset/merge_pdf` (§4.3 of the upstream document). [`request::MergePdf`]
    /// has the fields.
    pub fn merge_pdf(&self, request: request::MergePdf) -> Call<Create> {
        self.create(request)
    }

    /// Takes pages out of a PDF document.
    ///
    /// The path is `process/asset/split_pdf` (§4.3 of the upstream document). [`request::SplitPdf`]
    /// has the fields.
    pub fn split_pdf(&self, request: request::SplitPdf) -> Call<Create> {
        self.create(request)
    }

    /// Makes a sound louder or quieter.
    ///
    /// The path is `process/audio/adjust_audio_volume` (§4.3 of the upstream document).
    /// [`request::AdjustAudioVolume`] has the fields.
    pub fn adjust_audio_volume(&self, request: request::AdjustAudioVolume) -> Call<Create> {
        self.create(request)
    }
}
