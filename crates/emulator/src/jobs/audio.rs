//! Changes the volume of audio (§4.3).

use mediagate_core::grammar::{volume, volume::Volume};

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
    let volume = command.text("volume").unwrap_or_default();
    if wav::is_readable(&file.path) {
        return one(wav::amplify(&file.path, factor(volume)?)?, Content::WAV);
    }
    let same_format = Content::AUDIO_OUTPUTS.into_iter().find(|it| it.mime == file.content.mime);
    let filter = format!("volume={volume}");
    let options = ["-map", "0:a:0", "-af", &filter];
    let content = same_format.unwrap_or(Content::WAV);
    let bytes = tools.ffmpeg()?.convert(&[file.path.as_path().into()], &options, content.extension)?;
    match same_format {
        Some(_) => one(bytes, content),
        None => one_with_note(bytes, content, "as WAV: the format that was sent cannot be written"),
    }
}

/// The factor of a volume expression: a multiplier, or a decibel value.
///
/// # Errors
/// Any other expression.
fn factor(expression: &str) -> Result<f64, MediaError> {
    let number = |text: &str| text.parse::<f64>().ok().filter(|it| it.is_finite());
    let factor = match volume::parse(expression) {
        Some(Volume::Multiplier(text)) => number(text),
        Some(Volume::Decibels(text)) => number(text).map(|it| 10f64.powf(it / 20.0)),
        None => None,
    };
    factor.ok_or_else(|| MediaError::new("the volume is neither a multiplier nor a decibel value"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_volume_expression_is_a_factor() {
        assert_eq!(factor("0.5").unwrap(), 0.5);
        assert!((factor("-6dB").unwrap() - 0.501).abs() < 0.001);
        assert!((factor("+20dB").unwrap() - 10.0).abs() < 0.001);
        assert!(factor("loud").is_err());
    }
}
