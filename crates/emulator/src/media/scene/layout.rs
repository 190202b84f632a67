//! Places the things of a scene in its picture.

use fastrand::Rng;
use resvg::tiny_skia::Transform;

use super::{Ground, Stands, between, light::Light};
use crate::media::{canvas::Canvas, error::MediaError};

/// The size of the drawing of a place, and its horizon.
pub(super) const PLACE: (f32, f32) = (1600.0, 900.0);
pub(super) const HORIZON: f32 = 560.0;

/// The part of a place that is drawn at each side of a picture, as a share of its height. It comes
/// into view when the place moves.
pub(super) const MARGIN: f32 = 0.055;

/// What the things of a scene have in common. Lengths are pixels.
pub(super) struct Stage {
    pub(super) light: Light,
    pub(super) ground: Ground,
    pub(super) width: f32,
    pub(super) height: f32,
    /// As a share of the height.
    pub(super) horizon: f32,
}

/// The side of the drawing of a subject, and the height of its foot.
pub(super) const SIDE: f32 = 400.0;
pub(super) const FOOT: f32 = 380.0;

/// The part of a place that fills a picture, in the units of the place.
pub(super) struct View {
    pub(super) left: f32,
    pub(super) top: f32,
    pub(super) width: f32,
    pub(super) height: f32,
}

impl View {
    /// Chooses the part for a picture of these proportions.
    pub(super) fn of((width, height): (f32, f32), rng: &mut Rng) -> Self {
        let margin = MARGIN * height;
        let scale = ((width + 2.0 * margin) / PLACE.0).max(height / PLACE.1);
        let (seen_width, seen_height) = (width / scale, height / scale);
        let room = PLACE.0 - seen_width - 2.0 * margin / scale;
        // The horizon stays at its height, even if a wide picture shows less of sky and ground.
        let top = HORIZON - seen_height * HORIZON / PLACE.1;
        View {
            left: margin / scale + room / 2.0 + 0.35 * room * between(rng, -1.0, 1.0),
            // A height that is rounded up may exceed that of the place.
            top: top.clamp(0.0, (PLACE.1 - seen_height).max(0.0)),
            width: seen_width,
            height: seen_height,
        }
    }

    /// Returns the transformation from the units of the place to a picture of this width in pixels.
    pub(super) fn onto(&self, width: f32) -> Transform {
        let scale = width / self.width;
        Transform::from_row(
            scale,
            0.0,
            0.0,
            scale,
            -self.left * scale,
            -self.top * scale,
        )
    }

    /// Returns the horizon as a share of the picture's height.
    pub(super) fn horizon(&self) -> f32 {
        (HORIZON - self.top) / self.height
    }
}

/// The part of a subject's drawing that is not transparent, in its units.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bounds {
    pub(super) left: f32,
    pub(super) top: f32,
    pub(super) right: f32,
}

impl Bounds {
    /// Measures a drawing. A glow counts as transparent.
    pub(super) fn of(drawing: &str) -> Result<Self, MediaError> {
        const GRID: u32 = 80;
        let unit = SIDE / GRID as f32;
        let mut canvas = Canvas::new(GRID, GRID)?;
        canvas.svg(drawing, Transform::from_scale(1.0 / unit, 1.0 / unit))?;
        let mut bounds = Bounds {
            left: SIDE / 2.0,
            top: FOOT - 1.0,
            right: SIDE / 2.0,
        };
        for (index, pixel) in canvas.pixels.pixels().iter().enumerate() {
            if pixel.alpha() > 150 {
                let across = (index as u32 % GRID) as f32 * unit;
                let down = (index as u32 / GRID) as f32 * unit;
                bounds.left = bounds.left.min(across);
                bounds.right = bounds.right.max(across + unit);
                bounds.top = bounds.top.min(down);
            }
        }
        Ok(bounds)
    }

    fn width(self) -> f32 {
        (self.right - self.left).max(10.0)
    }

    fn height(self) -> f32 {
        FOOT - self.top
    }
}

/// A thing to be placed, as often as `count`.
pub(super) struct Item {
    pub(super) drawing: String,
    pub(super) bounds: Bounds,
    /// The height as a share of the picture's.
    pub(super) height: f32,
    /// `None` for a person, whom the lower edge of the picture cuts off.
    pub(super) stands: Option<Stands>,
    /// True if a beach is drawn under it at the water.
    pub(super) needs_land: bool,
    pub(super) count: usize,
}

/// The place of a drawing in a picture, in pixels.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spot {
    pub(super) item: usize,
    /// The middle of what is seen of the drawing.
    pub(super) across: f32,
    /// The foot of the drawing.
    pub(super) foot: f32,
    /// Pixels for each unit of the drawing.
    pub(super) scale: f32,
    pub(super) is_mirrored: bool,
}

impl Item {
    fn hovers(&self) -> bool {
        self.stands == Some(Stands::Sky)
    }

    /// Returns true for a thing of the ground whose drawing has a rock in the water.
    pub(super) fn is_rock(&self) -> bool {
        matches!(self.stands, Some(Stands::Ground | Stands::Road)) && !self.needs_land
    }
}

/// Returns the share of the way from the horizon to the lower edge at which a table begins. `None`
/// if there is none: a thing of a table that is not the main one stands on the ground.
pub(super) fn table(items: &[Item]) -> Option<f32> {
    let on_table = |item: &Item| item.stands == Some(Stands::Table);
    let main = items.first()?;
    if on_table(main) {
        Some(0.36)
    } else if main.stands.is_none() && items.iter().any(on_table) {
        Some(0.52)
    } else {
        None
    }
}

/// Returns the share of the way from the horizon to the lower edge at which a beach begins, if
/// things need one. Ships pass behind it.
pub(super) fn shore(items: &[Item], ground: Ground) -> Option<f32> {
    let is_needed = ground == Ground::Water && items.iter().any(|item| item.needs_land);
    let is_alone = items.iter().all(|item| item.needs_land);
    is_needed.then_some(if is_alone { 0.3 } else { 0.46 })
}

/// Returns the places of all items, from the back to the front.
pub(super) fn arrange(items: &[Item], stage: &Stage, rng: &mut Rng) -> Vec<Spot> {
    let mut spots = hovering(items, stage, rng);
    spots.extend(standing(items, stage, rng));
    spots
}

fn standing(items: &[Item], stage: &Stage, rng: &mut Rng) -> Vec<Spot> {
    let Stage {
        height, horizon, ..
    } = *stage;
    let mut spots = sized(items, stage, |item| !item.hovers());
    let overlap = match spots.len() {
        _ if !stage.is_high() => 0.0,
        0..=2 => 0.2,
        _ => 0.32,
    };
    line_up(&mut spots, items, stage.width, overlap, rng);
    let has_shore = shore(items, stage.ground).is_some();
    for (index, spot) in spots.iter_mut().enumerate() {
        let item = &items[spot.item];
        // Every second one is a little further away.
        let back = if index % 2 == 1 { 0.12 } else { 0.0 };
        let depth = match item.stands {
            None => 1.0,
            Some(Stands::Water) if has_shore => 0.34,
            Some(_) if has_shore && item.is_rock() => 0.34,
            Some(Stands::Water) => 0.58 - back,
            Some(Stands::Table) => 0.74 - back / 2.0,
            Some(_) => 0.74 - back,
        };
        spot.foot = height * (horizon + (1.0 - horizon) * depth);
        if item.stands.is_some() && items.len() == 1 {
            // A low thing in a high picture comes up to its middle.
            let missing = 0.42 * height - item.bounds.height() * spot.scale;
            spot.foot -= 0.35 * missing.clamp(0.0, 0.3 * height);
        }
    }
    spots.sort_by(|one, other| one.foot.total_cmp(&other.foot));
    spots
}

fn hovering(items: &[Item], stage: &Stage, rng: &mut Rng) -> Vec<Spot> {
    let is_alone = items.iter().all(Item::hovers);
    let mut spots = sized(items, stage, Item::hovers);
    if !is_alone {
        for spot in &mut spots {
            spot.scale *= 0.62;
        }
    }
    let overlap = if stage.is_high() { 0.4 } else { 0.15 };
    line_up(&mut spots, items, stage.width, overlap, rng);
    let middle = if is_alone { 0.44 } else { 0.25 };
    // Several fly at different heights.
    let (low, high) = match (spots.len(), stage.is_high() && is_alone) {
        (0 | 1, _) => (0.0, 0.0),
        (_, true) => (0.13, -0.19),
        (_, false) => (0.08, -0.12),
    };
    for (index, spot) in spots.iter_mut().enumerate() {
        let aside = if index % 2 == 0 { low } else { high };
        let centre = stage.height * (middle + aside + between(rng, -0.03, 0.03));
        let length = items[spot.item].bounds.height() * spot.scale;
        spot.foot = centre.max(0.53 * length) + length / 2.0;
    }
    spots
}

impl Stage {
    /// Returns true if there is no room for things side by side, so that they hide each other.
    fn is_high(&self) -> bool {
        self.height > 1.2 * self.width
    }
}

/// Returns spots for some of the items, of their size and without a place.
fn sized(items: &[Item], stage: &Stage, is_included: impl Fn(&Item) -> bool) -> Vec<Spot> {
    let mut spots = Vec::new();
    for (index, item) in items.iter().enumerate() {
        if !is_included(item) {
            continue;
        }
        let crowd = [1.0, 0.86, 0.76, 0.68, 0.6][item.count.clamp(1, 5) - 1];
        let importance = match item.stands {
            _ if spots.is_empty() => 1.0,
            Some(Stands::Table) => 0.5,
            _ => 0.8,
        };
        let is_only_one = items.len() == 1 && item.count == 1;
        let share = item.height.max(if is_only_one { 0.52 } else { 0.0 });
        // The shoulders of a person may be cut off.
        let widest = if item.stands.is_none() { 1.25 } else { 0.84 };
        let by_height = share * stage.height / item.bounds.height();
        let by_width = widest * stage.width / item.bounds.width();
        for _ in 0..item.count {
            spots.push(Spot {
                item: index,
                across: 0.0,
                foot: 0.0,
                scale: by_height.min(by_width) * crowd * importance,
                is_mirrored: false,
            });
        }
    }
    spots
}

/// Places the spots beside each other, and makes them smaller if they are too wide for the picture.
/// `overlap` is the share of its width that a thing may hide.
fn line_up(spots: &mut [Spot], items: &[Item], width: f32, overlap: f32, rng: &mut Rng) {
    let gap = if overlap > 0.0 { 0.0 } else { 0.03 * width };
    let overlap = if spots.len() > 1 { overlap } else { 0.0 };
    let wide = |spot: &Spot| items[spot.item].bounds.width() * spot.scale;
    let hidden = spots.iter().map(wide).fold(0.0, f32::max) * overlap;
    let all = spots.iter().map(wide).sum::<f32>() * (1.0 - overlap) + hidden;
    let gaps = gap * spots.len().saturating_sub(1) as f32;
    let most = 0.93 * width - gaps;
    let fit = if all > most && spots.len() > 1 {
        most / all
    } else {
        1.0
    };
    let room = width - gaps - all * fit;
    let mut left =
        (room + hidden * fit) / 2.0 + between(rng, -0.3, 0.3) * room.clamp(0.0, 0.4 * width);
    for spot in spots {
        spot.scale *= fit;
        let wide = items[spot.item].bounds.width() * spot.scale * (1.0 - overlap);
        spot.across = left + wide / 2.0;
        spot.is_mirrored = rng.bool();
        left += wide + gap;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_of_any_size_shows_a_part_of_the_place() {
        let mut rng = Rng::with_seed(1);
        for height in 1..=4096 {
            for width in [1, height, 4096] {
                let view = View::of((width as f32, height as f32), &mut rng);
                assert!(view.left >= 0.0, "{width}x{height}");
                assert!(view.left + view.width <= PLACE.0, "{width}x{height}");
                assert!(view.top + view.height <= PLACE.1 + 0.01, "{width}x{height}");
            }
        }
    }
}
