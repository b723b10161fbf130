//! The resource use of an idle server, and the delays of streams and webhooks.

mod heard;
mod listener;
mod pace;
mod receiver;
mod waiting;

use serde_json::json;

use crate::options::Options;

/// A figure and its target.
#[derive(Debug)]
pub struct Figure {
    pub name: String,
    pub value: f64,
    pub asked: f64,
    pub unit: &'static str,
}

/// Measures and prints each figure as soon as it is known.
pub fn print(options: &Options) -> anyhow::Result<()> {
    for measure in [waiting::idle, waiting::crowded, heard::heard] {
        for figure in measure(options)? {
            figure.print(options.is_json);
        }
    }
    Ok(())
}

impl Figure {
    fn print(&self, is_json: bool) {
        let Self { name, value, asked, unit } = self;
        let is_met = value < asked;
        if is_json {
            let line = json!({
                "figure": name, "value": value, "asked": asked, "unit": unit, "is_met": is_met,
            });
            println!("{line}");
        } else {
            let missed = if is_met { "" } else { "  MISSED" };
            println!("{name:<56} {value:>9.2} {unit:<3} under {asked} {unit}{missed}");
        }
    }
}

fn megabytes(bytes: u64) -> f64 {
    bench_store::measured::count(bytes) / 1e6
}
