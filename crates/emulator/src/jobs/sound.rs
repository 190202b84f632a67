//! The volume of a sound.

use mediagate_core::grammar::{volume, volume::Volume};

use super::{Products, Tools, file, noted, one};
use crate::{
    checks::Order,
    files::Content,
    media::{Failure, wav},
};

/// A WAV sound sample by sample, any other through ffmpeg, in its own format where that can be written.
pub(super) fn adjust_volume(order: &Order, tools: &Tools) -> Products {
    let file = file(order, "input_file_id")?;
    let volume = order.text("volume").unwrap_or_default();
    if wav::is_readable(&file.path) {
        return one(wav::amplify(&file.path, factor(volume)?)?, Content::WAV);
    }
    let written = Content::SOUNDS.into_iter().find(|it| it.mime == file.content.mime);
    let filter = format!("volume={volume}");
    let options = ["-map", "0:a:0", "-af", &filter];
    let content = written.unwrap_or(Content::WAV);
    let bytes = tools.ffmpeg()?.convert(&[file.path.as_path().into()], &options, content.extension)?;
    match written {
        Some(_) => one(bytes, content),
        None => noted(bytes, content, "as WAV: the format that was sent cannot be written"),
    }
}

/// The factor that a volume expression means.
fn factor(expression: &str) -> Result<f64, Failure> {
    let number = |text: &str| text.parse::<f64>().ok().filter(|it| it.is_finite());
    let factor = match volume::parse(expression) {
        Some(Volume::Multiplier(text)) => number(text),
        Some(Volume::Decibels(text)) => number(text).map(|it| 10f64.powf(it / 20.0)),
        None => None,
    };
    factor.ok_or_else(|| Failure::new("the volume is neither a multiplier nor a decibel value"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_volume_is_a_factor() {
        assert_eq!(factor("0.5").unwrap(), 0.5);
        assert!((factor("-6dB").unwrap() - 0.501).abs() < 0.001);
        assert!((factor("+20dB").unwrap() - 10.0).abs() < 0.001);
        assert!(factor("loud").is_err());
    }
}
