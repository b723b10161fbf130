//! Any tables: they expand within the limits, or they are refused.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tasuki_fuzz::check;

fuzz_target!(|data: &[u8]| check(data, |text| format!("{{\"tasuki\":\"wire/1\",{text}}}")));
