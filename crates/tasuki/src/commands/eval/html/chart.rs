//! The few shapes that the plots need, as SVG. Colours are classes of the page.

/// The width of every plot, in its own units; the page scales it.
pub(super) const WIDTH: f64 = 860.0;

/// An SVG image under construction.
#[derive(Debug)]
pub(super) struct Chart {
    title: String,
    height: f64,
    body: String,
}

impl Chart {
    pub(super) fn new(title: &str, height: f64) -> Self {
        Self { title: title.to_owned(), height, body: String::new() }
    }

    /// Adds a bar that starts at `x`.
    pub(super) fn bar(&mut self, (x, y): (f64, f64), (width, height): (f64, f64), class: &str) {
        self.body.push_str(&format!(
            "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" rx=\"2\" class=\"{class}\"/>\n"
        ));
    }

    pub(super) fn dot(&mut self, (x, y): (f64, f64), class: &str) {
        self.body.push_str(&format!(
            "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"5\" class=\"{class}\"/>\n"
        ));
    }

    pub(super) fn line(&mut self, from: (f64, f64), to: (f64, f64), class: &str) {
        self.body.push_str(&format!(
            "<line x1=\"{:.1}\" y1=\"{:.1}\" x2=\"{:.1}\" y2=\"{:.1}\" class=\"{class}\"/>\n",
            from.0, from.1, to.0, to.1
        ));
    }

    /// Adds a text; `anchor` is `start`, `middle` or `end`.
    pub(super) fn text(&mut self, (x, y): (f64, f64), anchor: &str, class: &str, text: &str) {
        self.body.push_str(&format!(
            "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\" class=\"{class}\">{}</text>\n",
            escape(text)
        ));
    }

    /// Adds a legend at the top: a mark and a name for each class.
    pub(super) fn legend(&mut self, x: f64, entries: &[(&str, &str)]) {
        let mut x = x;
        for (class, name) in entries {
            self.bar((x, 4.0), (12.0, 12.0), class);
            self.text((x + 18.0, 14.0), "start", "soft", name);
            x += 42.0 + 7.0 * f64::from(u32::try_from(name.len()).unwrap_or(0));
        }
    }

    /// Adds vertical lines at round values, and returns the position of a value.
    pub(super) fn axis(
        &mut self,
        (left, right): (f64, f64),
        max: f64,
        top: f64,
    ) -> impl Fn(f64) -> f64 + use<> {
        let step = round_step(max);
        let end = (max / step).ceil() * step;
        let at = move |value: f64| left + (right - left) * value / end;
        let bottom = self.height - 20.0;
        let mut value = 0.0;
        while value <= end + step / 2.0 {
            self.line((at(value), top), (at(value), bottom), "grid");
            self.text((at(value), bottom + 15.0), "middle", "soft value", &format!("{value:.0}"));
            value += step;
        }
        at
    }

    pub(super) fn to_svg(&self) -> String {
        let (title, height) = (escape(&self.title), self.height);
        format!(
            "<svg viewBox=\"0 0 {WIDTH} {height}\" role=\"img\" aria-label=\"{title}\">\n<title>{title}</title>\n{}</svg>\n",
            self.body
        )
    }
}

/// Returns a round step that divides the range into about six parts.
fn round_step(max: f64) -> f64 {
    let rough = (max / 6.0).max(1.0);
    let power = 10_f64.powf(rough.log10().floor());
    let factor = [1.0, 2.0, 5.0].into_iter().find(|factor| factor * power >= rough);
    factor.unwrap_or(10.0) * power
}

/// Escapes a text for HTML.
pub(super) fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_round() {
        let check = |max: f64, step: f64| assert!((round_step(max) - step).abs() < 1e-9, "{max}");
        check(4.0, 1.0);
        check(47.0, 10.0);
        check(1_180.0, 200.0);
        check(900.0, 200.0);
    }

    #[test]
    fn text_is_escaped() {
        let mut chart = Chart::new("<a>", 10.0);
        chart.text((0.0, 0.0), "start", "soft", "b & \"c\"");
        let svg = chart.to_svg();
        assert!(svg.contains("&lt;a&gt;") && svg.contains("b &amp; &quot;c&quot;"), "{svg}");
    }
}
