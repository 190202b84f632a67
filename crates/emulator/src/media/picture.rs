//! Reads and writes images.

use std::{
    io::{BufRead, BufReader, Cursor, Seek},
    path::Path,
};

use image::{DynamicImage, ImageFormat, ImageReader, Limits};

use super::error::MediaError;

/// Longest side of a requested image, in pixels. An image that is read may be twice as long.
pub(crate) const MAX_SIDE: u32 = 4096;

/// Decodes an image file: PNG, JPEG, GIF, WebP or BMP.
///
/// # Errors
/// A file that is damaged, too large, or of another format.
pub(crate) fn open(file: &Path) -> Result<DynamicImage, MediaError> {
    let file = std::fs::File::open(file).map_err(|_| MediaError::new("the picture is gone"))?;
    read(BufReader::new(file))
}

/// Decodes an image in memory, as [`open`] does.
pub(crate) fn decode(bytes: &[u8]) -> Result<DynamicImage, MediaError> {
    read(Cursor::new(bytes))
}

fn read(bytes: impl BufRead + Seek) -> Result<DynamicImage, MediaError> {
    let mut reader = ImageReader::new(bytes)
        .with_guessed_format()
        .map_err(|_| MediaError::new("the picture could not be read"))?;
    let mut limits = Limits::default();
    limits.max_image_width = Some(2 * MAX_SIDE);
    limits.max_image_height = Some(2 * MAX_SIDE);
    reader.limits(limits);
    reader.decode().map_err(|error| match error {
        image::ImageError::Limits(_) => MediaError::new("the picture is too large"),
        image::ImageError::Unsupported(_) => MediaError::new(
            "the picture's format is not supported; give PNG, JPEG, GIF, WebP or BMP",
        ),
        _ => MediaError::DamagedPicture,
    })
}

/// Encodes an image as PNG.
pub(crate) fn encode_png(picture: &DynamicImage) -> Result<Vec<u8>, MediaError> {
    let mut bytes = Cursor::new(Vec::new());
    picture
        .write_to(&mut bytes, ImageFormat::Png)
        .map_err(|error| MediaError::new(format!("the picture could not be written: {error}")))?;
    Ok(bytes.into_inner())
}

/// Writes an image as a BMP file for ffmpeg: opaque, and uncompressed for speed.
pub(crate) fn save_bmp(picture: &DynamicImage, file: &Path) -> Result<(), MediaError> {
    picture
        .to_rgb8()
        .save_with_format(file, ImageFormat::Bmp)
        .map_err(|_| MediaError::new("there is no room for temporary files"))
}
