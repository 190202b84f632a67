//! What a model would have made up is drawn: it shows what was asked for.

use std::hash::{DefaultHasher, Hash, Hasher};

use mediagate_core::Media;

use super::{DRAWN, Products, Tools, noted};
use crate::{
    checks::Order,
    files::{Content, Stored},
    media::{picture, poster, shot::Shot},
    models::DEFAULT_SECONDS,
};

/// A picture of the asked size.
pub(super) fn picture(order: &Order, tools: &Tools) -> Products {
    let side =
        |name| order.whole(name).and_then(|it| u32::try_from(it).ok()).unwrap_or(1024).min(picture::LONGEST_SIDE);
    let (width, height, seed) = (side("width"), side("height"), seed(order, tools));
    let details = format!("{}\n{width} x {height}\nseed {seed}\n{DRAWN}", order.model.id);
    let poster = poster::draw(width, height, seed, &prompt(order), &details)?;
    noted(picture::png(&poster.into())?, Content::PNG, DRAWN)
}

/// More pictures than that are not shown.
const MOST_STILLS: usize = 16;

/// A film over the pictures that were sent, with the sound that was sent; without ffmpeg, small and silent.
pub(super) fn film(order: &Order, tools: &Tools) -> Products {
    let pictures = of(order, Media::Image).take(MOST_STILLS);
    let stills = pictures.map(|it| picture::open(&it.path)).collect::<Result<Vec<_>, _>>()?;
    let asked = order.text("aspect_ratio").and_then(|it| it.split_once(':'));
    let aspect = match (asked.and_then(|(wide, high)| Some((wide.parse().ok()?, high.parse().ok()?))), stills.first()) {
        (Some(aspect), _) => aspect,
        (None, Some(still)) => (still.width(), still.height()),
        (None, None) => (16, 9),
    };
    let (width, height) = size(order, aspect);
    let (seconds, seed) = (length(order, tools), seed(order, tools));
    let caption = format!("{} · {width} x {height} · {seconds} s · seed {seed}\n{}", order.model.id, prompt(order));
    let shot = Shot { stills, aspect, seconds, seed, caption };
    let sound = of(order, Media::Audio).next().map(|it| it.path.as_path());
    match &tools.ffmpeg {
        Ok(ffmpeg) => noted(shot.film_with(ffmpeg, (width, height), sound)?, Content::MP4, DRAWN),
        Err(missing) => noted(shot.film()?, Content::MP4, format!("{DRAWN}; small and silent, as {missing}")),
    }
}

/// The files of one kind that a request names.
fn of(order: &Order, media: Media) -> impl Iterator<Item = &Stored> {
    order.files.values().flatten().filter(move |it| it.content.media == Some(media))
}

/// The size that `clarity` or `resolution` names, in this shape: the figure is the shorter side's, `2K` and `4K` are
/// 1440 and 2160. Even sides.
fn size(order: &Order, (width, height): (u32, u32)) -> (u32, u32) {
    const LONGEST: f64 = 3840.0;
    let label = order.text("clarity").or_else(|| order.text("resolution")).unwrap_or("480P");
    let shorter = match label {
        "2K" => 1440.0,
        "4K" => 2160.0,
        label => label.trim_end_matches(['p', 'P']).parse().unwrap_or(480.0),
    };
    let (width, height) = (f64::from(width.max(1)), f64::from(height.max(1)));
    let scale = (shorter / width.min(height)).min(LONGEST / width.max(height));
    let side = |length: f64| ((length * scale).round() as u32).div_ceil(2).max(8) * 2;
    (side(width), side(height))
}

/// The seconds that a generated video lasts: as asked, as long as the sound that drives it, or the default.
fn length(order: &Order, tools: &Tools) -> u32 {
    const LONGEST: f64 = 600.0;
    let sound = || of(order, Media::Audio).filter_map(|it| tools.seconds(it)).reduce(f64::max);
    let asked = order.whole("duration_seconds").map(|it| it as f64);
    asked.or_else(sound).unwrap_or(DEFAULT_SECONDS as f64).ceil().clamp(1.0, LONGEST) as u32
}

/// What was asked for in words, or else the capability's name.
fn prompt(order: &Order) -> String {
    let said = ["prompt", "prompt_text", "text", "persona"].into_iter().find_map(|it| order.text(it));
    said.unwrap_or(order.capability.title).into()
}

/// The request's seed, or one that its words give, so that the same request yields the same picture.
fn seed(order: &Order, tools: &Tools) -> u64 {
    let asked = order.whole("seed").and_then(|it| u64::try_from(it).ok());
    asked.unwrap_or_else(|| {
        let mut hasher = DefaultHasher::new();
        (tools.seed, prompt(order)).hash(&mut hasher);
        hasher.finish() % 1_000_000
    })
}
