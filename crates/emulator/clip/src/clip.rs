use std::time::{Duration, Instant};

use image::RgbImage;
use rav1e::prelude::{
    ChromaSampling, Config, Context, EncoderConfig, EncoderStatus, Frame, Rational, SpeedSettings,
};

use crate::{error::ClipError, mp4::Track};

/// The number of frames of a clip, however long it is: enough to show motion, and few enough to be
/// encoded within seconds.
const FRAMES: u32 = 12;

/// The time after which encoding stops, with at least two frames. Fewer frames are each shown for
/// longer, so the clip keeps its length.
const MAX_ENCODING_TIME: Duration = Duration::from_secs(4);

/// The size and the length of a clip.
#[derive(Clone, Copy, Debug)]
pub struct Clip {
    /// The width in pixels, 16 to 4096. An odd width is rounded down.
    pub width: u32,
    /// The height in pixels, 16 to 4096. An odd height is rounded down.
    pub height: u32,
    /// The length in seconds, 1 to 3600.
    pub seconds: u32,
}

impl Clip {
    /// Encodes the clip and returns the bytes of the MP4 file. `draw(width, height, position)`
    /// draws one frame: an image of this size in pixels, at a position in the clip from 0 to 1.
    pub fn encode(
        self,
        mut draw: impl FnMut(u32, u32, f32) -> RgbImage,
    ) -> Result<Vec<u8>, ClipError> {
        let width = self.width & !1;
        let height = self.height & !1;
        if !(16..=4096).contains(&width)
            || !(16..=4096).contains(&height)
            || !(1..=3600).contains(&self.seconds)
        {
            return Err(ClipError(format!(
                "{width}x{height} for {} s is out of bounds",
                self.seconds
            )));
        }
        let mut encoder: Context<u8> = Config::new()
            .with_encoder_config(settings(width, height))
            .with_threads(1)
            .new_context()
            .map_err(|error| ClipError(error.to_string()))?;
        let header = encoder.container_sequence_header();
        let started = Instant::now();
        let mut frames = Vec::new();
        for index in 0..FRAMES {
            let picture = draw(width, height, index as f32 / (FRAMES - 1) as f32);
            let mut frame = encoder.new_frame();
            fill(&mut frame, &picture);
            encoder
                .send_frame(frame)
                .map_err(|status| ClipError(status.to_string()))?;
            drain(&mut encoder, &mut frames)?;
            if index > 0 && started.elapsed() > MAX_ENCODING_TIME {
                break;
            }
        }
        encoder.flush();
        drain(&mut encoder, &mut frames)?;
        Track {
            width: width as u16,
            height: height as u16,
            seconds: self.seconds,
            header,
            frames,
        }
        .into_file()
    }
}

/// Returns the settings of the encoder, which prefer speed over quality.
fn settings(width: u32, height: u32) -> EncoderConfig {
    let mut speed_settings = SpeedSettings::from_preset(10);
    speed_settings.rdo_lookahead_frames = 1;
    EncoderConfig {
        width: width as usize,
        height: height as usize,
        time_base: Rational::new(1, 8),
        chroma_sampling: ChromaSampling::Cs420,
        speed_settings,
        quantizer: 100,
        // One packet for each frame, in the order of the frames, as `Track` requires.
        low_latency: true,
        // Only the first frame is a key frame, as the index states.
        min_key_frame_interval: u64::from(FRAMES),
        max_key_frame_interval: u64::from(FRAMES),
        ..Default::default()
    }
}

fn drain(encoder: &mut Context<u8>, packets: &mut Vec<Vec<u8>>) -> Result<(), ClipError> {
    loop {
        match encoder.receive_packet() {
            Ok(packet) => packets.push(packet.data),
            Err(EncoderStatus::Encoded) => {}
            Err(EncoderStatus::NeedMoreData | EncoderStatus::LimitReached) => return Ok(()),
            Err(status) => return Err(ClipError(status.to_string())),
        }
    }
}

/// Converts RGB to limited-range BT.601 with halved chroma, which players assume for a small video
/// without colour metadata.
fn fill(frame: &mut Frame<u8>, picture: &RgbImage) {
    let (width, height) = picture.dimensions();
    let mut luma = Vec::with_capacity((width * height) as usize);
    let mut blue = Vec::new();
    let mut red = Vec::new();
    for (x, y, pixel) in picture.enumerate_pixels() {
        let [r, g, b] = pixel.0.map(i32::from);
        luma.push((((66 * r + 129 * g + 25 * b + 128) >> 8) + 16) as u8);
        if x % 2 == 0 && y % 2 == 0 {
            blue.push((((-38 * r - 74 * g + 112 * b + 128) >> 8) + 128) as u8);
            red.push((((112 * r - 94 * g - 18 * b + 128) >> 8) + 128) as u8);
        }
    }
    let whole = width as usize;
    let half = width.div_ceil(2) as usize;
    for (plane, (samples, stride)) in
        frame
            .planes
            .iter_mut()
            .zip([(luma, whole), (blue, half), (red, half)])
    {
        plane.copy_from_raw_u8(&samples, stride, 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::Rgb;
    use mp4_atom::{Decode, Ftyp, Moov};

    fn red(width: u32, height: u32, _: f32) -> RgbImage {
        RgbImage::from_pixel(width, height, Rgb([200, 30, 30]))
    }

    #[test]
    fn a_clip_has_the_requested_size_and_length() {
        let file = Clip {
            width: 65,
            height: 48,
            seconds: 3,
        }
        .encode(red)
        .unwrap();
        assert_eq!(crate::seconds(std::io::Cursor::new(&file)), Some(3.0));
        assert_eq!(crate::seconds(std::io::Cursor::new(&file[..40])), None);
        let rest = &mut file.as_slice();
        Ftyp::decode(rest).unwrap();
        let moov = Moov::decode(rest).unwrap();
        assert_eq!(moov.mvhd.duration, u64::from(moov.mvhd.timescale) * 3);
        assert_eq!(
            (
                moov.trak[0].tkhd.width.integer(),
                moov.trak[0].tkhd.height.integer()
            ),
            (64, 48)
        );
        assert_eq!(&rest[4..8], b"mdat");
    }

    #[test]
    fn a_size_or_length_out_of_bounds_is_an_error() {
        for (width, height, seconds) in [(0, 48, 1), (64, 5000, 1), (64, 48, 0)] {
            assert!(
                Clip {
                    width,
                    height,
                    seconds
                }
                .encode(red)
                .is_err()
            );
        }
    }
}
