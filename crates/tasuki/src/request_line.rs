//! The line of a request in the log of a server, as the log's own format has it, only sooner: there is one
//! for every request, and the general way to JSON takes as long as reading the request did. Everything
//! else goes that way.

use std::fmt;

use tasuki_engine::clock::{Clock as _, System};
use tasuki_packet::instant::InstantText;
use tracing::field::{Field, Visit};
use tracing::{Event, Subscriber};
use tracing_subscriber::fmt::format::{Format, Json, Writer};
use tracing_subscriber::fmt::{FmtContext, FormatEvent, FormatFields};
use tracing_subscriber::registry::LookupSpan;

/// What requests are logged under.
const TARGET: &str = "tasuki::request";

/// How lines are written.
pub(crate) struct Lines(Format<Json>);

impl Lines {
    pub(crate) fn new() -> Self {
        Self(Format::default().json().flatten_event(true))
    }
}

impl<S, N> FormatEvent<S, N> for Lines
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    N: for<'a> FormatFields<'a> + 'static,
{
    fn format_event(
        &self,
        context: &FmtContext<'_, S, N>,
        mut writer: Writer<'_>,
        event: &Event<'_>,
    ) -> fmt::Result {
        let about = event.metadata();
        if about.target() != TARGET || context.lookup_current().is_some() {
            return self.0.format_event(context, writer, event);
        }
        let mut line = Line(String::with_capacity(LINE_BYTES));
        line.put(&["{\"timestamp\":\"", InstantText::of(System.now()).as_str()]);
        line.put(&["\",\"level\":\"", about.level().as_str(), "\""]);
        event.record(&mut line);
        line.put(&[",\"target\":\"", TARGET, "\"}\n"]);
        writer.write_str(&line.0)
    }
}

/// Room for a line, so that it is not moved while it is written.
const LINE_BYTES: usize = 512;

/// A line that is being written.
struct Line(String);

impl Line {
    fn put(&mut self, texts: &[&str]) {
        for text in texts {
            self.0.push_str(text);
        }
    }

    fn member(&mut self, field: &Field, value: &str) {
        self.put(&[",\"", field.name(), "\":", value]);
    }
}

impl Visit for Line {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.record_str(field, &format!("{value:?}"));
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        let is_plain = |byte: u8| matches!(byte, b' '..=b'~') && byte != b'"' && byte != b'\\';
        if value.bytes().all(is_plain) {
            self.put(&[",\"", field.name(), "\":\"", value, "\""]);
        } else {
            self.member(field, &serde_json::Value::from(value).to_string());
        }
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.member(field, &value.to_string());
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.member(field, &value.to_string());
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.member(field, if value { "true" } else { "false" });
    }
}

#[cfg(test)]
mod tests {
    use std::io;
    use std::sync::{Arc, Mutex};

    use serde_json::Value;

    use super::*;

    #[derive(Clone, Default)]
    struct Written(Arc<Mutex<Vec<u8>>>);

    impl io::Write for Written {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    /// Some lines without their times, whose length is that of all times.
    fn said(subscriber: impl Subscriber + Send + Sync + 'static, written: &Written) -> String {
        tracing::subscriber::with_default(subscriber, || {
            let (none, party) = (None::<String>, Some(tracing::field::display("pa_1")));
            tracing::info!(target: TARGET, method = %"POST", status = 201, code = none, party);
            tracing::info!(target: TARGET, text = "a \"quoted\" é\n", is_so = true, less = -1);
            tracing::warn!(n = 7, "another line");
        });
        let text = String::from_utf8(written.0.lock().unwrap().clone()).unwrap();
        let lines = text.lines().map(|line| {
            let (time, rest) = line.split_at(r#"{"timestamp":"2026-11-15T10:00:00.000000Z""#.len());
            assert!(time.ends_with("Z\""), "{line}");
            assert!(serde_json::from_str::<Value>(line).is_ok(), "{line}");
            rest.to_owned()
        });
        lines.collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn a_line_is_what_the_format_of_the_log_makes_of_it() {
        let (own, general) = (Written::default(), Written::default());
        let build = || tracing_subscriber::fmt().json().flatten_event(true);
        let writer = own.clone();
        let lines = build().event_format(Lines::new()).with_writer(move || writer.clone());
        let writer = general.clone();
        let plain = build().with_writer(move || writer.clone());
        let text = said(lines.finish(), &own);
        assert_eq!(text, said(plain.finish(), &general));
        insta::assert_snapshot!(text, @r#"
        ,"level":"INFO","method":"POST","status":201,"party":"pa_1","target":"tasuki::request"}
        ,"level":"INFO","text":"a \"quoted\" é\n","is_so":true,"less":-1,"target":"tasuki::request"}
        ,"level":"WARN","message":"another line","n":7,"target":"tasuki::request_line::tests"}
        "#);
    }
}
