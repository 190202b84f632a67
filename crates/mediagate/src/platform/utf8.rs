//! UTF-8 whose chunks may end within a character. `encoding_rs` decodes such chunks too, but a page
//! would download its tables of all other encodings.

#[derive(Default)]
pub(crate) struct Decoder {
    rest: Vec<u8>,
}

impl Decoder {
    /// Decodes the next chunk. Bytes that are not UTF-8 become U+FFFD.
    pub(crate) fn decode(&mut self, bytes: &[u8]) -> String {
        self.rest.extend_from_slice(bytes);
        let mut text = String::with_capacity(self.rest.len());
        let mut incomplete = Vec::new();
        let mut chunks = self.rest.utf8_chunks().peekable();
        while let Some(chunk) = chunks.next() {
            text.push_str(chunk.valid());
            if chunks.peek().is_none() && is_incomplete(chunk.invalid()) {
                incomplete = chunk.invalid().to_vec();
            } else if !chunk.invalid().is_empty() {
                text.push(char::REPLACEMENT_CHARACTER);
            }
        }
        self.rest = incomplete;
        text
    }
}

/// Returns true if the bytes are the start of a character. The next chunk may have the rest.
fn is_incomplete(bytes: &[u8]) -> bool {
    std::str::from_utf8(bytes).is_err_and(|error| error.error_len().is_none())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_are_decoded_across_chunks() {
        let text = "a é € 𝄞 z";
        for size in 1..=text.len() {
            let mut decoder = Decoder::default();
            let decoded: String = text
                .as_bytes()
                .chunks(size)
                .map(|chunk| decoder.decode(chunk))
                .collect();
            assert_eq!(decoded, text, "in chunks of {size} bytes");
        }
    }

    #[test]
    fn what_is_not_utf8_is_replaced() {
        let mut decoder = Decoder::default();
        assert_eq!(decoder.decode(b"a\xff\xe2\x82"), "a\u{fffd}");
        assert_eq!(decoder.decode(b"\xacb"), "€b");
    }
}
