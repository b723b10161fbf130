//! Clock times in output, which differ in every run.

const MONTHS: &[&str] =
    &["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/// Returns whether a word is a clock time: `14:32` or `14:32:07`.
pub(crate) fn is_clock(word: &str) -> bool {
    let is_pair = |part: &str| part.len() == 2 && part.bytes().all(|b| b.is_ascii_digit());
    matches!(word.len(), 5 | 8) && word.split(':').all(is_pair)
}

/// Removes the date before `[clock]`, which is there if the time is on another day.
pub(crate) fn without_dates(text: &str) -> String {
    let mut parts: Vec<String> = text.split("[clock]").map(str::to_owned).collect();
    let last = parts.len() - 1;
    for part in &mut parts[..last] {
        let mut words = part.trim_end_matches(' ').rsplit(' ');
        let (day, month) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        let month = month.get(month.len().saturating_sub(3)..).unwrap_or_default();
        if day.parse::<u8>().is_ok() && MONTHS.contains(&month) {
            let date = format!("{month} {day} ");
            *part = part.strip_suffix(&date).unwrap_or(part).to_owned();
        }
    }
    parts.join("[clock]")
}
