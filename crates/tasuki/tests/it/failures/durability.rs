//! An answer means that the disk has it: for every step, the answer on stdout follows a sync of
//! everything that was written to the WAL. (Whether the disk then keeps it is `make powercut`.)

use super::exchange::{Exchange, words};
use super::trace::{Trace, traced};

#[test]
fn every_answer_follows_its_sync() {
    let exchange = Exchange::new();
    for line in [
        "submit --as ana --to ben --goal Ship --task build-42",
        "claim build-42 --as ben --no-drift",
        "checkpoint build-42 --as ben --completed Wrote",
        "return build-42 --as ben --summary Done",
    ] {
        let options = ["-e", "trace=write,writev,pwrite64,pwritev,fsync,fdatasync"];
        let Some((mut command, trace)) = traced(&exchange, &options, &words(line)) else { return };
        let output = command.output().unwrap();
        assert!(output.status.success(), "{line}: {}", exchange.folder.shown(&output));
        let trace = std::fs::read_to_string(trace).unwrap();
        let answers = Trace::read(&trace).answers_follow_syncs();
        assert_eq!(answers, Ok(1), "{line}:\n{trace}");
    }
}
