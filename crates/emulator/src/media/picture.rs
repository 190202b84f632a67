use std::{
    io::{BufRead, BufReader, Cursor, Seek},
    path::Path,
};

use image::{DynamicImage, ImageDecoder, ImageFormat, ImageReader, ImageResult, Limits};

use super::error::MediaError;

/// The longest side of a requested image, in pixels. An image that is read may be twice as long.
pub(crate) const MAX_SIDE: u32 = 4096;

/// Decodes an image file: PNG, JPEG, GIF, WebP or BMP. A photo is rotated by its EXIF orientation.
pub(crate) fn open(file: &Path) -> Result<DynamicImage, MediaError> {
    let file = std::fs::File::open(file).map_err(|_| MediaError::new("the picture is gone"))?;
    read(BufReader::new(file))
}

pub(crate) fn decode(bytes: &[u8]) -> Result<DynamicImage, MediaError> {
    read(Cursor::new(bytes))
}

fn read(bytes: impl BufRead + Seek) -> Result<DynamicImage, MediaError> {
    let mut reader = ImageReader::new(bytes)
        .with_guessed_format()
        .map_err(|_| MediaError::new("the picture could not be read"))?;
    // A small file can declare any size.
    let mut limits = Limits::default();
    limits.max_image_width = Some(2 * MAX_SIDE);
    limits.max_image_height = Some(2 * MAX_SIDE);
    reader.limits(limits);
    upright(reader).map_err(|error| match error {
        image::ImageError::Limits(_) => MediaError::of_input("the picture is too large"),
        image::ImageError::Unsupported(_) => MediaError::of_input(
            "the picture's format is not supported; give PNG, JPEG, GIF, WebP or BMP",
        ),
        _ => MediaError::DamagedPicture,
    })
}

/// Decodes an image and rotates it by its EXIF orientation, as browsers do.
fn upright(reader: ImageReader<impl BufRead + Seek>) -> ImageResult<DynamicImage> {
    let mut decoder = reader.into_decoder()?;
    let orientation = decoder.orientation()?;
    let mut picture = DynamicImage::from_decoder(decoder)?;
    picture.apply_orientation(orientation);
    Ok(picture)
}

pub(crate) fn encode_png(picture: &DynamicImage) -> Result<Vec<u8>, MediaError> {
    let mut bytes = Cursor::new(Vec::new());
    picture
        .write_to(&mut bytes, ImageFormat::Png)
        .map_err(|error| MediaError::new(format!("the picture could not be written: {error}")))?;
    Ok(bytes.into_inner())
}

/// Writes an image as BMP, which is opaque, and fast because it is uncompressed.
pub(crate) fn save_bmp(picture: &DynamicImage, file: &Path) -> Result<(), MediaError> {
    picture
        .to_rgb8()
        .save_with_format(file, ImageFormat::Bmp)
        .map_err(|_| MediaError::new("there is no room for temporary files"))
}

#[cfg(test)]
mod tests {
    use image::{Rgb, RgbImage};

    use super::*;

    /// Returns an EXIF segment whose only entry is an orientation.
    fn exif(orientation: u8) -> Vec<u8> {
        let entry = [0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, orientation, 0, 0];
        let mut segment = vec![0xff, 0xe1, 0, 34];
        segment.extend(b"Exif\0\0MM\0\x2a\0\0\0\x08\0\x01");
        segment.extend(entry);
        segment.extend([0; 4]);
        segment
    }

    #[test]
    fn a_photo_is_turned_as_its_camera_says() {
        // Red on the left, blue on the right.
        let side = |x| {
            if x < 16 {
                Rgb([255, 0, 0])
            } else {
                Rgb([0, 0, 255])
            }
        };
        let stored = RgbImage::from_fn(32, 16, |x, _| side(x));
        let mut jpeg = Cursor::new(Vec::new());
        stored.write_to(&mut jpeg, ImageFormat::Jpeg).unwrap();
        let jpeg = jpeg.into_inner();
        let with = |orientation| [&jpeg[..2], &exif(orientation), &jpeg[2..]].concat();
        let is_red = |picture: &RgbImage, x, y| picture.get_pixel(x, y).0[0] > 200;

        let as_stored = decode(&with(1)).unwrap().to_rgb8();
        assert_eq!(as_stored.dimensions(), (32, 16));
        assert!(is_red(&as_stored, 0, 0) && !is_red(&as_stored, 31, 0));
        // Turned right by a quarter: the left side is at the top now.
        let turned = decode(&with(6)).unwrap().to_rgb8();
        assert_eq!(turned.dimensions(), (16, 32));
        assert!(is_red(&turned, 0, 0) && is_red(&turned, 15, 0) && !is_red(&turned, 0, 31));
    }
}
