//! Reads and writes pictures.

use std::{
    io::{BufRead, BufReader, Cursor, Seek},
    path::Path,
};

use image::{DynamicImage, ImageFormat, ImageReader, Limits};

use super::Failure;

/// Longest side of a picture, in pixels, whether read or drawn.
pub(crate) const LONGEST_SIDE: u32 = 4096;

/// Decodes a picture of any supported format.
pub(crate) fn open(file: &Path) -> Result<DynamicImage, Failure> {
    let file = std::fs::File::open(file).map_err(|_| Failure::new("the picture is gone"))?;
    read(BufReader::new(file))
}

/// Decodes a picture that is in memory.
pub(crate) fn decode(bytes: &[u8]) -> Result<DynamicImage, Failure> {
    read(Cursor::new(bytes))
}

fn read(bytes: impl BufRead + Seek) -> Result<DynamicImage, Failure> {
    let mut reader =
        ImageReader::new(bytes).with_guessed_format().map_err(|_| Failure::new("the picture could not be read"))?;
    let mut limits = Limits::default();
    limits.max_image_width = Some(2 * LONGEST_SIDE);
    limits.max_image_height = Some(2 * LONGEST_SIDE);
    reader.limits(limits);
    reader.decode().map_err(|error| {
        Failure::new(match error {
            image::ImageError::Limits(_) => "the picture is too large",
            image::ImageError::Unsupported(_) => {
                "the picture's format is not supported; give PNG, JPEG, GIF, WebP or BMP"
            }
            _ => "the picture is damaged or cut off",
        })
    })
}

/// Encodes a picture as PNG.
pub(crate) fn png(picture: &DynamicImage) -> Result<Vec<u8>, Failure> {
    let mut bytes = Cursor::new(Vec::new());
    picture
        .write_to(&mut bytes, ImageFormat::Png)
        .map_err(|error| Failure::new(format!("the picture could not be written: {error}")))?;
    Ok(bytes.into_inner())
}

/// Writes a picture to a file for ffmpeg: opaque, and without the time that compressing takes.
pub(crate) fn save(picture: &DynamicImage, file: &Path) -> Result<(), Failure> {
    picture
        .to_rgb8()
        .save_with_format(file, ImageFormat::Bmp)
        .map_err(|_| Failure::new("there is no room for temporary files"))
}
