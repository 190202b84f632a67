use std::io::{BufReader, Read, Seek};

use mp4_atom::{Atom, Header, Moov, Mvhd, ReadAtom, ReadFrom};

/// The number of boxes after which the search ends. An ordinary file has fewer before its header.
const MAX_BOXES: usize = 1_000;

/// Returns the length of an MP4 video in seconds from its header (`mvhd`), or `None` for any other
/// file.
pub fn seconds(file: impl Read + Seek) -> Option<f64> {
    let mut file = BufReader::new(file);
    for _ in 0..MAX_BOXES {
        let header = Header::read_from(&mut file).ok()?;
        match header.kind {
            // Its first child follows, so nothing is skipped.
            Moov::KIND => {}
            kind if kind == mp4_atom::FourCC::new(b"mvhd") && header.size? < 1024 => {
                let mvhd = Mvhd::read_atom(&header, &mut file).ok()?;
                return Some(mvhd.duration as f64 / f64::from(mvhd.timescale.max(1)));
            }
            _ => file.seek_relative(i64::try_from(header.size?).ok()?).ok()?,
        }
    }
    None
}
