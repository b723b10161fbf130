//! Adds a marked section to a text for agents, such as `AGENTS.md`, and removes it.

const BEGIN: &str = "<!-- tasuki: begin -->";
const END: &str = "<!-- tasuki: end -->";

pub(super) fn added(body: &str, text: &str) -> String {
    let text = removed(text);
    let gap = match text.as_str() {
        "" => "",
        text if text.ends_with("\n\n") => "",
        text if text.ends_with('\n') => "\n",
        _ => "\n\n",
    };
    format!("{text}{gap}{BEGIN}\n{}\n{END}\n", body.trim_end())
}

pub(super) fn removed(text: &str) -> String {
    let Some((before, rest)) = text.split_once(BEGIN) else { return text.to_owned() };
    let Some((_, after)) = rest.split_once(END) else { return text.to_owned() };
    let after = after.strip_prefix('\n').unwrap_or(after);
    let before = before.strip_suffix('\n').filter(|text| text.ends_with('\n')).unwrap_or(before);
    format!("{before}{after}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_section_is_added_once_and_can_be_removed() {
        for text in ["", "# Rules\n\nBe kind.\n"] {
            let with = added("Checkpoint often.\n", text);
            assert_eq!(added("Checkpoint often.\n", &with), with);
            assert_eq!(removed(&with), text);
        }
        let with = added("Checkpoint often.", "# Rules\n") + "\nMore.\n";
        assert_eq!(removed(&with), "# Rules\n\nMore.\n");
        assert_eq!(removed("<!-- tasuki: begin --> x"), "<!-- tasuki: begin --> x");
    }
}
