//! The three grammars and the two schedules.

use mediagate_core::grammar::{pages, time, volume};
use mediagate_core::schedule::{jitter, poll, retry};

#[test]
fn times() {
    for (text, seconds) in [("00:00:00", 0), ("01:02:03", 3723), ("99:59:59", 359_999)] {
        assert_eq!(time::parse(text), Some(seconds));
    }
    for text in
        "|0:00:00|00:60:00|00:00:60|000:00:00|00:00|00:00:00:00|-1:00:00|aa:bb:cc| 00:00:00|\
        00:00:0５"
            .split('|')
    {
        assert_eq!(time::parse(text), None, "{text}");
    }
}

#[test]
fn a_range_without_a_digit_or_that_descends_is_doubtful() {
    for text in "1-2,5|3-3|1 - 3, 5|2-|-3|last 2|1-2-3|1;2|,1,|0|01-2|1-x|1-99999999999".split('|')
    {
        assert!(!pages::is_doubtful(text), "{text}");
    }
    for text in "all||,|-|3-1|1,5 - 4|10-9,1|1,00003-2|99999999999-1|page 3 - page 1".split('|') {
        assert!(pages::is_doubtful(text), "{text}");
    }
}

#[test]
fn a_volume_that_is_no_multiplier_and_no_decibels_is_doubtful() {
    for text in "0|2|0.5|.5|5.|+1.5|10dB|-3dB|+3.5dB|0dB| 1 |-6dB ".split('|') {
        assert!(!volume::is_doubtful(text), "{text}");
    }
    for text in
        "|.|-1|1e-1|1E2|dB|--3dB|3db|3 dB|1e|1e999|e1|0x10|inf|nan|1.2.3|1,5|volume*2|1k|+|1+1|\
        3-3dB"
            .split('|')
    {
        assert!(volume::is_doubtful(text), "{text}");
    }
}

#[test]
fn delays_are_spread_by_a_quarter_in_either_direction() {
    let infinite = f64::INFINITY;
    let randoms = [0.0, 0.5, 1.0, -3.0, 3.0, -infinite, infinite, f64::NAN];
    assert_eq!(
        randoms.map(|random| jitter(1_000, random)),
        [750, 1_000, 1_250, 750, 1_250, 750, 1_250, 1_000]
    );
}

#[test]
fn polling_slows_down_within_its_bounds() {
    assert_eq!(
        [0, 1, 2, 3, 4].map(|poll_count| poll::delay(poll_count, None, 0.5)),
        [1_000, 1_000, 1_125, 1_265, 1_423]
    );
    assert_eq!(poll::delay(1, None, 0.5), poll::INITIAL_MS);
    assert_eq!(poll::delay(u32::MAX, None, 0.5), poll::MAX_INTERVAL_MS);
    assert!(poll::delay(3, None, 0.0) < poll::delay(3, None, 1.0));
    assert_eq!(poll::delay(1, Some(30_000), 0.5), 30_000);
    assert_eq!(poll::delay(1, Some(u32::MAX), 0.5), poll::MAX_WAIT_MS);
    assert!(poll::delay(1, None, f64::NAN) > 0);
}

#[test]
fn an_end_is_seen_late_by_a_small_part_of_the_tasks_duration() {
    for end in (2_000..300_000).step_by(500) {
        let mut poll_count = 1;
        let mut at = 0;
        let mut interval = 0;
        while at < end {
            interval = poll::delay(poll_count, None, 0.5);
            at += interval;
            poll_count += 1;
        }
        // A task ends anywhere in an interval, so in its middle on average.
        assert!(interval / 2 <= 600 + end / 16, "{interval} at {end}");
        assert!(poll_count <= 41, "{poll_count} polls at {end}");
        assert!(
            end > 15_000 || (interval <= 3_100 && poll_count <= 12),
            "{interval} after {poll_count} polls at {end}"
        );
    }
}

#[test]
fn retries_end() {
    assert_eq!(
        [0, 1, 2, 4].map(|failures| retry::delay(failures, 4, None, 0.5)),
        [Some(500), Some(500), Some(1_000), Some(4_000)]
    );
    assert_eq!(
        retry::delay(1, 4, Some(retry::MAX_WAIT_MS), 0.5),
        Some(60_000)
    );
    assert_eq!(retry::delay(1, 4, Some(retry::MAX_WAIT_MS + 1), 0.5), None);
    assert_eq!(
        [(5, 4), (1, 0)].map(|row| retry::delay(row.0, row.1, None, 0.5)),
        [None, None]
    );
    assert_eq!(
        [6, 7, 900].map(|failures| retry::delay(failures, u32::MAX, None, 0.5)),
        [Some(16_000); 3]
    );
    assert_eq!(retry::delay(3, 4, None, 0.5), Some(2000));
    assert_eq!(retry::delay(1, 4, Some(7_000), 0.5), Some(7_000));
    assert_eq!(retry::delay(1, 4, Some(86_400_000), 0.5), None);
}
