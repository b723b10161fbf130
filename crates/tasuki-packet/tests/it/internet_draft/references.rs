//! The documents that the draft cites.

use super::xml::escape;

/// An RFC: number, title, authors by initials and surname, month, year, and its BCP or STD.
type Rfc = (
    &'static str,
    &'static str,
    &'static [(&'static str, &'static str)],
    &'static str,
    &'static str,
    Option<(&'static str, &'static str)>,
);

const NORMATIVE: &[Rfc] = &[
    (
        "2119",
        "Key words for use in RFCs to Indicate Requirement Levels",
        &[("S.", "Bradner")],
        "March",
        "1997",
        Some(("BCP", "14")),
    ),
    (
        "3339",
        "Date and Time on the Internet: Timestamps",
        &[("G.", "Klyne"), ("C.", "Newman")],
        "July",
        "2002",
        None,
    ),
    (
        "6838",
        "Media Type Specifications and Registration Procedures",
        &[("N.", "Freed"), ("J.", "Klensin"), ("T.", "Hansen")],
        "January",
        "2013",
        Some(("BCP", "13")),
    ),
    (
        "6901",
        "JavaScript Object Notation (JSON) Pointer",
        &[("P.", "Bryan"), ("K.", "Zyp"), ("M.", "Nottingham")],
        "April",
        "2013",
        None,
    ),
    (
        "6902",
        "JavaScript Object Notation (JSON) Patch",
        &[("P.", "Bryan"), ("M.", "Nottingham")],
        "April",
        "2013",
        None,
    ),
    ("7396", "JSON Merge Patch", &[("P.", "Hoffman"), ("J.", "Snell")], "October", "2014", None),
    (
        "8174",
        "Ambiguity of Uppercase vs Lowercase in RFC 2119 Key Words",
        &[("B.", "Leiba")],
        "May",
        "2017",
        Some(("BCP", "14")),
    ),
    (
        "8259",
        "The JavaScript Object Notation (JSON) Data Interchange Format",
        &[("T.", "Bray")],
        "December",
        "2017",
        Some(("STD", "90")),
    ),
    (
        "8785",
        "JSON Canonicalization Scheme (JCS)",
        &[("A.", "Rundgren"), ("B.", "Jordan"), ("S.", "Erdtman")],
        "June",
        "2020",
        None,
    ),
];

const INFORMATIVE: &[(&str, &str, &str, &str)] = &[
    (
        "CommonMark",
        "CommonMark Spec, version 0.31.2",
        "https://spec.commonmark.org/0.31.2/",
        "2024",
    ),
    ("YAML", "YAML Ain't Markup Language, version 1.2.2", "https://yaml.org/spec/1.2.2/", "2021"),
];

/// Returns the anchors of all references.
pub(super) fn anchors() -> impl Iterator<Item = String> {
    let normative = NORMATIVE.iter().map(|rfc| format!("RFC{}", rfc.0));
    normative.chain(INFORMATIVE.iter().map(|one| one.0.to_owned()))
}

/// Returns the sections with the references.
pub(super) fn sections() -> String {
    let normative: String = NORMATIVE.iter().map(rfc).collect();
    let informative: String = INFORMATIVE.iter().map(other).collect();
    format!(
        "<references>\n<name>References</name>\n\
         <references>\n<name>Normative References</name>\n{normative}</references>\n\
         <references>\n<name>Informative References</name>\n{informative}</references>\n</references>\n"
    )
}

fn rfc(&(number, title, authors, month, year, series): &Rfc) -> String {
    let author = |(initials, surname): &(&str, &str)| {
        format!("<author initials=\"{initials}\" surname=\"{surname}\"/>")
    };
    let authors: String = authors.iter().map(author).collect();
    let series = series.map_or(String::new(), |(name, value)| {
        format!("<seriesInfo name=\"{name}\" value=\"{value}\"/>")
    });
    let title = escape(title);
    format!(
        "<reference anchor=\"RFC{number}\" target=\"https://www.rfc-editor.org/info/rfc{number}\">\n\
         <front><title>{title}</title>{authors}<date month=\"{month}\" year=\"{year}\"/></front>\n\
         {series}<seriesInfo name=\"RFC\" value=\"{number}\"/><seriesInfo name=\"DOI\" value=\"10.17487/RFC{number}\"/>\n\
         </reference>\n"
    )
}

fn other(&(anchor, title, target, year): &(&str, &str, &str, &str)) -> String {
    let title = escape(title);
    format!(
        "<reference anchor=\"{anchor}\" target=\"{target}\">\n\
         <front><title>{title}</title><author/><date year=\"{year}\"/></front>\n</reference>\n"
    )
}
