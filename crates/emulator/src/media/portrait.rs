use std::f32::consts::TAU;

use image::{
    RgbImage,
    imageops::{self, FilterType},
};

use super::landscape::{BLACK, Colour, LIGHTS, Paint, Painter, mix};

/// Paints the avatar with this id. A `mouth` of 0 is closed, and of 1 is open.
pub(crate) fn paint(width: u32, height: u32, avatar: &str, mouth: f32) -> RgbImage {
    let mut painter = Painter::new(width, height, avatar, &LIGHTS[0]);
    painter.person(mouth);
    painter.picture
}

/// Paints a square picture for a list: the face and the shoulders.
pub(crate) fn thumbnail(avatar: &str) -> RgbImage {
    const SIDE: u32 = 176;
    let whole = paint(3 * SIDE, 3 * SIDE, avatar, 0.0);
    let face = imageops::crop_imm(&whole, SIDE / 2, SIDE / 3, 2 * SIDE, 2 * SIDE);
    imageops::resize(&face.to_image(), SIDE, SIDE, FilterType::Triangle)
}

const SKINS: [Colour; 4] = [
    [238.0, 196.0, 164.0],
    [214.0, 162.0, 122.0],
    [158.0, 108.0, 76.0],
    [110.0, 74.0, 54.0],
];

const HAIR_COLOURS: [Colour; 5] = [
    [40.0, 30.0, 28.0],
    [84.0, 54.0, 36.0],
    [150.0, 98.0, 52.0],
    [196.0, 156.0, 96.0],
    [150.0, 148.0, 146.0],
];

impl Painter {
    /// Paints a person whom the numbers of the painter choose. A `mouth` of 0 is closed and smiles,
    /// and of 1 is open.
    pub(super) fn person(&mut self, mouth: f32) {
        let hue = self.between(0.0, TAU);
        let tone = |shift: f32, level: f32, strength: f32| -> Colour {
            std::array::from_fn(|at| level + strength * (hue + shift + at as f32 * TAU / 3.0).cos())
        };
        let skin = SKINS[self.rng.usize(..SKINS.len())];
        let hair = Paint::plain(HAIR_COLOURS[self.rng.usize(..HAIR_COLOURS.len())]);
        let is_long = self.rng.bool();
        let slope = self.between(-0.07, 0.07);
        let middle = self.width() / 2.0;
        let wall = Paint::gradient(tone(0.0, 214.0, 26.0), tone(0.4, 168.0, 34.0));
        self.below(wall, |_| 0.0);
        if is_long {
            self.ellipse(hair, (middle, 0.5), (0.185, 0.25));
            self.fill(hair, middle - 0.185, middle + 0.185, |_| (0.48, 0.72));
        }
        self.ellipse(hair, (middle, 0.37), (0.158, 0.175));
        let shade = mix(skin, BLACK, 0.14);
        self.fill(Paint::plain(shade), middle - 0.06, middle + 0.06, |_| {
            (0.5, 0.74)
        });
        let shirt = tone(2.4, 96.0, 60.0);
        let cloth = Paint::gradient(shirt, mix(shirt, BLACK, 0.4));
        self.ellipse(cloth, (middle, 1.0), (0.36, 0.36));
        self.ellipse(Paint::plain(shade), (middle, 0.66), (0.075, 0.045));
        for side in [-1.0, 1.0] {
            let ear = (middle + side * 0.133, 0.43);
            self.ellipse(Paint::plain(shade), ear, (0.02, 0.034));
        }
        let face = Paint::gradient(skin, mix(skin, shade, 0.6));
        self.ellipse(face, (middle, 0.42), (0.135, 0.175));
        self.features(skin, hair, middle);
        self.mouth(mouth, middle);
        // Painted last, as the fringe is before the forehead.
        self.fill(hair, middle - 0.14, middle + 0.14, |x| {
            let aside = (x - middle) / 0.14;
            let top = 0.42 - 0.2 * (1.0 - aside * aside).max(0.0).sqrt();
            (top, (0.315 + slope * aside + 0.03 * aside * aside).max(top))
        });
    }

    fn features(&mut self, skin: Colour, hair: Paint, middle: f32) {
        for eye in [middle - 0.052, middle + 0.052] {
            self.ellipse(Paint::plain([250.0; 3]), (eye, 0.415), (0.021, 0.015));
            let iris = Paint::plain([44.0, 36.0, 34.0]);
            self.ellipse(iris, (eye, 0.416), (0.012, 0.013));
            self.fill(hair, eye - 0.028, eye + 0.028, |x| {
                let down = 0.375 + 8.0 * (x - eye).powi(2);
                (down, down + 0.01)
            });
        }
        let nose = Paint::plain(mix(skin, BLACK, 0.18));
        self.ellipse(nose, (middle, 0.468), (0.016, 0.008));
    }

    fn mouth(&mut self, open: f32, middle: f32) {
        let lip = Paint::plain([158.0, 76.0, 72.0]);
        if open <= 0.0 {
            self.fill(lip, middle - 0.045, middle + 0.045, |x| {
                let down = 0.52 - 6.0 * (x - middle).powi(2);
                (down, down + 0.01)
            });
            return;
        }
        let across = 0.044 - 0.004 * open;
        let down = 0.008 + 0.02 * open;
        let at = (middle, 0.516);
        self.ellipse(lip, at, (across + 0.006, down + 0.006));
        self.ellipse(Paint::plain([74.0, 26.0, 30.0]), at, (across, down));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_id_chooses_the_person_and_speech_moves_only_the_mouth() {
        assert_eq!(thumbnail("ada"), thumbnail("ada"));
        assert_ne!(thumbnail("ada"), thumbnail("ben"));
        let closed = paint(200, 200, "ada", 0.0);
        let open = paint(200, 200, "ada", 1.0);
        let moved: Vec<u32> = (0..200)
            .filter(|y| (0..200).any(|x| closed.get_pixel(x, *y) != open.get_pixel(x, *y)))
            .collect();
        assert!(moved.len() > 8, "{moved:?}");
        assert!(moved.iter().all(|y| (94..114).contains(y)), "{moved:?}");
    }
}
