//! What a server takes that waits, and how soon others hear of events.

mod heard;
mod listener;
mod pace;
mod receiver;
mod waiting;

use serde_json::json;

use crate::options::Options;

/// One figure beside what is asked for.
#[derive(Debug)]
pub struct Figure {
    pub name: String,
    pub value: f64,
    pub asked: f64,
    pub unit: &'static str,
}

/// Measures and prints.
pub fn print(options: &Options) -> anyhow::Result<()> {
    let mut figures = waiting::idle(options)?;
    figures.extend(waiting::crowded(options)?);
    figures.extend(heard::heard(options)?);
    for Figure { name, value, asked, unit } in &figures {
        let is_met = value < asked;
        if options.is_json {
            let line = json!({
                "figure": name, "value": value, "asked": asked, "unit": unit, "is_met": is_met,
            });
            println!("{line}");
        } else {
            let missed = if is_met { "" } else { "  MISSED" };
            println!("{name:<56} {value:>9.2} {unit:<3} under {asked} {unit}{missed}");
        }
    }
    Ok(())
}

fn megabytes(bytes: u64) -> f64 {
    bench_store::measured::count(bytes) / 1e6
}
