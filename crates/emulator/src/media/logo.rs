//! Finds a logo in a frame by its image: first in small copies of both, then to the pixel. A search
//! of every position in full size would take minutes.

use image::{DynamicImage, RgbImage, RgbaImage, imageops::FilterType};

use super::region::Region;

/// The longest side of the small frame, in pixels. Every position in it is compared.
const COARSE_SIDE: u32 = 160;

/// The number of a logo's pixels that are compared at each position: enough to locate the logo, and
/// fast for a logo of any size.
const SAMPLES: u32 = 4096;

/// The largest mean difference of a channel, from 0 to 255, at which a position counts as the logo.
/// Compression blurs a logo, so the difference is rarely 0.
const MAX_DIFFERENCE: u32 = 40;

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
    let coarse_frame = small(frame).to_rgb8();
    let coarse_logo = small(logo).to_rgba8();
    let everywhere =
        (0..=coarse_frame.height().saturating_sub(coarse_logo.height())).flat_map(|y| {
            (0..=coarse_frame.width().saturating_sub(coarse_logo.width())).map(move |x| (x, y))
        });
    let Match {
        position: (x, y), ..
    } = best(&coarse_frame, &coarse_logo, everywhere)?;

    let frame = frame.to_rgb8();
    let logo = logo.to_rgba8();
    // A pixel of the small copy stands for `shrink` pixels, in both directions.
    let near = |at: u32, room: u32| {
        let middle = (at as f32 * shrink) as u32;
        let reach = shrink.ceil() as u32 + 1;
        middle.saturating_sub(reach).min(room)..=(middle + reach).min(room)
    };
    let columns = near(x, frame.width() - width);
    let positions =
        near(y, frame.height() - height).flat_map(|y| columns.clone().map(move |x| (x, y)));
    let Match {
        difference,
        position: (x, y),
    } = best(&frame, &logo, positions)?;
    (difference <= MAX_DIFFERENCE).then_some(Region::new(x, y, width, height))
}

/// A possible position of the logo, ordered by difference, then by position.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Match {
    /// The mean difference of a channel, from 0 to 255.
    difference: u32,
    position: (u32, u32),
}

/// Returns the position with the smallest difference. Returns `None` for a logo that is fully
/// transparent.
fn best(
    frame: &RgbImage,
    logo: &RgbaImage,
    positions: impl Iterator<Item = (u32, u32)>,
) -> Option<Match> {
    let step = (logo.width() * logo.height() / SAMPLES).isqrt().max(1);
    let points: Vec<_> = logo
        .enumerate_pixels()
        .filter(|(x, y, pixel)| x % step == 0 && y % step == 0 && pixel[3] > 127)
        .collect();
    let channels = 3 * points.len() as u32;
    if channels == 0 {
        return None;
    }
    let mut best: Option<Match> = None;
    'positions: for position in positions {
        let (left, top) = position;
        // The sum that makes this position worse than the best one. Most positions reach it after a
        // few points, so the search is fast.
        let most = best.map_or(u8::MAX.into(), |best| best.difference);
        let too_much = (most + 1) * channels;
        let mut sum = 0;
        for (x, y, own) in &points {
            let Some(shown) = frame.get_pixel_checked(left + x, top + y) else {
                continue; // rounding may make the small logo larger than the small frame
            };
            sum += (0..3)
                .map(|channel| u32::from(shown[channel].abs_diff(own[channel])))
                .sum::<u32>();
            if sum >= too_much {
                continue 'positions;
            }
        }
        let here = Match {
            difference: sum / channels,
            position,
        };
        if best.is_none_or(|best| here < best) {
            best = Some(here);
        }
    }
    best
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
            let region = Region::new(x as u32, y as u32, 60, 30);
            assert_eq!(find(&frame(Some((x, y))), &logo()), Some(region));
        }
        assert_eq!(find(&frame(None), &logo()), None);
    }

    #[test]
    fn a_logo_that_is_transparent_or_too_large_is_not_found() {
        let clear: DynamicImage = RgbaImage::new(8, 8).into();
        assert_eq!(find(&frame(None), &clear), None);
        assert_eq!(find(&logo(), &frame(None)), None, "larger than the frame");
        let dot: DynamicImage = RgbImage::from_pixel(1, 1, Rgb([255, 40, 0])).into();
        assert_eq!(find(&dot, &dot), Some(Region::new(0, 0, 1, 1)));
    }
}
