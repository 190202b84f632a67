//! Draws SVG images and layers on a canvas of pixels.

use image::{DynamicImage, RgbImage, RgbaImage};
use resvg::{
    tiny_skia::{FilterQuality, Pixmap, PixmapPaint, Transform},
    usvg::{Options, Tree},
};

use super::error::MediaError;

#[derive(Clone)]
pub(super) struct Canvas {
    pub(super) pixels: Pixmap,
}

impl Canvas {
    /// Creates a transparent canvas of this size in pixels.
    pub(super) fn new(width: u32, height: u32) -> Result<Self, MediaError> {
        let pixels = Pixmap::new(width.max(1), height.max(1))
            .ok_or_else(|| MediaError::new("the picture is too large to be drawn"))?;
        Ok(Canvas { pixels })
    }

    /// Draws an SVG image, whose unit is a pixel before the transformation.
    pub(super) fn svg(&mut self, svg: &str, at: Transform) -> Result<(), MediaError> {
        let tree = Tree::from_str(svg, &Options::default())
            .map_err(|error| MediaError::new(format!("a drawing is no valid SVG: {error}")))?;
        resvg::render(&tree, at, &mut self.pixels.as_mut());
        Ok(())
    }

    /// Draws another canvas, transformed.
    pub(super) fn blend(&mut self, other: &Canvas, at: Transform) {
        self.blend_faintly(other, 1.0, at);
    }

    /// Draws another canvas, transformed, with an opacity from 0 to 1.
    pub(super) fn blend_faintly(&mut self, other: &Canvas, opacity: f32, at: Transform) {
        let paint = PixmapPaint {
            opacity,
            quality: FilterQuality::Bilinear,
            ..PixmapPaint::default()
        };
        let pixels = other.pixels.as_ref();
        self.pixels.draw_pixmap(0, 0, pixels, &paint, at, None);
    }

    /// Draws another canvas with its upper left corner at a pixel.
    pub(super) fn copy(&mut self, other: &Canvas, left: i32, top: i32) {
        let pixels = other.pixels.as_ref();
        let paint = PixmapPaint::default();
        let plain = Transform::identity();
        self.pixels
            .draw_pixmap(left, top, pixels, &paint, plain, None);
    }

    pub(super) fn size(&self) -> (u32, u32) {
        (self.pixels.width(), self.pixels.height())
    }

    /// Returns red, green, blue and opacity of each pixel, a byte each.
    pub(super) fn into_rgba(self) -> Vec<u8> {
        self.pixels.take_demultiplied()
    }

    pub(super) fn into_rgba_image(self) -> Result<RgbaImage, MediaError> {
        let (width, height) = self.size();
        RgbaImage::from_raw(width, height, self.into_rgba())
            .ok_or_else(|| MediaError::new("the picture could not be drawn"))
    }

    /// Returns the picture without its opacity.
    pub(super) fn into_rgb(self) -> Result<RgbImage, MediaError> {
        Ok(DynamicImage::from(self.into_rgba_image()?).into_rgb8())
    }
}
