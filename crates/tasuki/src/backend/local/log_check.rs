//! Checks the local log, with a progress bar on a terminal.

use indicatif::{ProgressBar, ProgressDrawTarget};
use tasuki_api::LogCheckReport;
use tasuki_engine::audit::log_check::check;
use tasuki_engine::error::Error;
use tasuki_engine::query::trail::Trail;
use tasuki_engine::refusal::{Refusal, RefusalCode};

use super::exchange::Exchange;
use crate::backend::refusal::refusal_failure;
use crate::exit::Failure;

impl Exchange {
    /// Checks the log from an entry on.
    pub(crate) fn check_log(&self, from: u64, trail: &Trail) -> Result<LogCheckReport, Failure> {
        let leaves = self.wait(self.engine.head(self.project))?.leaves;
        if from > leaves {
            let message = format!("there is no leaf {from}");
            let refusal = Refusal::new(RefusalCode::ArgumentInvalid, message)
                .hint(format!("the log has {leaves} leaves, and the first is 0"));
            return Err(refusal_failure(&refusal));
        }
        let bar = ProgressBar::with_draw_target(Some(leaves), ProgressDrawTarget::stderr());
        let store = self.engine.store().as_ref();
        let checked = self.wait(async {
            let mut progress = |done, all| {
                bar.set_length(all);
                bar.set_position(done);
            };
            let checked = check(store, self.project, from, trail, &mut progress).await;
            checked.map_err(Error::from)
        });
        bar.finish_and_clear();
        checked.map(Into::into)
    }
}
