//! Properties that hold for every input and every reader.

use tasuki_packet::open::{OpenOptions, open};
use tasuki_packet::read::{Form, Source};
use tasuki_packet::render;
use tasuki_packet::write::convert::{is_same, to_form};

/// Reads the input unchanged, and inside a frame that leads deeper into one reader.
pub fn check(data: &[u8], frame: impl Fn(&str) -> String) {
    check_one(data);
    if let Ok(text) = std::str::from_utf8(data) {
        check_one(frame(text).as_bytes());
    }
}

fn check_one(data: &[u8]) {
    let Ok(source) = Source::packet(data) else { return };
    let opened = match open(&source, OpenOptions::default()) {
        Ok(opened) => opened,
        Err(violation) => return assert_place(&source, violation.position),
    };
    for violation in &opened.violations {
        assert_place(&source, violation.position);
    }
    let members = opened.packet.members();
    for form in Form::ALL {
        // Either the format can carry the packet, as `to_form` has verified, or it reports what it
        // loses.
        let Ok(text) = to_form(members, *form, "# Brief\n") else { continue };
        let again = Source::packet(text.as_bytes()).expect("written packets are found");
        let again = open(&again, OpenOptions::default()).expect("written packets are read");
        if opened.dialect.is_none() {
            assert!(is_same(members, again.packet.members()));
        }
    }
    let _brief = render::human_brief(&opened.packet);
    let _page = render::html_document(&opened.packet);
    let _card = render::card(&opened.packet, render::CardOptions::default());
}

fn assert_place(source: &Source<'_>, position: Option<tasuki_packet::Position>) {
    if let Some(position) = position {
        let length = source.text().len();
        assert!(position.span.start <= position.span.end && position.span.end as usize <= length);
        assert!(source.text().is_char_boundary(position.span.start as usize));
    }
}
