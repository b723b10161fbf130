//! Any text with a block: the block is found, read, and replaced without changing the rest.
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
        // The fence line right before the block may have become longer; nothing before it changes.
        let before = &text.as_bytes()[..block.range.start];
        let kept = before.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| {
            before[..end].iter().rposition(|&byte| byte == b'\n').map_or(0, |start| start + 1)
        });
        assert!(replaced.as_bytes().starts_with(&before[..kept]));
        assert!(markdown::find(&replaced).is_ok());
    }
});
