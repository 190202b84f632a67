//! A method for each capability. Written from the catalogue by `cargo xtask generate`; edits are lost.

use super::call::Call;
use super::create::Create;
use super::inner::Client;
use crate::request;

/// A method for each capability. Each is [`Client::create`] with the type of its request.
impl Client {
    /// Draws a picture from a text prompt.
    pub fn text_to_image(&self, request: request::TextToImage) -> Call<Create> {
        self.create(request)
    }

    /// Draws a picture from a text prompt, faster and with fewer settings.
    pub fn text_to_image_turbo(&self, request: request::TextToImageTurbo) -> Call<Create> {
        self.create(request)
    }

    /// Makes a video of an avatar that speaks a script with a chosen voice.
    pub fn text_driven(&self, request: request::TextDriven) -> Call<Create> {
        self.create(request)
    }

    /// Makes a lip-synced video of an avatar from uploaded audio.
    pub fn audio_driven(&self, request: request::AudioDriven) -> Call<Create> {
        self.create(request)
    }

    /// Makes a video from a prompt and reference images, videos or audio, at least one of them.
    pub fn omni_reference_to_video(&self, request: request::OmniReferenceToVideo) -> Call<Create> {
        self.create(request)
    }

    /// Makes a video from a picture and a motion prompt. The default model needs the Starter plan and is billed per second of video.
    pub fn image_to_video(&self, request: request::ImageToVideo) -> Call<Create> {
        self.create(request)
    }

    /// Makes a person in a picture speak an uploaded sound.
    pub fn image_audio_driven(&self, request: request::ImageAudioDriven) -> Call<Create> {
        self.create(request)
    }

    /// Directs a music video from one track and one portrait.
    pub fn mv_director(&self, request: request::MvDirector) -> Call<Create> {
        self.create(request)
    }

    /// Cuts parts out of a video.
    pub fn split_video(&self, request: request::SplitVideo) -> Call<Create> {
        self.create(request)
    }

    /// Removes an object, named in words, from a video.
    pub fn object_removal_by_prompt(&self, request: request::ObjectRemovalByPrompt) -> Call<Create> {
        self.create(request)
    }

    /// Removes burnt-in subtitles from a video.
    pub fn subtitle_removal(&self, request: request::SubtitleRemoval) -> Call<Create> {
        self.create(request)
    }

    /// Brings a video to another size.
    pub fn resize_video(&self, request: request::ResizeVideo) -> Call<Create> {
        self.create(request)
    }

    /// Replaces or adds the sound of a video.
    pub fn add_audio_to_video(&self, request: request::AddAudioToVideo) -> Call<Create> {
        self.create(request)
    }

    /// Removes a logo from a video.
    pub fn video_logo_removal(&self, request: request::VideoLogoRemoval) -> Call<Create> {
        self.create(request)
    }

    /// Makes the background of a picture transparent.
    pub fn background_removal(&self, request: request::BackgroundRemoval) -> Call<Create> {
        self.create(request)
    }

    /// Puts the head of one picture on the body of another.
    pub fn head_swap(&self, request: request::HeadSwap) -> Call<Create> {
        self.create(request)
    }

    /// Joins PDF documents into one.
    pub fn merge_pdf(&self, request: request::MergePdf) -> Call<Create> {
        self.create(request)
    }

    /// Takes pages out of a PDF document.
    pub fn split_pdf(&self, request: request::SplitPdf) -> Call<Create> {
        self.create(request)
    }

    /// Makes a sound louder or quieter.
    pub fn adjust_audio_volume(&self, request: request::AdjustAudioVolume) -> Call<Create> {
        self.create(request)
    }
}
