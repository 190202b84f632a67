//! Encodes drawn frames as a short AV1 clip in MP4, in pure Rust, so that a result plays in a browser on any machine.

mod length;
mod mp4;

use std::time::{Duration, Instant};

use image::RgbImage;
pub use length::seconds;
use mp4::Track;
use rav1e::prelude::{ChromaSampling, Config, Context, EncoderConfig, EncoderStatus, Frame, Rational, SpeedSettings};

/// Frames of a clip, however long it is: enough to read as motion, few enough to encode while a person waits.
const FRAMES: u32 = 12;

/// After this long a clip makes do with the frames it has, at least two: they are shown for longer.
const PATIENCE: Duration = Duration::from_secs(4);

/// Why there is no clip.
#[derive(Debug, thiserror::Error)]
#[error("the clip could not be encoded: {0}")]
pub struct ClipError(String);

/// What a clip is to be.
#[derive(Clone, Copy, Debug)]
pub struct Clip {
    /// Pixels, 16 to 4096; odd ones are rounded down.
    pub width: u32,
    /// Pixels, as the width.
    pub height: u32,
    /// Seconds, 1 to 3600.
    pub seconds: u32,
}

impl Clip {
    /// The MP4 file, each frame drawn by `draw` from the frame's size and its position in the clip, 0 to 1.
    ///
    /// # Errors
    /// Sizes out of bounds, and whatever the encoder says.
    pub fn encode(self, mut draw: impl FnMut(u32, u32, f32) -> RgbImage) -> Result<Vec<u8>, ClipError> {
        let (width, height) = (self.width & !1, self.height & !1);
        if !(16..=4096).contains(&width) || !(16..=4096).contains(&height) || !(1..=3600).contains(&self.seconds) {
            return Err(ClipError(format!("{width}x{height} for {} s is out of bounds", self.seconds)));
        }
        let mut encoder: Context<u8> = Config::new()
            .with_encoder_config(settings(width, height))
            .with_threads(1)
            .new_context()
            .map_err(|error| ClipError(error.to_string()))?;
        let header = encoder.container_sequence_header();
        let (started, mut frames) = (Instant::now(), Vec::new());
        for at in 0..FRAMES {
            let picture = draw(width, height, at as f32 / (FRAMES - 1) as f32);
            let mut frame = encoder.new_frame();
            fill(&mut frame, &picture);
            encoder.send_frame(frame).map_err(|status| ClipError(status.to_string()))?;
            drain(&mut encoder, &mut frames)?;
            if at > 0 && started.elapsed() > PATIENCE {
                break;
            }
        }
        encoder.flush();
        drain(&mut encoder, &mut frames)?;
        Track { width: width as u16, height: height as u16, seconds: self.seconds, header, frames }.into_file()
    }
}

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
        low_latency: true, // frames leave in the order they entered, one packet each
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

/// RGB to limited-range BT.601 with halved chroma: what a player assumes of a small clip that says nothing.
fn fill(frame: &mut Frame<u8>, picture: &RgbImage) {
    let (width, height) = picture.dimensions();
    let mut luma = Vec::with_capacity((width * height) as usize);
    let (mut blue, mut red) = (Vec::new(), Vec::new());
    for (x, y, pixel) in picture.enumerate_pixels() {
        let [r, g, b] = pixel.0.map(i32::from);
        luma.push((((66 * r + 129 * g + 25 * b + 128) >> 8) + 16) as u8);
        if x % 2 == 0 && y % 2 == 0 {
            blue.push((((-38 * r - 74 * g + 112 * b + 128) >> 8) + 128) as u8);
            red.push((((112 * r - 94 * g - 18 * b + 128) >> 8) + 128) as u8);
        }
    }
    let (whole, half) = (width as usize, width.div_ceil(2) as usize);
    for (plane, (samples, stride)) in frame.planes.iter_mut().zip([(luma, whole), (blue, half), (red, half)]) {
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
    fn a_clip_has_the_size_and_length_asked_for() {
        let file = Clip { width: 65, height: 48, seconds: 3 }.encode(red).unwrap();
        assert_eq!(seconds(std::io::Cursor::new(&file)), Some(3.0));
        assert_eq!(seconds(std::io::Cursor::new(&file[..40])), None);
        let rest = &mut file.as_slice();
        Ftyp::decode(rest).unwrap();
        let moov = Moov::decode(rest).unwrap();
        assert_eq!(moov.mvhd.duration, u64::from(moov.mvhd.timescale) * 3);
        assert_eq!((moov.trak[0].tkhd.width.integer(), moov.trak[0].tkhd.height.integer()), (64, 48));
        assert_eq!(&rest[4..8], b"mdat");
    }

    #[test]
    fn what_is_out_of_bounds_is_an_error() {
        for (width, height, seconds) in [(0, 48, 1), (64, 5000, 1), (64, 48, 0)] {
            assert!(Clip { width, height, seconds }.encode(red).is_err());
        }
    }
}
