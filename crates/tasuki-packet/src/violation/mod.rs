//! Violations: everything that can be wrong with a document, each with a stable code.
//!
//! A violation is written for the person who repairs the document. Its code never changes meaning
//! and has a page in `docs/errors/`. This module does not print; each tool formats violations
//! itself.

pub(crate) mod shorten;
mod suggest;

use serde::Serialize;

pub use suggest::suggest;

macro_rules! codes {
    ($(#[doc = $summary:literal] $variant:ident = $text:literal,)+) => {
        /// The stable code of a violation or a finding.
        ///
        /// ```
        /// use tasuki_packet::Code;
        ///
        /// assert_eq!(Code::FieldMissing.as_str(), "TK-FIELD-MISSING");
        /// ```
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum Code {
            $(#[doc = $summary] $variant,)+
        }

        impl Code {
            /// Every code, in the order of the table.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)+];

            /// Returns the code as it is printed: `TK-<NOUN>-<PROBLEM>`.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $text,)+
                }
            }

            /// Returns the meaning of the code, in one sentence.
            ///
            /// ```
            /// use tasuki_packet::Code;
            ///
            /// assert_eq!(Code::FieldMissing.summary(), "A required field is missing.");
            /// ```
            pub const fn summary(self) -> &'static str {
                match self {
                    $(Self::$variant => $summary.trim_ascii_start(),)+
                }
            }
        }
    };
}

codes! {
    // Reading any form.
    /// The input is too large.
    PacketTooLarge = "TK-PACKET-TOO-LARGE",
    /// The input is empty.
    PacketEmpty = "TK-PACKET-EMPTY",
    /// The input is not UTF-8.
    PacketEncoding = "TK-PACKET-ENCODING",
    /// The input is prose, not a packet.
    PacketFreeText = "TK-PACKET-FREE-TEXT",
    /// The document is a list or a scalar, not an object.
    PacketNotObject = "TK-PACKET-NOT-OBJECT",
    /// The document is nested too deeply.
    PacketTooDeep = "TK-PACKET-TOO-DEEP",
    /// The document has too many values.
    PacketTooMany = "TK-PACKET-TOO-MANY",
    /// A number that not every JSON reader represents exactly.
    NumberRange = "TK-NUMBER-RANGE",
    /// A number with more digits than its canonical form keeps.
    NumberPrecision = "TK-NUMBER-PRECISION",
    /// Text contains U+0000.
    TextNul = "TK-TEXT-NUL",
    /// Text contains an unpaired surrogate.
    TextSurrogate = "TK-TEXT-SURROGATE",
    /// Text contains characters that change how the surrounding text is displayed.
    TextHidden = "TK-TEXT-HIDDEN",

    // JSON, YAML, Markdown, wire.
    /// The JSON is malformed.
    JsonSyntax = "TK-JSON-SYNTAX",
    /// A JSON object has a duplicate key.
    JsonDuplicate = "TK-JSON-DUPLICATE",
    /// The YAML is malformed.
    YamlSyntax = "TK-YAML-SYNTAX",
    /// A YAML mapping has a duplicate key.
    YamlDuplicate = "TK-YAML-DUPLICATE",
    /// YAML contains an anchor.
    YamlAnchor = "TK-YAML-ANCHOR",
    /// YAML contains an alias.
    YamlAlias = "TK-YAML-ALIAS",
    /// YAML contains a merge key.
    YamlMerge = "TK-YAML-MERGE",
    /// YAML contains a tag or a directive.
    YamlTag = "TK-YAML-TAG",
    /// The source contains more than one YAML document.
    YamlDocuments = "TK-YAML-DOCUMENTS",
    /// A YAML key is a list or a mapping.
    YamlKey = "TK-YAML-KEY",
    /// Markdown contains no packet.
    MarkdownNoPacket = "TK-MARKDOWN-NO-PACKET",
    /// A code fence is not closed.
    MarkdownFence = "TK-MARKDOWN-FENCE",
    /// A wire form cannot be unfolded.
    WireSyntax = "TK-WIRE-SYNTAX",

    // The field table.
    /// A required field is missing.
    FieldMissing = "TK-FIELD-MISSING",
    /// A value has the wrong type.
    FieldType = "TK-FIELD-TYPE",
    /// A value is not one of the allowed values.
    FieldValue = "TK-FIELD-VALUE",
    /// A text does not match its format.
    FieldFormat = "TK-FIELD-FORMAT",
    /// A number is outside its bounds.
    FieldRange = "TK-FIELD-RANGE",
    /// A text is too long.
    FieldLength = "TK-FIELD-LENGTH",
    /// A text that must have content is blank.
    FieldBlank = "TK-FIELD-BLANK",
    /// The variant does not know the field, and rejects unknown fields.
    FieldUnknown = "TK-FIELD-UNKNOWN",
    /// The variant does not allow the field.
    FieldRefused = "TK-FIELD-REFUSED",
    /// A field requires another one, which is missing.
    FieldTogether = "TK-FIELD-TOGETHER",
    /// A list that must have items is empty.
    ListEmpty = "TK-LIST-EMPTY",
    /// A list is too long.
    ListLength = "TK-LIST-LENGTH",
    /// The format version of the packet is not supported.
    VersionUnsupported = "TK-VERSION-UNSUPPORTED",
    /// A variant file is invalid.
    VariantInvalid = "TK-VARIANT-INVALID",

    // Packets compared with each other.
    /// A packet grants more authority than its parent.
    AuthorityWidened = "TK-AUTHORITY-WIDENED",
    /// A packet drops an item that an earlier packet pinned.
    PinnedDropped = "TK-PINNED-DROPPED",
    /// A packet that passes work on drops an open obligation.
    OwedDropped = "TK-OWED-DROPPED",
    /// A return packet lacks a requested field.
    ReturnMissing = "TK-RETURN-MISSING",
    /// A return packet does not report on an acceptance criterion.
    ReturnCriterion = "TK-RETURN-CRITERION",
    /// An acceptance criterion was not met.
    ReturnFailed = "TK-RETURN-FAILED",
    /// A return packet names a criterion that was not requested.
    ReturnUnknown = "TK-RETURN-UNKNOWN",
    /// A return packet belongs to another task.
    ReturnTask = "TK-RETURN-TASK",
    /// An output does not satisfy its schema.
    OutputInvalid = "TK-OUTPUT-INVALID",

    // Patches and conversion.
    /// A patch is malformed.
    PatchInvalid = "TK-PATCH-INVALID",
    /// A patch refers to a place that does not exist.
    PatchPath = "TK-PATCH-PATH",
    /// A test operation of a patch failed.
    PatchTest = "TK-PATCH-TEST",
    /// The target form cannot represent a value.
    ConvertLossy = "TK-CONVERT-LOSSY",

    // Contracts.
    /// One of the five parts of a contract is missing.
    ContractPart = "TK-CONTRACT-PART",
    /// A fallback ladder does not end with the dead letter.
    ContractLadder = "TK-CONTRACT-LADDER",
    /// Contracts form a loop without a return contract.
    ContractLoop = "TK-CONTRACT-LOOP",
    /// A new version is not compatible with an older one.
    ContractBreaking = "TK-CONTRACT-BREAKING",
    /// Two documents have the same name and version.
    ContractDuplicate = "TK-CONTRACT-DUPLICATE",
    /// A schema cannot be compiled.
    SchemaInvalid = "TK-SCHEMA-INVALID",
    /// Validating this value against this schema takes too long.
    SchemaEffort = "TK-SCHEMA-EFFORT",
    /// A schema file was not found.
    SchemaMissing = "TK-SCHEMA-MISSING",
    /// A payload does not satisfy the contract's schema.
    PayloadInvalid = "TK-PAYLOAD-INVALID",
    /// A payload has a field that the contract's scope forbids.
    ScopeForbidden = "TK-SCOPE-FORBIDDEN",
    /// The contract requires a confidence, and the packet has none.
    ConfidenceMissing = "TK-CONFIDENCE-MISSING",
    /// The contract requires provenance that the packet lacks.
    ProvenanceMissing = "TK-PROVENANCE-MISSING",
    /// The packet is not on the contract's edge.
    EdgeRefused = "TK-EDGE-REFUSED",
    /// The packet names another contract, or an unsupported version.
    ContractMismatch = "TK-CONTRACT-MISMATCH",
    /// A contract names a version of itself that does not exist or is not older.
    ContractVersion = "TK-CONTRACT-VERSION",
    /// A contract parks work with another party, but its ladder has no other party.
    ContractPark = "TK-CONTRACT-PARK",
    /// A contract verifies returns itself, but has nothing to check them with.
    ContractUnchecked = "TK-CONTRACT-UNCHECKED",
    /// A schema allows members that it does not describe.
    SchemaOpen = "TK-SCHEMA-OPEN",
    /// A schema describes more members than a receiver can tell apart.
    SchemaOverpacked = "TK-SCHEMA-OVERPACKED",

    // Gates and rules.
    /// A gate allows people to sign off their own work.
    GateSeparation = "TK-GATE-SEPARATION",
    /// Two entries of one document have the same name.
    NameDuplicate = "TK-NAME-DUPLICATE",
    /// A pattern is invalid.
    PatternInvalid = "TK-PATTERN-INVALID",

    // Secrets.
    /// The packet contains a secret.
    SecretFound = "TK-SECRET-FOUND",

    // Rendering.
    /// The token budget is too small for the mandatory parts of a brief.
    BudgetTooSmall = "TK-BUDGET-TOO-SMALL",

    // Lint: quality findings. They never make a packet invalid.
    /// An unknown member is probably a misspelt field.
    LintField = "TK-LINT-FIELD",
    /// The packet does not state its goal.
    LintGoal = "TK-LINT-GOAL",
    /// The packet or one of its items is too long for a brief.
    LintLong = "TK-LINT-LONG",
    /// The packet has more members or items than a reader can take in.
    LintPacked = "TK-LINT-PACKED",
    /// The packet repeats itself or contains a chat history.
    LintHistory = "TK-LINT-HISTORY",
    /// Completed work has no evidence.
    LintEvidence = "TK-LINT-EVIDENCE",
    /// An acceptance criterion cannot be checked.
    LintVague = "TK-LINT-VAGUE",
    /// The packet does not request anything.
    LintRequest = "TK-LINT-REQUEST",
    /// The packet does not state its progress.
    LintProgress = "TK-LINT-PROGRESS",
    /// Evidence has an unknown kind.
    LintKind = "TK-LINT-KIND",
    /// An artifact cannot be checked, or is embedded in the packet.
    LintArtifact = "TK-LINT-ARTIFACT",
    /// A fallback ladder does not end with the dead letter.
    LintLadder = "TK-LINT-LADDER",
    /// Text contains invisible characters.
    LintHidden = "TK-LINT-HIDDEN",
    /// Text reads like an instruction to a model.
    LintInjection = "TK-LINT-INJECTION",
    /// Completed work has no confidence.
    LintConfidence = "TK-LINT-CONFIDENCE",
}

impl std::fmt::Display for Code {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(self.as_str())
    }
}

impl Serialize for Code {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

/// A range of bytes in a source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Span {
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

/// A position in a source, as editors show it.
///
/// Lines and columns count from 1, and columns count characters.
///
/// ```
/// use tasuki_packet::Span;
/// use tasuki_packet::read::Source;
///
/// let source = Source::packet(b"task_id: export-7\ngoal: Ship it\nhandoff_version: '1.0'\n")?;
/// let position = source.position(Span { start: 24, end: 31 });
/// assert_eq!((position.line, position.column), (2, 7));
/// # Ok::<(), tasuki_packet::Violation>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Position {
    /// The line.
    pub line: u32,
    /// The column of the first character.
    pub column: u32,
    /// The byte range in the whole source, to underline it.
    #[serde(skip)]
    pub span: Span,
}

/// One problem of a document, with its place and how to repair it.
///
/// ```
/// use tasuki_packet::{Code, Violation};
///
/// let violation = Violation::new(Code::FieldBlank, "/task_id", "`task_id` is blank")
///     .hint("give the task an id");
/// assert_eq!(violation.to_string(), "TK-FIELD-BLANK: `task_id` is blank");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Violation {
    /// The stable code.
    pub code: Code,
    /// The RFC 6901 pointer to the value, or to where it is missing. `""` is the whole document.
    pub pointer: String,
    /// The position in the source, if the document was read from one.
    #[serde(flatten)]
    pub position: Option<Position>,
    /// The problem, as one phrase in lower case without a full stop.
    pub message: String,
    /// The value that was found, shortened.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub found: Option<String>,
    /// The values that are allowed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allowed: Option<String>,
    /// How to repair it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

impl Violation {
    /// Creates a violation at `pointer` with only a message.
    pub fn new(code: Code, pointer: impl Into<String>, message: impl Into<String>) -> Self {
        Self {
            code,
            pointer: pointer.into(),
            position: None,
            message: message.into(),
            found: None,
            allowed: None,
            hint: None,
        }
    }

    /// Sets the position in the source.
    #[must_use]
    pub fn at(mut self, position: impl Into<Option<Position>>) -> Self {
        self.position = position.into();
        self
    }

    /// Sets the value that was found.
    #[must_use]
    pub fn found(mut self, found: impl Into<String>) -> Self {
        self.found = Some(found.into());
        self
    }

    /// Sets the allowed values.
    #[must_use]
    pub fn allowed(mut self, allowed: impl Into<String>) -> Self {
        self.allowed = Some(allowed.into());
        self
    }

    /// Sets the hint.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

impl std::fmt::Display for Violation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if let Some(position) = self.position {
            write!(f, "{}:{}: ", position.line, position.column)?;
        }
        write!(f, "{}: {}", self.code, self.message)
    }
}

impl std::error::Error for Violation {}
