use std::{io::Cursor, sync::LazyLock};

use hound::{SampleFormat, WavSpec, WavWriter};
use image::{DynamicImage, Rgb, RgbImage};
use mediagate_clip::Clip;

use super::product::{JobResult, one_with_note};
use crate::{
    command::CreateCommand,
    media::{MediaError, picture},
    storage::Content,
};

const PDF: &[u8] = b"%PDF-1.4\n\
    1 0 obj\n<</Type/Catalog/Pages 2 0 R>>\nendobj\n\
    2 0 obj\n<</Type/Pages/Kids[3 0 R]/Count 1>>\nendobj\n\
    3 0 obj\n<</Type/Page/Parent 2 0 R/MediaBox[0 0 72 72]>>\nendobj\n\
    xref\n0 4\n0000000000 65535 f \n0000000009 00000 n \n0000000054 00000 n \n0000000105 00000 n \n\
    trailer\n<</Size 4/Root 1 0 R>>\nstartxref\n168\n%%EOF\n";

/// The side of the picture and of the video, in pixels: the least that the encoder accepts.
const SIDE: u32 = 16;

/// Returns a small file that is constant for each kind. Reads no input.
pub(crate) fn placeholder(command: &CreateCommand) -> JobResult {
    let (bytes, content) = match command.capability.medium() {
        "image" => (
            picture::encode_png(&DynamicImage::new_rgb8(SIDE, SIDE))?,
            Content::PNG,
        ),
        "video" => (video()?, Content::MP4),
        "audio" => (silence()?, Content::WAV),
        _ => (PDF.to_vec(), Content::PDF),
    };
    one_with_note(bytes, content, "a placeholder: nothing was processed")
}

/// Returns a video of one second, which is encoded once.
fn video() -> Result<Vec<u8>, MediaError> {
    static VIDEO: LazyLock<Result<Vec<u8>, String>> = LazyLock::new(|| {
        let clip = Clip {
            width: SIDE,
            height: SIDE,
            seconds: 1,
        };
        clip.encode(|width, height, _| RgbImage::from_pixel(width, height, Rgb([0; 3])))
            .map_err(|error| error.to_string())
    });
    VIDEO.clone().map_err(MediaError::new)
}

fn silence() -> Result<Vec<u8>, MediaError> {
    let unwritable = |error: hound::Error| MediaError::new(error.to_string());
    let spec = WavSpec {
        channels: 1,
        sample_rate: 8_000,
        bits_per_sample: 16,
        sample_format: SampleFormat::Int,
    };
    let mut bytes = Cursor::new(Vec::new());
    let mut writer = WavWriter::new(&mut bytes, spec).map_err(unwritable)?;
    (0..80)
        .try_for_each(|_| writer.write_sample(0i16))
        .map_err(unwritable)?;
    writer.finalize().map_err(unwritable)?;
    Ok(bytes.into_inner())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_are_valid_files() {
        assert_eq!(lopdf::Document::load_mem(PDF).unwrap().get_pages().len(), 1);
        assert_eq!(
            mediagate_clip::seconds(Cursor::new(video().unwrap())),
            Some(1.0)
        );
        assert_eq!(
            hound::WavReader::new(Cursor::new(silence().unwrap()))
                .unwrap()
                .duration(),
            80
        );
        let content: Vec<&str> = [PDF.to_vec(), video().unwrap(), silence().unwrap()]
            .iter()
            .map(|bytes| infer::get(bytes).unwrap().mime_type())
            .collect();
        assert_eq!(content, ["application/pdf", "video/mp4", "audio/x-wav"]);
    }
}
