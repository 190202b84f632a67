//! Writes encoded AV1 frames to an MP4 file that a `<video>` element plays.

use mp4_atom::{
    Atom, Av01, Av1c, Codec, Dinf, Dref, DrefEntry, Encode, FourCC, Ftyp, Hdlr, Mdat, Mdhd, Mdia,
    Minf, Moov, Mvhd, Stbl, Stco, Stsc, StscEntry, Stsd, Stss, Stsz, StszSamples, Stts, SttsEntry,
    Tkhd, Trak, Url, Visual, Vmhd,
};

use crate::error::ClipError;

/// One video track. Its frames are in presentation order, and the first is a key frame.
pub(super) struct Track {
    pub(super) width: u16,
    pub(super) height: u16,
    /// The length in seconds. Every frame is shown equally long.
    pub(super) seconds: u32,
    /// The four bytes of the `av1C` box, from the encoder.
    pub(super) header: Vec<u8>,
    /// AV1 temporal units, from the encoder.
    pub(super) frames: Vec<Vec<u8>>,
}

impl Track {
    /// Returns the bytes of the file. The index is before the frames, so that playback can start
    /// before the download ends. Fails for counts or sizes that exceed 32 bits, and for frames
    /// without a sequence header.
    pub(super) fn into_file(self) -> Result<Vec<u8>, ClipError> {
        let ftyp = Ftyp {
            major_brand: b"isom".into(),
            minor_version: 0x200,
            compatible_brands: vec![b"isom".into(), b"av01".into(), b"mp42".into()],
        };
        let mut head = encoded(&ftyp)?;
        // The index contains the offset of the frames, which depends on the length of the index.
        // The length does not depend on the offset, so a first version with any offset is measured.
        let measured = encoded(&self.index(0)?)?;
        const BOX_HEADER: usize = 8;
        let first = u32::try_from(head.len() + measured.len() + BOX_HEADER).map_err(too_long)?;
        head.extend(encoded(&self.index(first)?)?);
        head.extend(encoded(&Mdat {
            data: self.frames.concat(),
        })?);
        Ok(head)
    }

    fn index(&self, first_frame_at: u32) -> Result<Moov, ClipError> {
        let (timescale, duration) = self.timing()?;
        Ok(Moov {
            mvhd: Mvhd {
                creation_time: 0,
                modification_time: 0,
                timescale,
                duration,
                rate: 1.into(),
                volume: 1.into(),
                matrix: Default::default(),
                next_track_id: 2,
            },
            trak: vec![Trak {
                tkhd: Tkhd {
                    track_id: 1,
                    duration,
                    enabled: true,
                    in_movie: true,
                    width: self.width.into(),
                    height: self.height.into(),
                    ..Default::default()
                },
                mdia: Mdia {
                    mdhd: Mdhd {
                        timescale,
                        duration,
                        language: "und".into(),
                        ..Default::default()
                    },
                    hdlr: Hdlr {
                        handler: FourCC::new(b"vide"),
                        name: "video".into(),
                    },
                    minf: Minf {
                        vmhd: Some(Vmhd::default()),
                        dinf: Dinf {
                            dref: Dref {
                                entries: vec![DrefEntry::Url(Url::default())],
                            },
                        },
                        stbl: self.samples(first_frame_at)?,
                        ..Default::default()
                    },
                },
                ..Default::default()
            }],
            ..Default::default()
        })
    }

    /// Returns the timescale (units a second) and the duration in units. A frame lasts as many
    /// units as the clip has seconds.
    fn timing(&self) -> Result<(u32, u64), ClipError> {
        let frames = u32::try_from(self.frames.len()).map_err(too_long)?;
        Ok((frames, u64::from(frames) * u64::from(self.seconds)))
    }

    fn samples(&self, first_frame_at: u32) -> Result<Stbl, ClipError> {
        let count = u32::try_from(self.frames.len()).map_err(too_long)?;
        let sizes = self
            .frames
            .iter()
            .map(|frame| u32::try_from(frame.len()).map_err(too_long))
            .collect::<Result<Vec<_>, _>>()?;
        Ok(Stbl {
            stsd: Stsd {
                codecs: vec![Codec::Av01(self.codec()?)],
            },
            stts: Stts {
                entries: vec![SttsEntry {
                    sample_count: count,
                    sample_delta: self.seconds,
                }],
            },
            stss: Some(Stss { entries: vec![1] }),
            stsc: Stsc {
                entries: vec![StscEntry {
                    first_chunk: 1,
                    samples_per_chunk: count,
                    sample_description_index: 1,
                }],
            },
            stsz: Stsz {
                samples: StszSamples::Different { sizes },
            },
            stco: Some(Stco {
                entries: vec![first_frame_at],
            }),
            ..Default::default()
        })
    }

    fn codec(&self) -> Result<Av01, ClipError> {
        let mut av1c = Av1c::decode_body(&mut self.header.as_slice()).map_err(unwritable)?;
        av1c.config_obus = self
            .frames
            .first()
            .and_then(|frame| sequence_header(frame))
            .ok_or_else(|| ClipError("no sequence header".into()))?
            .to_vec();
        Ok(Av01 {
            visual: Visual {
                data_reference_index: 1,
                width: self.width,
                height: self.height,
                ..Default::default()
            },
            av1c,
            ..Default::default()
        })
    }
}

/// Returns the sequence header of a key frame (AV1 specification, section 5.3).
fn sequence_header(mut units: &[u8]) -> Option<&[u8]> {
    const SEQUENCE_HEADER: u8 = 1;
    while let [header, rest @ ..] = units {
        let extended = usize::from(header & 0b100 != 0);
        let (size, width) = leb128(rest.get(extended..)?)?;
        let length = 1 + extended + width + size;
        if header >> 3 & 0b1111 == SEQUENCE_HEADER {
            return units.get(..length);
        }
        units = units.get(length..)?;
    }
    None
}

/// Decodes a LEB128 number. Returns its value and its length in bytes (AV1 specification, section
/// 4.10.5). Reads at most 4 bytes, which is enough for the sizes in a clip.
fn leb128(bytes: &[u8]) -> Option<(usize, usize)> {
    let mut value = 0;
    for (index, byte) in bytes.iter().take(4).enumerate() {
        value |= usize::from(byte & 0x7f) << (7 * index);
        if byte & 0x80 == 0 {
            return Some((value, index + 1));
        }
    }
    None
}

fn encoded(atom: &impl Encode) -> Result<Vec<u8>, ClipError> {
    let mut bytes = Vec::new();
    atom.encode(&mut bytes).map_err(unwritable)?;
    Ok(bytes)
}

fn unwritable(error: mp4_atom::Error) -> ClipError {
    ClipError(error.to_string())
}

fn too_long(_: std::num::TryFromIntError) -> ClipError {
    ClipError("it is too long".into())
}
