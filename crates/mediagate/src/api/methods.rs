//! A method for each capability. Written from the catalogue by `cargo xtask generate`; edits are lost.

use super::call::Call;
use super::client::Client;
use super::create::Create;
use crate::request;

/// A method for each capability. Each is [`Client::create`] with the type of its request.
impl Client {
    /// Draws a picture from a text prompt.
    ///
    /// It is `generate/image/text_to_image` of §4.2 of the upstream document; [`request::TextToImage`] has its fields.
    ///
    /// # Errors
    /// Those of [`Client::create`].
    pub fn text_to_image(&self, request: request::TextToImage) -> Call<Create> {
        self.create(request)
    }

    /// Draws a picture from a text prompt, faster and with fewer settings.
    ///
    /// It is `generate/image/text_to_image_turbo` of §4.2 of the upstream document; [`request::TextToImageTurbo`] has its fields.
    ///
    /// # Errors
    /// Those of [`Client::create`].
    pub fn text_to_image_turbo(&self, request: request::TextToImageTurbo) -> Call<Create> {
        self.create(request)
    }

    /// Makes a video of an avatar that speaks a script with a chosen voice.
    ///
    /// It is `generate/video/text_driven` of §4.2 of the upstream document; [`request::TextDriven`] has its fields.
    ///
    /// # Errors
    /// Those of [`Client::create`].
    pub fn text_driven(&self, request: request::TextDriven) -> Call<Create> {
        self.create(request)
    }

    /// Makes a lip-synced video of an avatar from uploaded audio.
    ///
    /// It is `generate/video/audio_driven` of §4.2 of the upstream document; [`request::AudioDriven`] has its fields.
    ///
    /// # Errors
    /// Those of [`Client::create`].
    pub fn audio_driven(&self, request: request::AudioDriven) -> Call<Create> {
        self.create(request)
    }

    /// Makes a video from a prompt and reference images, videos or audio, at least one of them.
    ///
    /// It is `generate/video/omni_reference_to_video` of §4.2 of the upstream document; [`request::OmniReferenceToVideo`] has its fields.
    ///
    /// # Errors
    /// Those of [`Client::create`].
    pub fn omni_reference_to_video(&self, request: request::OmniReferenceToVideo) -> Call<Create> {
        self.create(request)
    }

    /// Makes a video from a picture and a motion prompt. The default model needs the Starter plan and is billed per second of video.
    ///
    /// It is `generate/video/image_to_video` of §4.2 of the upstream document; [`request::ImageToVideo`] has its fields.
    ///
    /// # Errors
    /// Those of [`Client::create`].
    pub fn image_to_video(&self, request: request::ImageToVideo) -> Call<Create> {
        self.create(request)
    }

    /// Makes a person in a picture speak an uploaded sound.
    ///
    /// It is `generate/video/image_audio_driven` of §4.2 of the upstream document; [`request::ImageAudioDriven`] has its fields.
    ///
    /// # Errors
    /// Those of [`Client::create`].
    pub fn image_audio_driven(&self, request: request::ImageAudioDriven) -> Call<Create> {
        self.create(request)
    }

    /// Directs a music video from one track and one portrait.
    ///
    /// It is `generate/video/mv_director` of §4.2 of the upstream document; [`request::MvDirector`] has its fields.
    ///
    /// # Errors
    /// Those of [`Client::create`].
    pub fn mv_director(&self, request: request::MvDirector) -> Call<Create> {
        self.create(request)
    }

    /// Cuts parts out of a video.
    ///
    /// It is `process/video/split_video` of §4.3 of the upstream document; [`request::SplitVideo`] has its fields.
    ///
    /// # Errors
    /// Those of [`Client::create`].
    pub fn split_video(&self, request: request::SplitVideo) -> Call<Create> {
        self.create(request)
    }

    /// Removes an object, named in words, from a video.
    ///
    /// It is `process/video/object_removal_by_prompt` of §4.3 of the upstream document; [`request::ObjectRemovalByPrompt`] has its fields.
    ///
    /// # Errors
    /// Those of [`Client::create`].
    pub fn object_removal_by_prompt(
        &self,
        request: request::ObjectRemovalByPrompt,
    ) -> Call<Create> {
        self.create(request)
    }

    /// Removes burnt-in subtitles from a video.
    ///
    /// It is `process/video/subtitle_removal` of §4.3 of the upstream document; [`request::SubtitleRemoval`] has its fields.
    ///
    /// # Errors
    /// Those of [`Client::create`].
    pub fn subtitle_removal(&self, request: request::SubtitleRemoval) -> Call<Create> {
        self.create(request)
    }

    /// Brings a video to another size.
    ///
    /// It is `process/video/resize_video` of §4.3 of the upstream document; [`request::ResizeVideo`] has its fields.
    ///
    /// # Errors
    /// Those of [`Client::create`].
    pub fn resize_video(&self, request: request::ResizeVideo) -> Call<Create> {
        self.create(request)
    }

    /// Replaces or adds the sound of a video.
    ///
    /// It is `process/video/add_audio_to_video` of §4.3 of the upstream document; [`request::AddAudioToVideo`] has its fields.
    ///
    /// # Errors
    /// Those of [`Client::create`].
    pub fn add_audio_to_video(&self, request: request::AddAudioToVideo) -> Call<Create> {
        self.create(request)
    }

    /// Removes a logo from a video.
    ///
    /// It is `process/video/video_logo_removal` of §4.3 of the upstream document; [`request::VideoLogoRemoval`] has its fields.
    ///
    /// # Errors
    /// Those of [`Client::create`].
    pub fn video_logo_removal(&self, request: request::VideoLogoRemoval) -> Call<Create> {
        self.create(request)
    }

    /// Makes the background of a picture transparent.
    ///
    /// It is `process/image/background_removal` of §4.3 of the upstream document; [`request::BackgroundRemoval`] has its fields.
    ///
    /// # Errors
    /// Those of [`Client::create`].
    pub fn background_removal(&self, request: request::BackgroundRemoval) -> Call<Create> {
        self.create(request)
    }

    /// Puts the head of one picture on the body of another.
    ///
    /// It is `process/image/head_swap` of §4.3 of the upstream document; [`request::HeadSwap`] has its fields.
    ///
    /// # Errors
    /// Those of [`Client::create`].
    pub fn head_swap(&self, request: request::HeadSwap) -> Call<Create> {
        self.create(request)
    }

    /// Joins PDF documents into one.
    ///
    /// It is `process/asset/merge_pdf` of §4.3 of the upstream document; [`request::MergePdf`] has its fields.
    ///
    /// # Errors
    /// Those of [`Client::create`].
    pub fn merge_pdf(&self, request: request::MergePdf) -> Call<Create> {
        self.create(request)
    }

    /// Takes pages out of a PDF document.
    ///
    /// It is `process/asset/split_pdf` of §4.3 of the upstream document; [`request::SplitPdf`] has its fields.
    ///
    /// # Errors
    /// Those of [`Client::create`].
    pub fn split_pdf(&self, request: request::SplitPdf) -> Call<Create> {
        self.create(request)
    }

    /// Makes a sound louder or quieter.
    ///
    /// It is `process/audio/adjust_audio_volume` of §4.3 of the upstream document; [`request::AdjustAudioVolume`] has its fields.
    ///
    /// # Errors
    /// Those of [`Client::create`].
    pub fn adjust_audio_volume(&self, request: request::AdjustAudioVolume) -> Call<Create> {
        self.create(request)
    }
}
