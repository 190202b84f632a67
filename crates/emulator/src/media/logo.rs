//! Finds a logo in a frame by its image: first in small copies of both, then to the pixel.

use image::{DynamicImage, RgbImage, RgbaImage, imageops::FilterType};

use super::region::Region;

/// Longest side of the small copies, in pixels: every position in them is compared.
const COARSE_SIDE: u32 = 160;

/// Pixels of a logo that are compared at each position: enough to locate it, and fast for a logo of any size.
const SAMPLES: u32 = 4096;

/// The largest mean difference of a channel, of 255, at which a position counts as the logo: compression blurs.
const MAX_DIFFERENCE: u32 = 40;

/// Finds the logo in the frame, in its own size; `None` where it does not occur.
pub(crate) fn find(frame: &DynamicImage, logo: &DynamicImage) -> Option<Region> {
    let (width, height) = (logo.width(), logo.height());
    if width > frame.width() || height > frame.height() || width == 0 || height == 0 {
        return None;
    }
    let shrink = (frame.width().max(frame.height()) as f32 / COARSE_SIDE as f32).max(1.0);
    let small = |of: &DynamicImage| {
        let side = |length: u32| ((length as f32 / shrink).round() as u32).max(1);
        of.resize_exact(side(of.width()), side(of.height()), FilterType::Triangle)
    };
    let (coarse_frame, coarse_logo) = (small(frame).to_rgb8(), small(logo).to_rgba8());
    let everywhere =
        (0..=coarse_frame.height().saturating_sub(coarse_logo.height())).flat_map(|y| {
            (0..=coarse_frame.width().saturating_sub(coarse_logo.width())).map(move |x| (x, y))
        });
    let (x, y) = best(&coarse_frame, &coarse_logo, everywhere)?.1;

    let (frame, logo) = (frame.to_rgb8(), logo.to_rgba8());
    let near = |at: u32, room: u32| {
        let (middle, reach) = ((at as f32 * shrink) as u32, shrink.ceil() as u32 + 1);
        middle.saturating_sub(reach).min(room)..=(middle + reach).min(room)
    };
    let columns = near(x, frame.width() - width);
    let positions =
        near(y, frame.height() - height).flat_map(|y| columns.clone().map(move |x| (x, y)));
    let (difference, (x, y)) = best(&frame, &logo, positions)?;
    (difference <= MAX_DIFFERENCE).then_some(Region {
        x,
        y,
        width,
        height,
    })
}

/// The smallest difference between the frame and the logo, and the position where it occurs.
fn best(
    frame: &RgbImage,
    logo: &RgbaImage,
    positions: impl Iterator<Item = (u32, u32)>,
) -> Option<(u32, (u32, u32))> {
    let step = (logo.width() * logo.height() / SAMPLES).isqrt().max(1);
    let points: Vec<_> = logo
        .enumerate_pixels()
        .filter(|(x, y, pixel)| x % step == 0 && y % step == 0 && pixel[3] > 127)
        .collect();
    let channels = 3 * points.len() as u32;
    // The mean difference of a channel, unless it is more than `most`: the sum ends where that is certain.
    let difference = |(left, top): (u32, u32), most: u32| {
        let too_much = (most + 1) * channels;
        let mut shown = points
            .iter()
            .filter_map(|(x, y, logo)| Some((frame.get_pixel_checked(left + x, top + y)?, logo)));
        let sum = shown.try_fold(0, |sum, (shown, logo)| {
            let sum = sum
                + (0..3)
                    .map(|it| u32::from(shown[it].abs_diff(logo[it])))
                    .sum::<u32>();
            (sum < too_much).then_some(sum)
        })?;
        Some(sum / channels)
    };
    // A logo that is fully transparent is found nowhere.
    positions
        .filter(|_| channels > 0)
        .fold(None, |best, position| {
            let most = best.map_or(u8::MAX.into(), |(least, _)| least);
            let here = difference(position, most).map(|it| (it, position));
            best.into_iter().chain(here).min()
        })
}

#[cfg(test)]
mod tests {
    use image::{Rgb, Rgba};

    use super::*;

    fn logo() -> DynamicImage {
        RgbaImage::from_fn(60, 30, |x, y| {
            let ring = (x as i32 - 30).pow(2) / 4 + (y as i32 - 15).pow(2) < 180;
            if ring {
                Rgba([255, 40, (4 * x) as u8, 255])
            } else {
                Rgba([0, 0, 0, 0])
            }
        })
        .into()
    }

    fn frame(at: Option<(i64, i64)>) -> DynamicImage {
        let mut frame: DynamicImage =
            RgbImage::from_fn(400, 300, |x, y| Rgb([(x / 4) as u8, (y / 2) as u8, 90])).into();
        if let Some((x, y)) = at {
            image::imageops::overlay(&mut frame, &logo(), x, y);
        }
        frame
    }

    #[test]
    fn a_logo_is_found_to_the_pixel_and_only_where_it_is() {
        for (x, y) in [(0, 0), (13, 207), (340, 270), (201, 3)] {
            let region = Region {
                x: x as u32,
                y: y as u32,
                width: 60,
                height: 30,
            };
            assert_eq!(
                find(&frame(Some((x, y))), &logo()),
                Some(region),
                "{x}, {y}"
            );
        }
        assert_eq!(find(&frame(None), &logo()), None);
    }

    #[test]
    fn a_logo_that_is_transparent_or_too_large_is_not_found() {
        let clear: DynamicImage = RgbaImage::new(8, 8).into();
        assert_eq!(find(&frame(None), &clear), None);
        assert_eq!(find(&logo(), &frame(None)), None, "larger than the frame");
        let dot: DynamicImage = RgbImage::from_pixel(1, 1, Rgb([255, 40, 0])).into();
        assert_eq!(
            find(&dot, &dot),
            Some(Region {
                x: 0,
                y: 0,
                width: 1,
                height: 1
            })
        );
    }
}
