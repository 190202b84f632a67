use super::{
    inputs::file,
    product::{JobResult, one, one_with_note},
};
use crate::{
    command::CreateCommand,
    media::{MediaError, Tools, wav},
    storage::Content,
};

pub(super) fn adjust_volume(command: &CreateCommand, tools: &Tools) -> JobResult {
    let file = file(command, "input_file_id")?;
    let factor = factor(command.text("volume").unwrap_or_default())?;
    if wav::is_readable(&file.path) {
        return one(wav::amplify(&file.path, factor)?, Content::WAV);
    }
    let same_format = Content::AUDIO_OUTPUTS
        .into_iter()
        .find(|content| content.mime == file.content.mime);
    // A filter can read files, so it contains only a number, and never the text of a caller.
    let options = format!("-map 0:a:0 -af volume={factor:.6}");
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
            "as WAV: the format of the input cannot be written",
        ),
    }
}

/// The largest factor: it turns the quietest sound of 16 bits into the loudest.
const MAX_FACTOR: f64 = 32_768.0;

/// Returns the factor of a volume (§4.3): of "an ffmpeg volume expression", this reads a multiplier
/// and a decibel value, with spaces and in any case of letters.
fn factor(expression: &str) -> Result<f64, MediaError> {
    let expression = expression.trim().to_lowercase();
    let number = |text: &str| {
        let number = text.trim().parse::<f64>().ok()?;
        number.is_finite().then_some(number)
    };
    let factor = match expression.strip_suffix("db") {
        Some(decibels) => number(decibels).map(|decibels| 10f64.powf(decibels / 20.0)),
        None => number(&expression),
    };
    match factor {
        Some(factor) => Ok(factor.clamp(-MAX_FACTOR, MAX_FACTOR)),
        None => Err(MediaError::of_input(
            "the volume has a form that this emulator does not compute; \
             give one such as 0.5 or -6dB",
        )),
    }
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
