//! Parses the frames of server-sent events, as the HTML standard defines them.

/// LIMIT: the bytes of one line or frame. An event is far below.
const FRAME_BYTES_MAX: usize = 1024 * 1024;

/// The fields between two empty lines.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Frame {
    pub(super) id: Option<String>,
    pub(super) kind: Option<String>,
    pub(super) data: String,
    /// The reconnect delay in milliseconds.
    pub(super) retry: Option<u64>,
}

/// The parser, with the incomplete frame received so far.
#[derive(Debug, Default)]
pub(super) struct Frames {
    line: Vec<u8>,
    frame: Frame,
    /// `true` if the last byte was a carriage return, to which a line feed belongs.
    was_return: bool,
}

impl Frames {
    /// Parses a chunk, and returns the frames that are complete. `None` if one is too long.
    pub(super) fn take(&mut self, chunk: &[u8]) -> Option<Vec<Frame>> {
        let mut complete = Vec::new();
        for &byte in chunk {
            let is_second_half = byte == b'\n' && self.was_return;
            self.was_return = byte == b'\r';
            match byte {
                b'\n' if is_second_half => {}
                b'\n' | b'\r' => complete.extend(self.end_of_line()),
                _ => self.line.push(byte),
            }
            if self.line.len() + self.frame.data.len() > FRAME_BYTES_MAX {
                return None;
            }
        }
        Some(complete)
    }

    fn end_of_line(&mut self) -> Option<Frame> {
        let line = std::mem::take(&mut self.line);
        if line.is_empty() {
            let frame = std::mem::take(&mut self.frame);
            return (frame != Frame::default()).then_some(frame);
        }
        let line = String::from_utf8_lossy(&line);
        let (name, value) = line.split_once(':').unwrap_or((&line, ""));
        self.field(name, value.strip_prefix(' ').unwrap_or(value));
        None
    }

    fn field(&mut self, name: &str, value: &str) {
        match name {
            "id" => self.frame.id = Some(value.to_owned()),
            "event" => self.frame.kind = Some(value.to_owned()),
            "retry" => self.frame.retry = value.parse().ok(),
            "data" if self.frame.data.is_empty() => value.clone_into(&mut self.frame.data),
            "data" => {
                self.frame.data.push('\n');
                self.frame.data.push_str(value);
            }
            // A comment has an empty name. Unknown fields are ignored.
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(id: &str, kind: &str, data: &str) -> Frame {
        let (id, kind) = (Some(id.to_owned()), Some(kind.to_owned()));
        Frame { id, kind, data: data.to_owned(), retry: None }
    }

    const TEXT: &str = "retry: 1000\n\n: ping\n\nid: 7\r\nevent: a\r\ndata: {\"goal\":\"Grüße\"}\r\n\r\nid:8\revent:b\rdata: one\rdata: two\rnew: thing\r\rid\nevent: reset\ndata: {}\n\nid: 9\ndata: half";

    fn expected() -> Vec<Frame> {
        vec![
            Frame { retry: Some(1000), ..Frame::default() },
            frame("7", "a", "{\"goal\":\"Grüße\"}"),
            frame("8", "b", "one\ntwo"),
            frame("", "reset", "{}"),
        ]
    }

    #[test]
    fn an_incomplete_frame_is_kept_for_the_next_chunk() {
        assert_eq!(Frames::default().take(TEXT.as_bytes()), Some(expected()));
    }

    #[test]
    fn frames_do_not_depend_on_chunk_boundaries() {
        for size in 1..20 {
            let mut frames = Frames::default();
            let chunks = TEXT.as_bytes().chunks(size).flat_map(|one| frames.take(one).unwrap());
            assert_eq!(chunks.collect::<Vec<_>>(), expected(), "chunks of {size}");
        }
    }

    #[test]
    fn a_frame_that_is_too_long_is_an_error() {
        assert_eq!(Frames::default().take(&vec![b'x'; FRAME_BYTES_MAX + 1]), None);
        let lines = "data: 0123456789\n".repeat(FRAME_BYTES_MAX / 10);
        assert_eq!(Frames::default().take(lines.as_bytes()), None);
    }
}
