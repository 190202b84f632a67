use std::{
    io::{BufReader, Cursor},
    path::Path,
};

use hound::{SampleFormat, WavReader, WavSpec, WavWriter};

use super::error::MediaError;

/// Multiplies every sample by `factor`, clipped at full scale. Fails for a damaged file, and for a
/// sample format that is not supported.
pub(crate) fn amplify(file: &Path, factor: f64) -> Result<Vec<u8>, MediaError> {
    let mut reader = WavReader::open(file).map_err(unreadable)?;
    let spec = reader.spec();
    let mut bytes = Cursor::new(Vec::new());
    let mut writer = WavWriter::new(&mut bytes, spec).map_err(unwritable)?;
    match spec.sample_format {
        SampleFormat::Float => {
            for sample in reader.samples::<f32>() {
                let louder = f64::from(sample.map_err(unreadable)?) * factor;
                writer
                    .write_sample(louder.clamp(-1.0, 1.0) as f32)
                    .map_err(unwritable)?;
            }
        }
        SampleFormat::Int => {
            // A sample beyond full scale would wrap around, which sounds like noise.
            let (min, max) = range(spec);
            for sample in reader.samples::<i32>() {
                let louder = f64::from(sample.map_err(unreadable)?) * factor;
                writer
                    .write_sample(louder.round().clamp(min, max) as i32)
                    .map_err(unwritable)?;
            }
        }
    }
    writer.finalize().map_err(unwritable)?;
    Ok(bytes.into_inner())
}

/// Reads the length in seconds from the header. `None` if the file is no readable WAV audio.
pub(crate) fn seconds(file: &Path) -> Option<f64> {
    let reader: WavReader<BufReader<std::fs::File>> = WavReader::open(file).ok()?;
    // A damaged header may have a rate of 0.
    Some(f64::from(reader.duration()) / f64::from(reader.spec().sample_rate.max(1)))
}

pub(crate) fn is_readable(file: &Path) -> bool {
    WavReader::open(file).is_ok()
}

fn range(spec: WavSpec) -> (f64, f64) {
    let full = 2f64.powi(i32::from(spec.bits_per_sample) - 1);
    (-full, full - 1.0)
}

fn unreadable(error: hound::Error) -> MediaError {
    match error {
        hound::Error::Unsupported => MediaError::of_input(
            "the WAV sound has a format that is not supported; give PCM or 32-bit float",
        ),
        _ => MediaError::DamagedSound,
    }
}

fn unwritable(error: hound::Error) -> MediaError {
    MediaError::new(format!("the sound could not be written: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(spec: WavSpec, samples: &[i32]) -> tempfile::NamedTempFile {
        let file = tempfile::NamedTempFile::new().unwrap();
        let mut writer = WavWriter::create(file.path(), spec).unwrap();
        samples
            .iter()
            .for_each(|sample| writer.write_sample(*sample).unwrap());
        writer.finalize().unwrap();
        file
    }

    #[test]
    fn louder_samples_clip_and_never_wrap() {
        for bits_per_sample in [8, 16, 24, 32] {
            let spec = WavSpec {
                channels: 1,
                sample_rate: 8000,
                bits_per_sample,
                sample_format: SampleFormat::Int,
            };
            let largest = ((1i64 << (bits_per_sample - 1)) - 1) as i32;
            let file = file(spec, &[10, -10, largest / 2 + 1, -(largest / 2) - 2]);
            let louder = amplify(file.path(), 2.0).unwrap();
            let samples: Vec<i32> = WavReader::new(louder.as_slice())
                .unwrap()
                .samples()
                .map(Result::unwrap)
                .collect();
            assert_eq!(
                samples,
                [20, -20, largest, -largest - 1],
                "{bits_per_sample} bits"
            );
        }
    }

    #[test]
    fn the_length_is_in_seconds() {
        let spec = WavSpec {
            channels: 2,
            sample_rate: 1000,
            bits_per_sample: 16,
            sample_format: SampleFormat::Int,
        };
        assert_eq!(seconds(file(spec, &[0; 5000]).path()), Some(2.5));
    }
}
