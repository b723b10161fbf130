//! Measures reading and validating packets, and the cost of hostile input.
//!
//! `run` beside this crate starts it next to the JavaScript readers and compares; see the README.
//! Alone it measures in alternating rounds and prints the medians.

mod allocation;
mod hostile;
mod speed;
mod vectors;

use std::io::{BufRead, Write};
use std::time::Duration;

use anyhow::{Context, bail};
use serde_json::json;
use tasuki_packet::{Variant, schema};

#[global_allocator]
static ALLOCATOR: allocation::Counting = allocation::Counting;

const HELP: &str = "\
bench-packet [--json]            rounds of every reader, then the hostile inputs
bench-packet --hostile [WORD] [--json]
                                 the hostile inputs alone, or those with this in their name
bench-packet --speed [--json]    the readers alone
bench-packet --vectors           what the hostile vectors of the repository cost
bench-packet --rounds            one round for each line `<seconds> <name>` on standard input
bench-packet --schema            the JSON Schema of the baseline variant
";

const ROUNDS: usize = 7;
const ROUND: Duration = Duration::from_millis(700);

fn main() -> anyhow::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let is_json = arguments.iter().any(|argument| argument == "--json");
    let task: Vec<_> = arguments.iter().map(String::as_str).filter(|&a| a != "--json").collect();
    match task.as_slice() {
        [] => {
            print_speed(is_json)?;
            print_hostile("", is_json)
        }
        ["--speed"] => print_speed(is_json),
        ["--hostile"] => print_hostile("", is_json),
        ["--hostile", word] => print_hostile(word, is_json),
        ["--vectors"] => print_refusals(&hostile::run_vectors()?, is_json),
        ["--rounds"] => rounds_on_request(),
        ["--schema"] => print_schema(),
        ["--help" | "-h"] => {
            print!("{HELP}");
            Ok(())
        }
        _ => bail!("unknown arguments\n{HELP}"),
    }
}

fn print_schema() -> anyhow::Result<()> {
    let variant = Variant::named("baseline").context("variant `baseline` is missing")?;
    println!("{}", schema::of(&variant));
    Ok(())
}

/// Measures on request, so that the rounds of another program can alternate.
fn rounds_on_request() -> anyhow::Result<()> {
    let speed = speed::Speed::new()?;
    let mut output = std::io::stdout();
    for line in std::io::stdin().lock().lines() {
        let line = line?;
        let (seconds, name) = line.split_once(' ').context("expected `<seconds> <name>`")?;
        let time = Duration::from_secs_f64(seconds.parse()?);
        writeln!(output, "{}", speed.measure(name, time)?)?;
        output.flush()?;
    }
    Ok(())
}

fn print_speed(is_json: bool) -> anyhow::Result<()> {
    let speed = speed::Speed::new()?;
    let mut rates = vec![Vec::new(); speed::NAMES.len()];
    for round in 0..=ROUNDS {
        for (name, rates) in speed::NAMES.iter().zip(&mut rates) {
            let rate = speed.measure(name, ROUND)?;
            // The first round is a warm-up.
            if round > 0 {
                rates.push(rate);
            }
        }
    }
    for (name, rates) in speed::NAMES.iter().zip(&mut rates) {
        rates.sort_by(f64::total_cmp);
        let median = rates[rates.len() / 2];
        if is_json {
            println!("{}", json!({ "speed": name, "packets_per_second": median, "rounds": rates }));
        } else {
            println!("{name:<24} {median:>10.0} packets/s");
        }
    }
    Ok(())
}

fn print_hostile(word: &str, is_json: bool) -> anyhow::Result<()> {
    print_refusals(&hostile::run(word)?, is_json)
}

fn print_refusals(refusals: &[hostile::Refusal], is_json: bool) -> anyhow::Result<()> {
    if !is_json {
        println!("{}", hostile::heading());
    }
    for refusal in refusals {
        if is_json {
            println!("{}", refusal.json());
        } else {
            println!("{}", refusal.line());
        }
    }
    let faulty = refusals.iter().filter(|refusal| !refusal.faults().is_empty()).count();
    if !is_json {
        println!("{} inputs, {faulty} of them over a limit or not refused", refusals.len());
    }
    Ok(())
}
