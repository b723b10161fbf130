//! Any text with a block in it: the block is found, read, and replaced without touching the rest.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tasuki_fuzz::check;
use tasuki_packet::read::markdown;

fuzz_target!(|data: &[u8]| {
    check(data, str::to_owned);
    if let Ok(text) = std::str::from_utf8(data)
        && let Ok(Some(block)) = markdown::find(text)
    {
        let replaced = markdown::replace(text, &block, "handoff_version: '1.0'\n");
        assert!(replaced.starts_with(&text[..block.range.start.saturating_sub(200)]));
        assert!(markdown::find(&replaced).is_ok());
    }
});
