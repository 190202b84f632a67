/// Red, green and blue, from 0 to 255.
pub(super) type Colour = [f32; 3];

pub(super) const WHITE: Colour = [255.0; 3];

pub(super) const BLACK: Colour = [0.0; 3];

/// Returns the colour `0xrrggbb`.
pub(super) const fn hex(colour: u32) -> Colour {
    let [_, red, green, blue] = colour.to_be_bytes();
    [red as f32, green as f32, blue as f32]
}

pub(super) fn mix(one: Colour, other: Colour, share: f32) -> Colour {
    std::array::from_fn(|at| one[at] + (other[at] - one[at]) * share)
}

/// Writes a colour as `#rrggbb`.
pub(super) fn written(colour: Colour) -> String {
    let [red, green, blue] = colour.map(|channel| channel.round().clamp(0.0, 255.0) as u8);
    format!("#{red:02x}{green:02x}{blue:02x}")
}

/// Reads the digits of `#rgb` or `#rrggbb`.
pub(super) fn parsed(digits: &str) -> Option<Colour> {
    let value = u32::from_str_radix(digits, 16).ok()?;
    match digits.len() {
        3 => Some([value >> 8, value >> 4 & 15, value & 15].map(|digit| (digit * 17) as f32)),
        6 => Some(hex(value)),
        _ => None,
    }
}
