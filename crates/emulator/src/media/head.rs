use image::{DynamicImage, Rgba, RgbaImage, imageops::FilterType};

/// The assumed position of the head in a portrait, as fractions of the image: left, top, width,
/// height.
const HEAD: [f32; 4] = [0.3, 0.08, 0.4, 0.44];

/// Returns the target with the source's head over its own. Body and scene stay (§4.3).
pub(crate) fn swap(source: &DynamicImage, target: &DynamicImage) -> DynamicImage {
    let [left, top, width, height] = head(source);
    let [target_left, target_top, target_width, target_height] = head(target);
    let head = source
        .crop_imm(left, top, width, height)
        .resize_exact(target_width, target_height, FilterType::Triangle)
        .to_rgba8();
    let mut swapped = target.to_rgba8();
    for (x, y, pixel) in head.enumerate_pixels() {
        let opacity = ellipse(&head, x, y);
        if let Some(below) = swapped.get_pixel_mut_checked(target_left + x, target_top + y) {
            *below = mixed(*below, *pixel, opacity);
        }
    }
    swapped.into()
}

fn head(picture: &DynamicImage) -> [u32; 4] {
    let width = picture.width() as f32;
    let height = picture.height() as f32;
    let [left, top, wide, high] = HEAD;
    [
        (left * width) as u32,
        (top * height) as u32,
        ((wide * width) as u32).max(1),
        ((high * height) as u32).max(1),
    ]
}

/// Returns the opacity at a point: 1 within the ellipse that fills the image, 0 outside, and
/// between these at its edge.
fn ellipse(picture: &RgbaImage, x: u32, y: u32) -> f32 {
    let from_middle = |at: u32, length: u32| (at as f32 + 0.5) / length as f32 * 2.0 - 1.0;
    let distance = from_middle(x, picture.width()).hypot(from_middle(y, picture.height()));
    ((1.0 - distance) * 6.0).clamp(0.0, 1.0)
}

fn mixed(below: Rgba<u8>, above: Rgba<u8>, opacity: f32) -> Rgba<u8> {
    let channel =
        |at: usize| (f32::from(below[at]) * (1.0 - opacity) + f32::from(above[at]) * opacity) as u8;
    Rgba([channel(0), channel(1), channel(2), below[3].max(channel(3))])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_image_of_one_pixel_is_accepted() {
        let dot: DynamicImage = RgbaImage::from_pixel(1, 1, Rgba([1, 2, 3, 255])).into();
        assert_eq!(swap(&dot, &dot).width(), 1);
    }
}
