//! Random numbers, and random pipelines.

use mediagate_pipeline::Plan;
use serde_json::{Map, json};

/// The start of placeholders.
pub(crate) const TOKEN: &str = "output of step ";

/// A small generator, so that a seed repeats a run.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 16
    }

    pub(crate) fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound.max(1) as u64) as usize
    }

    pub(crate) fn chance(&mut self, share: f64) -> bool {
        (self.next() % 10_000) as f64 / 10_000.0 < share
    }
}

/// Returns a valid pipeline of up to eight steps. Each step uses earlier steps, an uploaded file,
/// or an asset.
pub(crate) fn plan(random: &mut Random) -> Plan {
    let mut steps = Map::new();
    let mut names: Vec<(String, &str)> = Vec::new();
    for number in 0..1 + random.below(8) {
        let mut file = |medium: &str| {
            let fitting: Vec<_> = names.iter().filter(|name| name.1 == medium).collect();
            if fitting.is_empty() || random.chance(0.2) {
                return json!("file");
            }
            let step = &fitting[random.below(fitting.len())].0;
            if random.chance(0.2) {
                json!({"step": step, "output": 0})
            } else {
                json!({"step": step})
            }
        };
        let (capability, medium, input) = match number % 4 {
            0 => ("text_to_image", "image", json!({"prompt": "p"})),
            1 => (
                "image_to_video",
                "video",
                json!({"file_id": file("image"), "prompt": "p"}),
            ),
            2 => (
                "add_audio_to_video",
                "video",
                json!({"video_file_id": file("video"), "audio_file_id": "song"}),
            ),
            _ => {
                let images = json!([file("image"), file("image"), "file"]);
                (
                    "omni_reference_to_video",
                    "video",
                    json!({"prompt": "p", "image_file_ids": images}),
                )
            }
        };
        let name = format!("s{number}");
        steps.insert(
            name.clone(),
            json!({"capability": capability, "input": input}),
        );
        names.push((name, medium));
    }
    let request = json!({"steps": steps});
    Plan::read(&request, 8, TOKEN).unwrap_or_else(|issues| panic!("{request}: {issues:?}"))
}
