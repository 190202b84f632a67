//! Composes the layers of a scene.

use fastrand::Rng;
use resvg::tiny_skia::Transform;

use super::{
    Ground, Place, Stands, Subject, between,
    layer::{Layer, Motion},
    layout::{self, Bounds, FOOT, Item, MARGIN, SIDE, Spot, Stage, View},
    light::{DAY, Light, WALLS, Weather},
    places::PLACES,
    prompt::{Mention, Reading, What},
    sky,
};
use crate::media::{
    canvas::Canvas,
    colour::{BLACK, Colour, WHITE, hex, mix, written},
    error::MediaError,
    portrait::{self, Looks},
};

pub(super) fn layers(
    reading: &Reading,
    rng: &mut Rng,
    size: (u32, u32),
    overscan: f32,
) -> Result<Vec<Layer>, MediaError> {
    let place = place(reading, rng);
    let ground = place.map_or(Ground::Indoors, |place| place.ground);
    let light = match ground {
        Ground::Indoors => reading.light.indoors(WALLS[rng.usize(..WALLS.len())]),
        // In space and under water it is neither day nor night.
        Ground::Air if place.is_some_and(|place| !place.drawing.contains(SKY)) => DAY,
        _ => varied(&reading.light, rng),
    };
    let (width, height) = (size.0 as f32, size.1 as f32);
    let view = View::of((width, height), rng);
    let stage = Stage {
        light,
        ground,
        width,
        height,
        horizon: view.horizon(),
    };
    let mut layers = backdrop(&stage, place, &view, rng, overscan)?;
    if ground == Ground::Water {
        layers.push(stage.ripples(rng)?);
    }
    if stage.light.weather == Weather::Fog {
        layers.push(stage.mist()?);
    }
    let mut items = Vec::new();
    for mention in &reading.mentions {
        match mention.what {
            What::Subject(subject) => items.push(stage.subject(subject, mention)?),
            // Each person looks different.
            What::Person(looks) => {
                for _ in 0..mention.count {
                    items.push(stage.person(looks, rng)?);
                }
            }
        }
    }
    let spots = layout::arrange(&items, &stage, rng);
    let (persons, things): (Vec<&Spot>, Vec<&Spot>) = spots
        .iter()
        .partition(|spot| items[spot.item].stands.is_none());
    for spot in persons {
        layers.push(stage.thing(&items[spot.item], spot, rng)?);
    }
    if let Some(depth) = layout::table(&items) {
        layers.push(stage.table(depth)?);
    }
    let mut shore = layout::shore(&items, ground);
    for spot in things {
        let item = &items[spot.item];
        // What is on the water is further away, and comes before the beach.
        if item.needs_land
            && let Some(depth) = shore.take()
        {
            layers.push(stage.shore(depth)?);
        }
        layers.push(stage.thing(item, spot, rng)?);
    }
    if ground != Ground::Indoors
        && let Some(falling) = sky::falling(&stage.light, (width, height), rng)
    {
        layers.push(stage.falling(&falling)?);
    }
    Ok(layers)
}

/// Returns the place that the prompt names, or that fits its first subject. `None` is a plain wall,
/// before which portraits are taken.
fn place(reading: &Reading, rng: &mut Rng) -> Option<&'static Place> {
    if reading.place.is_some() {
        return reading.place;
    }
    let subjects = reading
        .mentions
        .iter()
        .filter_map(|mention| match mention.what {
            What::Subject(subject) => Some(subject),
            What::Person(_) => None,
        });
    let mut subjects = subjects.peekable();
    let first = *subjects.peek()?;
    if let Some(place) = subjects.find_map(|subject| named(subject.place?)) {
        return Some(place);
    }
    let on = |ground: Ground| PLACES.iter().filter(move |place| place.ground == ground);
    let fitting: Vec<&Place> = match first.stands {
        Stands::Ground | Stands::Road => on(Ground::Land).collect(),
        Stands::Water => on(Ground::Water).collect(),
        Stands::Table => on(Ground::Indoors).collect(),
        Stands::Sky => named("sky").into_iter().collect(),
    };
    let chosen = rng.usize(..fitting.len().max(1));
    fitting.get(chosen).copied().or(PLACES.first())
}

fn named(name: &str) -> Option<&'static Place> {
    PLACES.iter().find(|place| place.name == name)
}

/// Changes the colours of a light a little.
fn varied(light: &Light, rng: &mut Rng) -> Light {
    let warmth = between(rng, -1.0, 1.0);
    let shift = [9.0 * warmth, 2.0 * warmth, -9.0 * warmth];
    let shifted = |colour: Colour| std::array::from_fn(|at| colour[at] + shift[at]);
    light.with_sky(shifted(light.sky_top), shifted(light.sky_low))
}

/// The mark in the drawing of a place after its sky.
const SKY: &str = "<!--sky-->";

/// Draws the place: its sky, the clouds, and the land before them. A place without a sky is one
/// layer.
fn backdrop(
    stage: &Stage,
    place: Option<&Place>,
    view: &View,
    rng: &mut Rng,
    overscan: f32,
) -> Result<Vec<Layer>, MediaError> {
    let wide = (stage.width * overscan).round();
    let high = (stage.height * overscan).round();
    let mut canvas = Canvas::new(wide as u32, high as u32)?;
    let mut layers = Vec::new();
    let Some(place) = place else {
        let wall = portrait::wall(stage.light.sky_top, stage.light.sky_low);
        canvas.svg(&wall, Transform::from_scale(wide, high))?;
        return Ok(vec![Layer::fixed(canvas)]);
    };
    let drawing = stage.light.fill(place.drawing, None);
    let Some((before, after)) = drawing.split_once(SKY) else {
        canvas.svg(&drawing, view.onto(wide))?;
        return Ok(vec![Layer::fixed(canvas)]);
    };
    let lights = sky::lights(&stage.light, view, rng);
    canvas.svg(&format!("{before}{lights}</svg>"), view.onto(wide))?;
    layers.push(Layer::fixed(canvas));
    layers.push(stage.clouds(rng)?);
    // The land has the gradients of the whole drawing, but not the shapes of its sky.
    let definitions = before.find("</defs>").map_or(0, |at| at + "</defs>".len());
    let land = format!("{}{after}", &before[..definitions]);
    // Wider than the picture, as it moves to the side.
    let margin = (MARGIN * stage.height).floor();
    let mut canvas = Canvas::new((stage.width + 2.0 * margin) as u32, stage.height as u32)?;
    canvas.svg(&land, view.onto(stage.width).post_translate(margin, 0.0))?;
    layers.push(Layer {
        canvas,
        left: -margin as i32,
        top: 0,
        motion: stage.passage(),
    });
    Ok(layers)
}

/// The way of the land and of what stands on it during a video, as a share of the picture's
/// height. It passes the sky, as the camera moves. Half of it is less than [`MARGIN`].
const PASSAGE: f32 = -0.1;

impl Stage {
    fn subject(&self, subject: &Subject, mention: &Mention) -> Result<Item, MediaError> {
        let home = subject.place.and_then(named);
        let is_of_water = home.is_some_and(|place| place.ground == Ground::Water);
        let is_on_ground = matches!(subject.stands, Stands::Ground | Stands::Road);
        let drawing = self.light.in_front().fill(subject.drawing, mention.colour);
        Ok(Item {
            bounds: Bounds::of(&drawing)?,
            drawing,
            height: subject.height,
            stands: Some(subject.stands),
            // A lighthouse is drawn with its rock.
            needs_land: is_on_ground && !is_of_water,
            count: mention.count,
        })
    }

    fn person(&self, looks: Looks, rng: &mut Rng) -> Result<Item, MediaError> {
        let drawing = portrait::drawing(rng.u64(..), looks, 0.0);
        let drawing = self.light.in_front().fill(&drawing, None);
        Ok(Item {
            bounds: Bounds::of(&drawing)?,
            drawing,
            height: 0.88,
            stands: None,
            needs_land: false,
            count: 1,
        })
    }

    fn clouds(&self, rng: &mut Rng) -> Result<Layer, MediaError> {
        let drawing = sky::clouds(&self.light, (self.width, self.height), rng);
        let size = (1.5 * self.width, 0.5 * self.height);
        let drift = (0.12 * self.height, 0.0);
        let left = -0.25 * self.width;
        self.drawn(
            &drawing,
            size,
            (left, 0.0),
            Motion {
                drift,
                ..Motion::default()
            },
        )
    }

    /// Draws a mist over the land.
    fn mist(&self) -> Result<Layer, MediaError> {
        let (width, height) = (1.6 * self.width, 0.6 * self.height);
        let drawing = sky::mist(&self.light, (width, height));
        let motion = Motion {
            drift: (0.1 * self.height, 0.0),
            ..Motion::default()
        };
        let top = (self.horizon - 0.3) * self.height;
        self.drawn(&drawing, (width, height), (-0.3 * self.width, top), motion)
    }

    fn ripples(&self, rng: &mut Rng) -> Result<Layer, MediaError> {
        let top = self.horizon * self.height;
        let high = self.height - top;
        let drawing = sky::ripples(&self.light, (self.width, high), rng);
        let motion = Motion {
            sway: (0.03 * self.height, 0.0),
            period: 5.0,
            ..Motion::default()
        };
        let left = -0.1 * self.width;
        self.drawn(&drawing, (1.2 * self.width, high), (left, top), motion)
    }

    fn falling(&self, drawing: &str) -> Result<Layer, MediaError> {
        let speed = if self.light.weather == Weather::Snow {
            0.14
        } else {
            1.1
        };
        let motion = Motion {
            fall: speed * self.height,
            ..Motion::default()
        };
        let size = (self.width, 2.0 * self.height);
        self.drawn(drawing, size, (0.0, -self.height), motion)
    }

    /// Draws a beach in the foreground. It begins at a share of the way from the horizon to the
    /// lower edge.
    fn shore(&self, depth: f32) -> Result<Layer, MediaError> {
        let wide = 1.2 * self.width;
        let top = self.height * (self.horizon + (1.0 - self.horizon) * depth);
        let high = self.height - top;
        let sand = self.light.lit(hex(0xeed9a8));
        let near = written(mix(sand, BLACK, 0.14));
        let wet = written(mix(sand, BLACK, 0.22));
        let foam = written(self.light.lit(WHITE));
        let sand = written(sand);
        let line = |down: f32| {
            format!(
                "M0 {:.1}C{:.1} {:.1} {:.1} {:.1} {wide:.1} {:.1}V{high:.1}H0z",
                high * (down + 0.14),
                wide * 0.35,
                high * (down - 0.1),
                wide * 0.6,
                high * (down + 0.22),
                high * down,
            )
        };
        let shapes = format!(
            r##"<linearGradient id="s" x2="0" y2="1"><stop offset="0" stop-color="{sand}"/>
            <stop offset="1" stop-color="{near}"/></linearGradient>
            <path d="{}" fill="{foam}" fill-opacity=".75"/><path d="{}" fill="{wet}"/>
            <path d="{}" fill="url(#s)"/>"##,
            line(0.1),
            line(0.135),
            line(0.22),
        );
        let drawing = sky::wrapped(&shapes, wide, high);
        let left = -0.1 * self.width;
        self.drawn(&drawing, (wide, high), (left, top), self.passage())
    }

    /// Draws a table over the whole width. It begins at a share of the way from the horizon to the
    /// lower edge.
    fn table(&self, depth: f32) -> Result<Layer, MediaError> {
        let wide = 1.2 * self.width;
        let top = self.height * (self.horizon + (1.0 - self.horizon) * depth);
        let high = self.height - top;
        let wood = self.light.lit(hex(0xc08a5a));
        let light = written(mix(wood, self.light.lit(WHITE), 0.16));
        let dark = written(mix(wood, BLACK, 0.22));
        let wood = written(wood);
        let edge = 0.8 * high;
        let shapes = format!(
            r##"<linearGradient id="t" x2="0" y2="1"><stop offset="0" stop-color="{light}"/>
            <stop offset="1" stop-color="{wood}"/></linearGradient>
            <rect width="{wide}" height="{edge}" fill="url(#t)"/>
            <rect y="{edge}" width="{wide}" height="{high}" fill="{dark}"/>
            <rect width="{wide}" height="{}" fill="#fff" fill-opacity=".18"/>"##,
            0.012 * self.height
        );
        let drawing = sky::wrapped(&shapes, wide, high);
        let left = -0.1 * self.width;
        self.drawn(&drawing, (wide, high), (left, top), self.passage())
    }

    /// Draws a subject with its shadow or its reflection.
    fn thing(&self, item: &Item, spot: &Spot, rng: &mut Rng) -> Result<Layer, MediaError> {
        let scale = spot.scale;
        let side = SIDE * scale;
        let margin = 0.12 * side;
        let foot = margin + FOOT * scale;
        let Bounds { left, right, .. } = item.bounds;
        let middle = (left + right) / 2.0;
        let (middle, placed) = if spot.is_mirrored {
            let mirror = Transform::from_row(-scale, 0.0, 0.0, scale, side + margin, margin);
            (SIDE - middle, mirror)
        } else {
            let plain = Transform::from_row(scale, 0.0, 0.0, scale, margin, margin);
            (middle, plain)
        };
        let middle = margin + middle * scale;
        let wide = (right - left) * scale;
        let length = (side + 2.0 * margin) as u32;
        let mut canvas = Canvas::new(length, length + (0.25 * side) as u32)?;
        let at = (middle, foot);
        match item.stands {
            Some(Stands::Water) => {
                if self.ground != Ground::Water {
                    self.puddle(&mut canvas, at, wide)?;
                }
                // What is below the waterline is not seen.
                let mut upper = Canvas::new(length, foot as u32)?;
                upper.svg(&item.drawing, placed)?;
                let mirror = Transform::from_row(1.0, 0.0, 0.0, -0.45, 0.0, 1.45 * foot);
                canvas.blend_faintly(&upper, 0.28, mirror);
                canvas.copy(&upper, 0, 0);
            }
            Some(Stands::Ground | Stands::Road | Stands::Table) => {
                match self.ground {
                    Ground::Water if item.is_rock() => self.foam(&mut canvas, at, wide)?,
                    Ground::Air => {}
                    _ => self.shadow(&mut canvas, at, wide)?,
                }
                canvas.svg(&item.drawing, placed)?;
            }
            Some(Stands::Sky) | None => canvas.svg(&item.drawing, placed)?,
        }
        // The drawing of a person ends at its lower edge, not at a foot.
        let bottom = if item.stands.is_none() {
            margin + side
        } else {
            foot
        };
        Ok(Layer {
            canvas,
            left: (spot.across - middle).round() as i32,
            top: (spot.foot - bottom).round() as i32,
            motion: self.motion(item.stands, spot.is_mirrored, rng),
        })
    }

    fn passage(&self) -> Motion {
        Motion {
            drift: (PASSAGE * self.height, 0.0),
            ..Motion::default()
        }
    }

    fn motion(&self, stands: Option<Stands>, is_mirrored: bool, rng: &mut Rng) -> Motion {
        let height = self.height;
        let ahead = if is_mirrored { -height } else { height };
        let period = between(rng, 2.6, 3.6);
        match stands {
            Some(Stands::Ground | Stands::Table) => self.passage(),
            Some(Stands::Road) => Motion {
                drift: (0.4 * ahead, 0.0),
                sway: (0.0, 0.003 * height),
                period: 0.5,
                ..Motion::default()
            },
            Some(Stands::Water) => Motion {
                drift: (0.06 * ahead, 0.0),
                sway: (0.0, 0.009 * height),
                rock: 0.03,
                period,
                ..Motion::default()
            },
            Some(Stands::Sky) => Motion {
                drift: (0.03 * height, -0.12 * height),
                sway: (0.01 * height, 0.008 * height),
                period,
                ..Motion::default()
            },
            None => Motion {
                sway: (0.004 * height, 0.003 * height),
                period,
                ..Motion::default()
            },
        }
    }

    fn shadow(
        &self,
        canvas: &mut Canvas,
        (across, down): (f32, f32),
        wide: f32,
    ) -> Result<(), MediaError> {
        let shapes = format!(
            r##"<radialGradient id="s"><stop offset="0" stop-color="#1a1a2e" stop-opacity=".5"/>
            <stop offset=".6" stop-color="#1a1a2e" stop-opacity=".22"/>
            <stop offset="1" stop-color="#1a1a2e" stop-opacity="0"/></radialGradient>
            <ellipse cx="{across}" cy="{down}" rx="{}" ry="{}" fill="url(#s)"/>"##,
            0.62 * wide,
            0.07 * wide,
        );
        self.on(canvas, &shapes)
    }

    /// Draws the waves around a rock.
    fn foam(
        &self,
        canvas: &mut Canvas,
        (across, down): (f32, f32),
        wide: f32,
    ) -> Result<(), MediaError> {
        let white = written(mix(self.light.lit(WHITE), self.light.sky_low, 0.3));
        let dark = written(self.light.lit(hex(0x123a4c)));
        let shapes = format!(
            r#"<ellipse cx="{across}" cy="{}" rx="{}" ry="{}" fill="{dark}" fill-opacity=".35"/>
            <ellipse cx="{across}" cy="{down}" rx="{}" ry="{}" fill="{white}" fill-opacity=".28"/>
            <ellipse cx="{across}" cy="{down}" rx="{}" ry="{}" fill="{white}" fill-opacity=".7"/>"#,
            down + 0.05 * wide,
            0.5 * wide,
            0.09 * wide,
            0.6 * wide,
            0.055 * wide,
            0.53 * wide,
            0.034 * wide,
        );
        self.on(canvas, &shapes)
    }

    fn puddle(
        &self,
        canvas: &mut Canvas,
        (across, down): (f32, f32),
        wide: f32,
    ) -> Result<(), MediaError> {
        let water = self.light.lit(hex(0x7fb9d6));
        let (rx, ry) = (0.6 * wide, 0.12 * wide);
        let shapes = format!(
            r#"<ellipse cx="{across}" cy="{}" rx="{rx}" ry="{ry}" fill="{}"/>"#,
            down + 0.3 * ry,
            written(water),
        );
        self.on(canvas, &shapes)
    }

    fn on(&self, canvas: &mut Canvas, shapes: &str) -> Result<(), MediaError> {
        let (width, height) = canvas.size();
        let drawing = sky::wrapped(shapes, width as f32, height as f32);
        canvas.svg(&drawing, Transform::identity())
    }

    fn drawn(
        &self,
        drawing: &str,
        (width, height): (f32, f32),
        (left, top): (f32, f32),
        motion: Motion,
    ) -> Result<Layer, MediaError> {
        let mut canvas = Canvas::new(width.ceil() as u32, height.ceil() as u32)?;
        canvas.svg(drawing, Transform::identity())?;
        Ok(Layer {
            canvas,
            left: left.round() as i32,
            top: top.round() as i32,
            motion,
        })
    }
}
