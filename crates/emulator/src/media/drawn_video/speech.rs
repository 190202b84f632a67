//! The mouth of a person who speaks, in each frame of a video.

use std::{io::Cursor, path::Path};

use hound::WavReader;

use crate::media::{error::MediaError, ffmpeg::Ffmpeg};

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Mouth {
    Closed,
    Ajar,
    Open,
}

impl Mouth {
    pub(super) const ALL: [Mouth; 3] = [Mouth::Closed, Mouth::Ajar, Mouth::Open];

    /// Returns how far the mouth is open, from 0 to 1.
    pub(super) fn openness(self) -> f32 {
        match self {
            Mouth::Closed => 0.0,
            Mouth::Ajar => 0.45,
            Mouth::Open => 1.0,
        }
    }
}

/// Returns the movements for words that are spoken again and again, a letter in each frame.
pub(super) fn of_words(words: &str, frames: usize) -> Vec<Mouth> {
    words
        .chars()
        .chain([' ', ' '])
        .cycle()
        .take(frames)
        .map(|letter| match letter.to_ascii_lowercase() {
            'a' | 'e' | 'i' | 'o' | 'u' => Mouth::Open,
            letter if letter.is_alphanumeric() => Mouth::Ajar,
            _ => Mouth::Closed,
        })
        .collect()
}

/// Follows the loudness of an audio file. After its end the mouth is closed.
pub(super) fn of_sound(
    ffmpeg: &Ffmpeg,
    audio: &Path,
    frames: usize,
    rate: u64,
) -> Result<Vec<Mouth>, MediaError> {
    const SAMPLE_RATE: u64 = 8_000;
    let seconds = (frames as u64).div_ceil(rate);
    let options = format!("-map 0:a:0 -ac 1 -ar {SAMPLE_RATE} -c:a pcm_s16le -t {seconds}");
    let wav = ffmpeg.convert(&[audio.into()], &options, "wav")?;
    let samples: Vec<f32> = WavReader::new(Cursor::new(wav))
        .map_err(|_| MediaError::Unrecognized)?
        .into_samples::<i16>()
        .map_while(Result::ok)
        .map(|sample| f32::from(sample).abs())
        .collect();
    let loudness: Vec<f32> = samples
        .chunks((SAMPLE_RATE / rate) as usize)
        .map(|chunk| chunk.iter().sum::<f32>() / chunk.len() as f32)
        .collect();
    let loudest = loudness.iter().copied().fold(1.0, f32::max);
    let mut mouths: Vec<Mouth> = loudness
        .iter()
        .map(|level| match level / loudest {
            share if share < 0.12 => Mouth::Closed,
            share if share < 0.5 => Mouth::Ajar,
            _ => Mouth::Open,
        })
        .collect();
    mouths.resize(frames, Mouth::Closed);
    Ok(mouths)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_letter_opens_the_mouth_and_a_space_closes_it() {
        use Mouth::{Ajar, Closed, Open};
        let expected = [Ajar, Open, Closed, Open, Closed, Closed, Ajar];
        assert_eq!(of_words("Hi o", 7), expected);
        assert_eq!(of_words("", 2), [Closed, Closed]);
    }
}
