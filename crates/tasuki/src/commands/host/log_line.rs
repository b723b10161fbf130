//! One line of the log: a flat JSON object in which each key occurs once.
//!
//! Readers of JSON disagree on which of two equal keys counts, so a field that has the name of
//! another one gets a number. Spans are left out: a line is about one event.

use std::fmt::{self, Debug};

use serde::Serialize;
use tracing::field::{Field, Visit};
use tracing::{Event, Subscriber};
use tracing_subscriber::fmt::format::Writer;
use tracing_subscriber::fmt::time::{FormatTime as _, SystemTime};
use tracing_subscriber::fmt::{FmtContext, FormatEvent, FormatFields};
use tracing_subscriber::registry::LookupSpan;

/// Formats events as lines.
pub(super) struct Format;

impl<S, N> FormatEvent<S, N> for Format
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    N: for<'a> FormatFields<'a> + 'static,
{
    fn format_event(
        &self,
        _: &FmtContext<'_, S, N>,
        mut writer: Writer<'_>,
        event: &Event<'_>,
    ) -> fmt::Result {
        let mut time = String::new();
        SystemTime.format_time(&mut Writer::new(&mut time))?;
        let metadata = event.metadata();
        let mut line = Line::default();
        line.names.push("target".to_owned());
        line.add("timestamp", &time);
        line.add("level", metadata.level().as_str());
        event.record(&mut line);
        line.names.clear();
        line.add("target", metadata.target());
        writeln!(writer, "{{{}}}", line.text)
    }
}

#[derive(Default)]
struct Line {
    text: String,
    names: Vec<String>,
}

impl Line {
    fn add(&mut self, name: &str, value: &(impl Serialize + ?Sized)) {
        let is_taken = |name: &str| self.names.iter().any(|taken| taken == name);
        let mut own = name.to_owned();
        let mut number = 2;
        while is_taken(&own) {
            own = format!("{name}_{number}");
            number += 1;
        }
        // Keys and values of these types can always be written.
        let key = serde_json::to_string(&own).unwrap_or_default();
        let value = serde_json::to_string(value).unwrap_or_else(|_| "null".to_owned());
        let comma = if self.text.is_empty() { "" } else { "," };
        for part in [comma, &key, ":", &value] {
            self.text.push_str(part);
        }
        self.names.push(own);
    }
}

impl Visit for Line {
    fn record_f64(&mut self, field: &Field, value: f64) {
        self.add(field.name(), &value);
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.add(field.name(), &value);
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.add(field.name(), &value);
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.add(field.name(), &value);
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.add(field.name(), value);
    }

    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.add(field.name(), &format!("{value:?}"));
    }
}
