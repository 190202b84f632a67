use std::f32::consts::TAU;

use resvg::tiny_skia::Transform;

use crate::media::canvas::Canvas;

/// A part of a video that moves as a whole.
pub(in crate::media) struct Layer {
    pub(in crate::media) canvas: Canvas,
    /// The position halfway through the video, in pixels of the video.
    pub(in crate::media) left: i32,
    pub(in crate::media) top: i32,
    pub(in crate::media) motion: Motion,
}

/// The motion of a layer during a video. Lengths are pixels of the video.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(in crate::media) struct Motion {
    /// The way from the beginning to the end of the video.
    pub(in crate::media) drift: (f32, f32),
    /// The farthest way to each side, forth and back in each period.
    pub(in crate::media) sway: (f32, f32),
    /// The greatest angle to each side, in radians.
    pub(in crate::media) rock: f32,
    /// In seconds. 0 if nothing sways.
    pub(in crate::media) period: f32,
    /// The way down each second, if the layer begins again after its half. Rain falls so.
    pub(in crate::media) fall: f32,
}

impl Layer {
    /// Returns a layer at the upper left that does not move by itself.
    pub(super) fn fixed(canvas: Canvas) -> Self {
        Layer {
            canvas,
            left: 0,
            top: 0,
            motion: Motion::default(),
        }
    }

    /// Draws the layer at the place that it has halfway through a video.
    pub(super) fn draw(&self, picture: &mut Canvas) {
        picture.copy(&self.canvas, self.left, self.top);
    }

    /// Returns the transformation of the layer at a time in seconds of a video of this length.
    pub(in crate::media) fn at(&self, time: f32, length: f32) -> Transform {
        let Motion {
            drift,
            sway,
            rock,
            period,
            fall,
        } = self.motion;
        let way = time / length.max(0.1) - 0.5;
        let swing = if period > 0.0 {
            (TAU * time / period).sin()
        } else {
            0.0
        };
        let (width, height) = self.canvas.size();
        let fallen = if fall > 0.0 {
            (fall * time) % (height as f32 / 2.0)
        } else {
            0.0
        };
        let (across, down) = (width as f32 / 2.0, height as f32 / 2.0);
        Transform::from_rotate_at((rock * swing).to_degrees(), across, down).post_translate(
            self.left as f32 + drift.0 * way + sway.0 * swing,
            self.top as f32 + drift.1 * way + sway.1 * swing + fallen,
        )
    }

    /// Returns the same motion as expressions of ffmpeg's filter `overlay`: left and top.
    pub(in crate::media) fn overlay(&self, length: u32) -> (String, String) {
        let Motion {
            drift,
            sway,
            period,
            fall,
            ..
        } = self.motion;
        let (_, height) = self.canvas.size();
        let path = |start: i32, drift: f32, sway: f32| {
            let mut path = start.to_string();
            if drift != 0.0 {
                path += &format!("+({drift:.2})*(t/{length}-0.5)");
            }
            if sway != 0.0 {
                path += &format!("+({sway:.2})*sin(2*PI*t/{period})");
            }
            path
        };
        let left = path(self.left, drift.0, sway.0);
        let mut top = path(self.top, drift.1, sway.1);
        if fall > 0.0 {
            top += &format!("+mod({fall:.1}*t,{})", height / 2);
        }
        (left, top)
    }

    /// Returns the motion as a filter of ffmpeg that rotates the layer, if it rocks.
    pub(in crate::media) fn rotation(&self) -> Option<String> {
        let Motion { rock, period, .. } = self.motion;
        (rock != 0.0).then(|| format!("rotate=a='({rock:.4})*sin(2*PI*t/{period})':c=none"))
    }
}
