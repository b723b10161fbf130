//! Any text as AHP's flat YAML.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tasuki_fuzz::check;
use tasuki_packet::dialect::flat_yaml;

fuzz_target!(|data: &[u8]| {
    if let Ok(text) = std::str::from_utf8(data) {
        let _looks = flat_yaml::looks_flat(text);
        let _read = flat_yaml::read(text);
    }
    check(data, |text| format!("packet_type: handoff\n{text}"));
});
