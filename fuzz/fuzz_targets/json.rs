//! Any text as JSON: it is refused with a position inside it, or it reads back from every format.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tasuki_fuzz::check;

fuzz_target!(|data: &[u8]| check(data, |text| format!("{{{text}}}")));
