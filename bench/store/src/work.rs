//! The documents that are handed over, the same for every contender.
//!
//! A handoff is identified by its number. Its packet, return packet and leaves have the same length
//! for every number, so that every step of a kind moves the same bytes. Nothing here is random.

use std::fmt::Write;

use sha2::{Digest, Sha256};

/// A SHA-256 hash.
pub type Hash = [u8; 32];

/// The number of receivers; handoff `n` goes to receiver `n % RECEIVERS`.
pub const RECEIVERS: u64 = 100;

/// The approximate bytes of leaf and state that a step writes beside its document.
pub const STEP_BYTES: usize = 1_200;

/// A valid packet of 2,342 bytes that no rule holds.
const PACKET: &str = include_str!("../packet.json");
/// A return packet with all required members.
const RETURN_PACKET: &str = include_str!("../return.json");
const TASK: &str = "build-webpart-000000000000";
const RECEIVER: &str = "webpart-builder-00";

/// One of the three steps of a handoff.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// The sender submits a packet.
    Submit,
    /// The receiver claims it.
    Claim,
    /// The receiver returns it.
    Return,
}

impl Step {
    /// All three, in order.
    pub const ALL: [Self; 3] = [Self::Submit, Self::Claim, Self::Return];

    /// Returns its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Submit => "submit",
            Self::Claim => "claim",
            Self::Return => "return",
        }
    }
}

/// Returns the packet of a handoff, as JSON.
pub fn packet(number: u64) -> Vec<u8> {
    filled_in(PACKET, number)
}

/// Returns the return packet of a handoff, as JSON.
pub fn return_packet(number: u64) -> Vec<u8> {
    filled_in(RETURN_PACKET, number)
}

/// Returns a checkpoint of a handoff, as JSON.
pub fn checkpoint(number: u64) -> Vec<u8> {
    let task = task(number);
    let text = format!(
        "{{\"handoff_version\":\"1.0\",\"packet_type\":\"checkpoint\",\"task_id\":\"{task}\",\
         \"completed\":[\"Wrote the component\"],\"remaining\":[\"Write its tests\"]}}"
    );
    text.into_bytes()
}

/// Returns the id of a handoff. Ids grow with their number.
pub fn id(number: u64) -> String {
    format!("hof_019a86e8{number:024x}")
}

/// Returns the task of a handoff.
pub fn task(number: u64) -> String {
    format!("build-webpart-{number:012}")
}

/// Returns the receiver of a handoff.
pub fn receiver(number: u64) -> String {
    format!("webpart-builder-{:02}", number % RECEIVERS)
}

/// The log entry of one step.
#[derive(Clone, Copy, Debug)]
pub struct Leaf<'a> {
    /// The step.
    pub step: Step,
    /// The handoff's id.
    pub id: &'a str,
    /// The number of the leaf.
    pub n: u64,
    /// The hash of the leaf before.
    pub previous: &'a Hash,
    /// The hash of the document of the step.
    pub document: &'a Hash,
}

impl Leaf<'_> {
    /// Returns its bytes, with the members and the length of a real leaf.
    pub fn bytes(&self) -> Vec<u8> {
        let mut text = String::with_capacity(STEP_BYTES);
        let Self { step, id, n, previous, document } = *self;
        let (previous, document) = (hex(previous), hex(document));
        let (seconds, micros) = (n / 1_000_000 % 60, n % 1_000_000);
        write!(
            text,
            "{{\"actor\":{{\"auth\":\"local\",\"id\":\"pty_019a86e8e00074048404040404040404\",\
             \"kind\":\"agent\"}},\"attr\":{{\"attempt\":1,\
             \"claim\":\"clm_019a86e8e00275058505050505050505\",\"token\":1,\
             \"until\":\"2026-11-15T09:48:42.000000Z\"}},\"doc\":\"{document}\",\"i\":{n:012},\
             \"log\":\"tasuki.local/prj_019a86e8e00071018101010101010101/1\",\"n\":{n:012},\
             \"prev\":\"{previous}\",\"subj\":{{\"h\":\"{id}\",\"pc\":\"{document}\",\
             \"prev_n\":{n:012},\"rev\":1}},\"t\":\"2026-11-15T09:46:{seconds:02}.{micros:06}Z\",\
             \"type\":\"handoff.{step:<6}\",\"v\":\"tasuki-leaf/1\"}}",
            step = step.name(),
        )
        .expect("writing to a text does not fail");
        text.into_bytes()
    }
}

/// Returns the SHA-256 hash.
pub fn hash(bytes: &[u8]) -> Hash {
    Sha256::digest(bytes).into()
}

/// Returns the hash of a leaf, which the next leaf contains.
pub fn leaf_hash(bytes: &[u8]) -> Hash {
    Sha256::new().chain_update([0]).chain_update(bytes).finalize().into()
}

/// Returns a hash as hexadecimal text.
pub fn hex(hash: &Hash) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digits = hash.iter().flat_map(|byte| [byte >> 4, byte & 15]);
    digits.map(|digit| char::from(DIGITS[usize::from(digit)])).collect()
}

/// Returns a document with task and receiver of this handoff filled into the template.
fn filled_in(template: &str, number: u64) -> Vec<u8> {
    let mut bytes = template.as_bytes().to_vec();
    for (name, value) in [(TASK, task(number)), (RECEIVER, receiver(number))] {
        let place = template.find(name).expect("the template names its task and its receiver");
        bytes[place..place + name.len()].copy_from_slice(value.as_bytes());
    }
    bytes
}

#[cfg(test)]
mod tests {
    use tasuki_packet::open::{OpenOptions, open};
    use tasuki_packet::packet::Packet;
    use tasuki_packet::read::Source;

    use super::*;

    fn check_document(bytes: &[u8], number: u64) -> Packet {
        let source = Source::packet(bytes).unwrap();
        let opened = open(&source, OpenOptions::default()).unwrap();
        assert_eq!(opened.violations, []);
        let text = String::from_utf8_lossy(bytes).into_owned();
        assert!(text.contains(&task(number)) && text.contains(&receiver(number)), "{text}");
        opened.packet
    }

    #[test]
    fn the_packet_of_every_number_is_valid_and_has_the_same_length() {
        for number in [0, 7, 123_456] {
            let bytes = packet(number);
            assert_eq!(bytes.len(), 2_342);
            assert_eq!(check_document(&bytes, number).receiver(), Some(&*receiver(number)));
        }
    }

    #[test]
    fn the_return_packet_is_valid() {
        check_document(&return_packet(31), 31);
    }

    #[test]
    fn a_step_writes_about_what_it_is_said_to() {
        let zero = [0; 32];
        for step in Step::ALL {
            let leaf = Leaf { step, id: &id(1), n: 9, previous: &zero, document: &zero };
            assert_eq!(leaf.bytes().len(), 674, "{step:?}");
        }
    }

    #[test]
    fn a_hash_is_text_of_64_digits() {
        let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        assert_eq!(hex(&hash(b"")), empty);
    }
}
