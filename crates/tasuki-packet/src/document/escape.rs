//! Escaping of JSON strings: finds the bytes that need it and writes the escapes.
//!
//! Everything that is read, hashed or stored passes through here, so texts are scanned eight bytes
//! at a time. The escapes are those of RFC 8785, which `serde_json` uses too.

/// Returns the length of the prefix that needs no escape: up to a quote, backslash or control
/// character.
pub(crate) fn plain_length(bytes: &[u8]) -> usize {
    length_before(bytes, specials)
}

/// Like [`plain_length`], but also stops at a byte that is not ASCII.
pub(crate) fn plain_ascii_length(bytes: &[u8]) -> usize {
    length_before(bytes, |word| specials(word) | word & TOP)
}

/// Returns the number of bytes before the first one that `marks` marks in its word.
#[inline]
fn length_before(bytes: &[u8], marks: impl Fn(u64) -> u64) -> usize {
    let mut at = 0;
    while let Some(word) = bytes[at..].first_chunk() {
        let found = marks(u64::from_le_bytes(*word));
        if found != 0 {
            return at + found.trailing_zeros() as usize / 8;
        }
        at += 8;
    }
    length_before_end(bytes, marks)
}

/// Scans the rest, which is shorter than a word.
///
/// Separate and not inlined: in a document, only the last text ends that close to the end.
#[inline(never)]
fn length_before_end(bytes: &[u8], marks: impl Fn(u64) -> u64) -> usize {
    let first = |word: [u8; 8]| {
        let found = marks(u64::from_le_bytes(word));
        (found != 0).then(|| found.trailing_zeros() as usize / 8)
    };
    // Overlaps with bytes that are known to have no mark.
    if let Some(last) = bytes.last_chunk() {
        return bytes.len() - 8 + first(*last).unwrap_or(8);
    }
    // The padding zeros count as control characters.
    let mut padded = [0; 8];
    padded[..bytes.len()].copy_from_slice(bytes);
    first(padded).unwrap_or(bytes.len())
}

const EACH: u64 = 0x0101_0101_0101_0101;
const TOP: u64 = 0x80 * EACH;

/// Sets the top bit of the first of eight bytes that needs an escape, and of none before it.
fn specials(word: u64) -> u64 {
    // Sets the top bit of the first byte below `bound`, and of none before it.
    let below = |word: u64, bound: u64| word.wrapping_sub(bound * EACH) & !word & TOP;
    let quote = below(word ^ (u64::from(b'"') * EACH), 1);
    let backslash = below(word ^ (u64::from(b'\\') * EACH), 1);
    quote | backslash | below(word, 0x20)
}

/// Writes a text as a JSON string.
pub(crate) fn write_text(text: &str, written: &mut Vec<u8>) {
    let mut rest = text.as_bytes();
    written.push(b'"');
    loop {
        let (plain, special) = rest.split_at(plain_length(rest));
        written.extend_from_slice(plain);
        let Some((byte, behind)) = special.split_first() else { break };
        write_escape(*byte, written);
        rest = behind;
    }
    written.push(b'"');
}

fn write_escape(byte: u8, written: &mut Vec<u8>) {
    let short = match byte {
        b'"' | b'\\' => byte,
        0x08 => b'b',
        b'\t' => b't',
        b'\n' => b'n',
        0x0c => b'f',
        b'\r' => b'r',
        _ => {
            written.extend(b"\\u00");
            written.extend(hex(byte));
            return;
        }
    };
    written.extend([b'\\', short]);
}

/// Returns the two lower-case hex digits of a byte.
pub(crate) fn hex(byte: u8) -> [u8; 2] {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    [DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]]
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_text_is_plain_up_to_the_first_byte_that_is_not(
            bytes in prop::collection::vec(
                prop_oneof![8 => Just(b'x'), 2 => any::<u8>(), 1 => 0x1e_u8..0x24], 0..40,
            ),
        ) {
            let is_special = |byte: &u8| *byte < 0x20 || matches!(byte, b'"' | b'\\');
            let first = bytes.iter().position(is_special).unwrap_or(bytes.len());
            prop_assert_eq!(plain_length(&bytes), first);
            let first = bytes.iter().position(|byte| is_special(byte) || !byte.is_ascii());
            prop_assert_eq!(plain_ascii_length(&bytes), first.unwrap_or(bytes.len()));
        }

        #[test]
        fn a_text_is_written_as_the_library_writes_it(text in "[\\x00-\\x23\\\\é\u{10000}a]{0,40}") {
            let mut written = Vec::new();
            write_text(&text, &mut written);
            prop_assert_eq!(written, serde_json::to_vec(&text).unwrap());
        }
    }
}
