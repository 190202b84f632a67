//! Measures lengths by the list of packets that ffmpeg's muxer `framecrc` writes.
//!
//! The list is the same in every version of ffmpeg. The position in progress reports and the
//! rounding of lengths in messages differ between versions.

use std::{collections::HashMap, io::BufRead};

/// Returns the end of the last packet in seconds, rounded to tenths, or `None` if no packet has a
/// time.
///
/// Audio is in blocks of hundredths of a second, so it rarely ends with the picture or on a whole
/// second. Some versions of ffmpeg count the padding of the last block. Rounding hides both.
pub(super) fn seconds(list: impl BufRead) -> Option<f64> {
    let mut time_bases = HashMap::new();
    let mut end: Option<f64> = None;
    for line in list.lines() {
        let line = line.ok()?;
        if let Some(stream) = line.strip_prefix("#tb ") {
            time_bases.extend(time_base(stream));
        } else if let Some((stream, ticks)) = packet_end(&line) {
            let at = ticks as f64 * time_bases.get(stream)?;
            end = Some(end.map_or(at, |end| end.max(at)));
        }
    }
    end.map(|end| (end * 10.0).round() / 10.0)
}

/// Returns the stream and the seconds of a tick, from a line such as `0: 1/10240`.
fn time_base(line: &str) -> Option<(String, f64)> {
    let (stream, fraction) = line.split_once(": ")?;
    let (seconds, ticks) = fraction.split_once('/')?;
    Some((
        stream.into(),
        seconds.parse::<f64>().ok()? / ticks.parse::<f64>().ok()?,
    ))
}

/// Parses the report on a packet. Returns the stream and the end in ticks, from a line with
/// `stream, decoding time, time, duration, size, checksum`. Returns `None` for a packet without a
/// time.
fn packet_end(line: &str) -> Option<(&str, i64)> {
    let mut columns = line.split(',').map(str::trim);
    let stream = columns.next()?;
    let mut number = || {
        columns
            .next()
            .and_then(|column| column.parse::<i64>().ok())
            .filter(|ticks| *ticks != i64::MIN) // ffmpeg's value for no time
    };
    let decoded = number();
    let shown = number();
    let duration = number().unwrap_or_default();
    Some((stream, shown.or(decoded)?.saturating_add(duration)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIST: &str = "#software: Lavf58.12.100\n\
    #tb 0: 1/10240\n#media_type 0: video\n#tb 1: 1/44100\n\
        0,      -2048,          0,     1024,     4015, 0x2fa2aa1b\n\
        1,          0,          0,     1024,       10, 0x02d7008b\n\
        0,       1024,       5120,     1024,       31, 0x6d330d73, F=0x0\n\
        0,       2048,       4096,     1024,       31, 0x6d330d73, F=0x0\n";

    #[test]
    fn the_last_packet_to_be_shown_counts_with_its_duration() {
        let padded = "#tb 0: 1/1000\n0, 3996, 3996, 21, 9, 0x0\n";
        // Its packets have no time to be shown, so the time of their decoding counts.
        let decoded =
            "#tb 0: 1/10\n0, 20, -9223372036854775808, 1, 9, 0x0\n0, NOPTS, NOPTS, 1, 9, 0x0\n";
        for (list, expected) in [
            (LIST, Some(0.6)),
            (padded, Some(4.0)),
            (decoded, Some(2.1)),
            ("#tb 0: 1/10\n", None),
            ("", None),
        ] {
            assert_eq!(seconds(list.as_bytes()), expected, "{list}");
        }
    }
}
