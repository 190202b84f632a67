//! Changes the volume of audio (§4.3).

use super::{
    inputs::file,
    product::{JobResult, one, one_with_note},
};
use crate::{
    command::CreateCommand,
    media::{MediaError, Tools, wav},
    storage::Content,
};

/// Changes the volume: of WAV audio sample by sample, of other audio with ffmpeg, which keeps the format where it can
/// write it.
pub(super) fn adjust_volume(command: &CreateCommand, tools: &Tools) -> JobResult {
    let file = file(command, "input_file_id")?;
    let factor = factor(command.text("volume").unwrap_or_default())?;
    if wav::is_readable(&file.path) {
        return one(wav::amplify(&file.path, factor)?, Content::WAV);
    }
    let same_format = Content::AUDIO_OUTPUTS
        .into_iter()
        .find(|it| it.mime == file.content.mime);
    let filter = format!("volume={factor:.6}"); // a number, never the text of a caller
    let options = ["-map", "0:a:0", "-af", &filter];
    let content = same_format.unwrap_or(Content::WAV);
    let bytes =
        tools
            .ffmpeg()?
            .convert(&[file.path.as_path().into()], &options, content.extension)?;
    match same_format {
        Some(_) => one(bytes, content),
        None => one_with_note(
            bytes,
            content,
            "as WAV: the format that was sent cannot be written",
        ),
    }
}

/// The largest factor: it makes the quietest sound of 16 bits the loudest.
const MAX_FACTOR: f64 = 32_768.0;

/// The factor of a volume: of the document's "ffmpeg volume expression: a multiplier or a decibel value", these two, with
/// spaces and in any case of letters.
///
/// # Errors
/// Any other expression.
fn factor(expression: &str) -> Result<f64, MediaError> {
    let expression = expression.trim().to_lowercase();
    let number = |text: &str| text.trim().parse::<f64>().ok().filter(|it| it.is_finite());
    let factor = match expression.strip_suffix("db") {
        Some(decibels) => number(decibels).map(|it| 10f64.powf(it / 20.0)),
        None => number(&expression),
    };
    factor.map(|it| it.clamp(-MAX_FACTOR, MAX_FACTOR)).ok_or_else(|| {
        MediaError::new("the volume has a form that this emulator does not compute; give one such as 0.5 or -6dB")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_volume_is_a_factor() {
        assert_eq!(factor(" 0.5 ").unwrap(), 0.5);
        assert!((factor("-6 dB").unwrap() - 0.501).abs() < 0.001);
        assert!((factor("+20DB").unwrap() - 10.0).abs() < 0.001);
        assert_eq!(factor("1e300").unwrap(), MAX_FACTOR);
        for expression in ["loud", "", "dB", "inf", "nan", "volume*2", "0.5,anull"] {
            assert!(factor(expression).is_err(), "{expression}");
        }
    }
}
