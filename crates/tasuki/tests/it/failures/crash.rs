//! Processes that are killed (`kill -9`) at random moments while others write to the same store: every
//! answered step is there once, none is half done, the log is intact. The short form of `make crash`.

use std::collections::HashMap;
use std::io::Read as _;
use std::process::Stdio;
use std::time::{Duration, Instant};

use super::exchange::{Event, Exchange, words};

const ROUNDS: u64 = 12;
const WRITERS: u64 = 3;

/// The steps of one handoff, and what each leaves in the log: all of it or nothing.
const STEPS: &[(&str, &[&str])] = &[
    ("submit --as ana --to ben --goal Ship --task TASK", &["submitted"]),
    ("claim TASK --as ben --no-drift", &["claimed"]),
    ("checkpoint TASK --as ben --completed Wrote", &["checkpointed", "started"]),
    ("return TASK --as ben --summary Done", &["returned", "done"]),
];

#[test]
fn killed_processes_lose_nothing_that_was_answered() {
    let exchange = Exchange::new();
    let seed = u64::from(std::process::id());
    println!("seed {seed}");
    let began = Instant::now();
    exchange.succeed(&words("submit --as ana --to ben --goal Ship --task first"));
    let one_step = began.elapsed();
    let mut tasks = Vec::new();
    for round in 0..ROUNDS {
        std::thread::scope(|scope| {
            let writers = (0..WRITERS).map(|writer| {
                let random = Random(seed ^ round << 32 ^ writer << 16).next();
                let (task, exchange) = (format!("task-{round}-{writer}"), &exchange);
                scope.spawn(move || hand_over(exchange, task, random, one_step))
            });
            let writers: Vec<_> = writers.collect();
            tasks.extend(writers.into_iter().map(|writer| writer.join().unwrap()));
        });
        exchange.check_log();
        check_events(&tasks, &exchange.events());
    }
    let killed = tasks.iter().filter(|task| task.answered < STEPS.len()).count();
    let answered: usize = tasks.iter().map(|task| task.answered).sum();
    println!("{killed} processes killed, {answered} steps answered");
    assert!(killed > 0 && answered > killed, "the moments were badly chosen, this proves nothing");
}

/// The state of a handoff as its writer knows it.
struct Task {
    name: String,
    /// How many steps were answered; the next one was killed, if there is one.
    answered: usize,
}

/// Goes through the steps of a handoff until a process is killed or all are done.
fn hand_over(exchange: &Exchange, name: String, mut random: Random, one_step: Duration) -> Task {
    let victim = usize::try_from(random.below(4)).unwrap();
    for (step, (line, _)) in STEPS.iter().enumerate() {
        let line = line.replace("TASK", &name);
        let after = (step == victim).then(|| one_step * random.below(150) / 100);
        if !is_answered(exchange, &name, &line, after) {
            return Task { name, answered: step };
        }
    }
    Task { name, answered: STEPS.len() }
}

/// Runs one step and kills it after a while. It was answered if its answer arrived.
fn is_answered(exchange: &Exchange, session: &str, line: &str, after: Option<Duration>) -> bool {
    let mut command = exchange.command(session, &words(line));
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    if let Some(after) = after {
        std::thread::sleep(after);
        child.kill().unwrap();
    }
    let (mut answer, mut complaint) = (String::new(), String::new());
    child.stdout.take().unwrap().read_to_string(&mut answer).unwrap();
    child.stderr.take().unwrap().read_to_string(&mut complaint).unwrap();
    let status = child.wait().unwrap();
    assert!(status.success() || status.code().is_none(), "{line}: {complaint}");
    answer.ends_with('\n')
}

/// Every answered step is in the log once, a killed one wholly or not at all, and no other.
fn check_events(tasks: &[Task], events: &[Event]) {
    let mut counts: HashMap<(&str, &str), usize> = HashMap::new();
    for event in events {
        *counts.entry((event.task(), event.word())).or_default() += 1;
    }
    for task in tasks {
        for (step, (line, words)) in STEPS.iter().enumerate() {
            let found: Vec<usize> = words
                .iter()
                .map(|word| counts.get(&(task.name.as_str(), *word)).copied().unwrap_or_default())
                .collect();
            let is_whole = found.iter().all(|count| *count == 1);
            let is_absent = found.iter().all(|count| *count == 0);
            let is_right = match step.cmp(&task.answered) {
                std::cmp::Ordering::Less => is_whole,
                std::cmp::Ordering::Equal => is_whole || is_absent,
                std::cmp::Ordering::Greater => is_absent,
            };
            let (name, answered) = (&task.name, task.answered);
            assert!(
                is_right,
                "{name}, {answered} steps answered, {line}: {words:?} {found:?} times"
            );
        }
    }
}

/// Numbers that look random (xorshift).
struct Random(u64);

impl Random {
    fn below(&mut self, end: u32) -> u32 {
        for shift in [13, -7, 17] {
            self.0 ^= if shift > 0 { self.0 << shift } else { self.0 >> -shift };
        }
        u32::try_from(self.0 % u64::from(end)).unwrap()
    }

    /// The numbers some steps on, where small seeds differ.
    fn next(mut self) -> Self {
        self.0 = self.0.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        (0..8).for_each(|_| _ = self.below(2));
        self
    }
}
