use image::{DynamicImage, Rgba, RgbaImage};

use super::region::Region;

/// The largest distance from the border's colour at which a colour counts as background. The
/// largest possible distance is 441.
const MAX_COLOUR_DISTANCE: i32 = 48;

/// Makes the background transparent: pixels with the colour of the border that are connected to it.
/// A `region` limits the change to a part of the image, whose border then decides the colour. A
/// region outside the image stands for all of it.
pub(crate) fn remove(picture: &DynamicImage, region: Option<Region>) -> DynamicImage {
    let mut picture = picture.to_rgba8();
    let whole = Region::new(0, 0, picture.width(), picture.height());
    let region = region
        .and_then(|region| clipped(region, whole))
        .unwrap_or(whole);
    let background = border_colour(&picture, region);
    let mut pending = border(region);
    while let Some((x, y)) = pending.pop() {
        let pixel = picture.get_pixel_mut(x, y);
        // A transparent pixel has been visited already.
        if pixel[3] == 0 || distance(*pixel, background) > MAX_COLOUR_DISTANCE * MAX_COLOUR_DISTANCE
        {
            continue;
        }
        pixel[3] = 0;
        pending.extend(neighbours(x, y, region));
    }
    picture.into()
}

fn clipped(region: Region, within: Region) -> Option<Region> {
    let x = region.x.min(within.width);
    let y = region.y.min(within.height);
    let width = region.width.min(within.width - x);
    let height = region.height.min(within.height - y);
    (width > 0 && height > 0).then_some(Region::new(x, y, width, height))
}

fn border(region: Region) -> Vec<(u32, u32)> {
    let Region { x, y, .. } = region;
    let Region { width, height, .. } = region;
    let rows = (x..x + width).flat_map(|at| [(at, y), (at, y + height - 1)]);
    let columns = (y..y + height).flat_map(|at| [(x, at), (x + width - 1, at)]);
    rows.chain(columns).collect()
}

/// Returns the median of each channel along the border. Unlike the mean, it ignores a subject that
/// touches one side.
fn border_colour(picture: &RgbaImage, region: Region) -> Rgba<u8> {
    let points = border(region);
    let median = |channel: usize| {
        let mut values: Vec<u8> = points
            .iter()
            .map(|(x, y)| picture.get_pixel(*x, *y)[channel])
            .collect();
        values.sort_unstable();
        values.get(values.len() / 2).copied().unwrap_or_default()
    };
    Rgba([median(0), median(1), median(2), 255])
}

fn neighbours(x: u32, y: u32, region: Region) -> impl Iterator<Item = (u32, u32)> {
    let inside = move |(x, y): &(u32, u32)| {
        (region.x..region.x + region.width).contains(x)
            && (region.y..region.y + region.height).contains(y)
    };
    [
        (x.wrapping_sub(1), y),
        (x + 1, y),
        (x, y.wrapping_sub(1)),
        (x, y + 1),
    ]
    .into_iter()
    .filter(inside)
}

/// Returns the squared distance of two colours.
fn distance(one: Rgba<u8>, other: Rgba<u8>) -> i32 {
    (0..3)
        .map(|channel| (i32::from(one[channel]) - i32::from(other[channel])).pow(2))
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn square_on_white() -> DynamicImage {
        RgbaImage::from_fn(20, 20, |x, y| {
            let inside = (5..15).contains(&x) && (5..15).contains(&y);
            let hole = (9..11).contains(&x) && (9..11).contains(&y);
            if inside && !hole {
                Rgba([200, 0, 0, 255])
            } else {
                Rgba([250, 250, 250, 255])
            }
        })
        .into()
    }

    #[test]
    fn only_pixels_connected_to_the_border_become_transparent() {
        let cut = remove(&square_on_white(), None).to_rgba8();
        assert_eq!(cut.get_pixel(0, 0)[3], 0);
        assert_eq!(*cut.get_pixel(6, 6), Rgba([200, 0, 0, 255]));
        assert_eq!(
            cut.get_pixel(9, 9)[3],
            255,
            "a hole inside is part of the subject"
        );
    }

    #[test]
    fn a_region_limits_the_removal_and_one_outside_the_image_is_ignored() {
        let region = Region::new(0, 0, 4, 4);
        let cut = remove(&square_on_white(), Some(region)).to_rgba8();
        assert_eq!((cut.get_pixel(3, 3)[3], cut.get_pixel(4, 4)[3]), (0, 255));
        let outside = Region::new(900, 0, u32::MAX, 4);
        let cut = remove(&square_on_white(), Some(outside)).to_rgba8();
        assert_eq!(cut.get_pixel(19, 19)[3], 0);
    }
}
