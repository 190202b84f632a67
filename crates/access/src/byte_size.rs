//! Sizes in the messages of refusals.

/// The binary and the decimal units, largest first.
const UNITS: [(u64, &str); 6] = [
    (1 << 30, "GiB"),
    (1_000_000_000, "GB"),
    (1 << 20, "MiB"),
    (1_000_000, "MB"),
    (1 << 10, "KiB"),
    (1_000, "kB"),
];

/// Returns a size in its largest whole unit, such as `512 MiB`. Libraries round, and a limit must
/// be exact: a file of one byte more is refused.
pub fn byte_size(bytes: u64) -> String {
    let unit = UNITS
        .iter()
        .find(|(size, _)| bytes >= *size && bytes.is_multiple_of(*size));
    match unit {
        Some((size, name)) => format!("{} {name}", bytes / size),
        None if bytes == 1 => "1 byte".into(),
        None => format!("{bytes} bytes"),
    }
}

#[cfg(test)]
mod tests {
    use super::byte_size;

    #[test]
    fn a_size_is_exact() {
        for (bytes, text) in [
            (0, "0 bytes"),
            (1, "1 byte"),
            (1_001, "1001 bytes"),
            (1_024, "1 KiB"),
            (200_000, "200 kB"),
            (1_000_000, "1 MB"),
            (536_870_912, "512 MiB"),
            (5 << 30, "5 GiB"),
        ] {
            assert_eq!(byte_size(bytes), text);
        }
    }
}
