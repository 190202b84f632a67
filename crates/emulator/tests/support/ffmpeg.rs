//! Makes and decodes videos and audio with the ffmpeg that the emulator finds.

use std::{fs, path::PathBuf, process::Command, sync::LazyLock};

use image::{DynamicImage, Pixel, Rgb};
use mediagate_emulator::{Config, Emulator};

static PROGRAM: LazyLock<PathBuf> = LazyLock::new(|| {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let bound =
        std::thread::spawn(move || runtime.block_on(Emulator::bind(Config::default())).unwrap());
    bound
        .join()
        .unwrap()
        .ffmpeg()
        .unwrap_or_else(|missing| panic!("these tests need ffmpeg: {missing}"))
        .to_owned()
});

/// Runs ffmpeg with these arguments, separated by spaces, and returns the bytes of its output.
pub fn make(arguments: &str, extension: &str) -> Vec<u8> {
    run(None, arguments, extension)
}

/// Runs ffmpeg like [`make`], with `file` as the first input.
pub fn from(file: &[u8], arguments: &str, extension: &str) -> Vec<u8> {
    run(Some(file), arguments, extension)
}

fn run(file: Option<&[u8]>, arguments: &str, extension: &str) -> Vec<u8> {
    let directory = tempfile::tempdir().unwrap();
    let input = directory.path().join("input");
    let output = directory.path().join("output").with_extension(extension);
    let mut command = Command::new(&*PROGRAM);
    command.args(["-hide_banner", "-loglevel", "error"]);
    if let Some(file) = file {
        fs::write(&input, file).unwrap();
        command.arg("-i").arg(&input);
    }
    let run = command
        .args(arguments.split_whitespace())
        .arg(&output)
        .output()
        .unwrap();
    assert!(
        run.status.success(),
        "{arguments}: {}",
        String::from_utf8_lossy(&run.stderr)
    );
    fs::read(output).unwrap()
}

/// Returns two seconds of red, then two of blue, 160x120, with a tone. The index is at the front.
pub fn red_then_blue() -> Vec<u8> {
    make(
        "-f lavfi -i color=red:s=160x120:r=10:d=2 -f lavfi -i color=blue:s=160x120:r=10:d=2 \
         -f lavfi -i sine=440:d=4 -filter_complex [0][1]concat[v] -map [v] -map 2:a \
         -c:v libx264 -pix_fmt yuv420p -c:a aac -movflags +faststart",
        "mp4",
    )
}

/// Returns the frame at a time in seconds.
pub fn frame(video: &[u8], at: f64) -> DynamicImage {
    image::load_from_memory(&from(video, &format!("-ss {at} -frames:v 1"), "png")).unwrap()
}

/// Returns true if a pixel has about this colour. Compression changes colours slightly.
pub fn is_about(frame: &DynamicImage, (x, y): (u32, u32), colour: [u8; 3]) -> bool {
    let shown: Rgb<u8> = *frame.to_rgb8().get_pixel(x, y);
    shown
        .channels()
        .iter()
        .zip(colour)
        .all(|(shown, wanted)| shown.abs_diff(wanted) < 48)
}

/// Returns the length of a video in tenths of a second, by counting its frames at ten a second.
pub fn tenths(video: &[u8]) -> usize {
    from(
        video,
        "-map 0:v -vf fps=10,scale=2:2,format=gray -f rawvideo",
        "raw",
    )
    .len()
        / 4
}

/// Returns the loudness of the audio: the root mean square of its samples. It is 0 without audio.
pub fn loudness(media: &[u8]) -> f64 {
    let samples = from(media, "-map 0:a? -ac 1 -ar 8000 -f s16le", "raw");
    let samples: Vec<f64> = samples
        .chunks_exact(2)
        .map(|sample| f64::from(i16::from_le_bytes([sample[0], sample[1]])))
        .collect();
    (samples.iter().map(|sample| sample * sample).sum::<f64>() / samples.len().max(1) as f64).sqrt()
}
