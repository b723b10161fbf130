//! What is wrong with a document: a stable code, where, what was found, what is allowed.
//!
//! A violation is written for the person who has to repair the document. Its code never changes
//! meaning and has a page in `docs/errors/`. Nothing here prints; the tool decides how it looks.

pub(crate) mod shorten;
mod suggest;

use serde::Serialize;

pub use suggest::suggest;

macro_rules! codes {
    ($($(#[$doc:meta])* $variant:ident = $text:literal,)+) => {
        /// The stable code of a violation or a finding.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum Code {
            $($(#[$doc])* $variant,)+
        }

        impl Code {
            /// Every code, in the order of the table.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)+];

            /// The code as it is printed: `TK-<NOUN>-<PROBLEM>`.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $text,)+
                }
            }
        }
    };
}

codes! {
    // Reading any form.
    /// The input is larger than a packet may be.
    PacketTooLarge = "TK-PACKET-TOO-LARGE",
    /// The input has no content.
    PacketEmpty = "TK-PACKET-EMPTY",
    /// The input is not UTF-8.
    PacketEncoding = "TK-PACKET-ENCODING",
    /// The input is prose, not a packet.
    PacketFreeText = "TK-PACKET-FREE-TEXT",
    /// The document is a list or a scalar, not an object.
    PacketNotObject = "TK-PACKET-NOT-OBJECT",
    /// The document nests too deeply.
    PacketTooDeep = "TK-PACKET-TOO-DEEP",
    /// The document has too many values.
    PacketTooMany = "TK-PACKET-TOO-MANY",
    /// A number that JSON readers do not keep exactly.
    NumberRange = "TK-NUMBER-RANGE",
    /// A number with more digits than its canonical form can carry.
    NumberPrecision = "TK-NUMBER-PRECISION",
    /// Text contains U+0000.
    TextNul = "TK-TEXT-NUL",
    /// Text contains half of a surrogate pair.
    TextSurrogate = "TK-TEXT-SURROGATE",
    /// Text contains characters that change how the text around them looks.
    TextHidden = "TK-TEXT-HIDDEN",

    // JSON, YAML, Markdown, wire.
    /// The JSON is malformed.
    JsonSyntax = "TK-JSON-SYNTAX",
    /// A JSON object names a member twice.
    JsonDuplicate = "TK-JSON-DUPLICATE",
    /// The YAML is malformed.
    YamlSyntax = "TK-YAML-SYNTAX",
    /// A YAML mapping names a key twice.
    YamlDuplicate = "TK-YAML-DUPLICATE",
    /// YAML with an anchor.
    YamlAnchor = "TK-YAML-ANCHOR",
    /// YAML with an alias.
    YamlAlias = "TK-YAML-ALIAS",
    /// YAML with a merge key.
    YamlMerge = "TK-YAML-MERGE",
    /// YAML with a tag.
    YamlTag = "TK-YAML-TAG",
    /// YAML with more than one document.
    YamlDocuments = "TK-YAML-DOCUMENTS",
    /// A YAML key that is not plain text.
    YamlKey = "TK-YAML-KEY",
    /// Markdown without a packet in it.
    MarkdownNoPacket = "TK-MARKDOWN-NO-PACKET",
    /// A fence that is opened and never closed.
    MarkdownFence = "TK-MARKDOWN-FENCE",
    /// A wire form that does not unfold.
    WireSyntax = "TK-WIRE-SYNTAX",

    // The field table.
    /// A required field is absent.
    FieldMissing = "TK-FIELD-MISSING",
    /// A field has a value of another type.
    FieldType = "TK-FIELD-TYPE",
    /// A field has a word that is not among the allowed ones.
    FieldValue = "TK-FIELD-VALUE",
    /// A text does not have the form it must have.
    FieldFormat = "TK-FIELD-FORMAT",
    /// A number is outside its bounds.
    FieldRange = "TK-FIELD-RANGE",
    /// A text is too long.
    FieldLength = "TK-FIELD-LENGTH",
    /// A text that must say something is blank.
    FieldBlank = "TK-FIELD-BLANK",
    /// A field that the variant does not know.
    FieldUnknown = "TK-FIELD-UNKNOWN",
    /// A field that the variant refuses.
    FieldRefused = "TK-FIELD-REFUSED",
    /// A field needs another one beside it.
    FieldTogether = "TK-FIELD-TOGETHER",
    /// A list that must have items has none.
    ListEmpty = "TK-LIST-EMPTY",
    /// A list is too long.
    ListLength = "TK-LIST-LENGTH",
    /// The packet is of a version that this reader does not read.
    VersionUnsupported = "TK-VERSION-UNSUPPORTED",
    /// A variant file that cannot be used.
    VariantInvalid = "TK-VARIANT-INVALID",

    // Documents against each other.
    /// A packet passes on more authority than it was given.
    AuthorityWidened = "TK-AUTHORITY-WIDENED",
    /// A packet drops what an earlier hop pinned.
    PinnedDropped = "TK-PINNED-DROPPED",
    /// A packet that passes work on does not carry what is owed.
    OwedDropped = "TK-OWED-DROPPED",
    /// A return lacks a field that was asked for.
    ReturnMissing = "TK-RETURN-MISSING",
    /// A return says nothing of an acceptance criterion.
    ReturnCriterion = "TK-RETURN-CRITERION",
    /// An acceptance criterion was not met.
    ReturnFailed = "TK-RETURN-FAILED",
    /// A return names a criterion that nobody asked for.
    ReturnUnknown = "TK-RETURN-UNKNOWN",
    /// A return belongs to another task.
    ReturnTask = "TK-RETURN-TASK",
    /// An output does not satisfy its schema.
    OutputInvalid = "TK-OUTPUT-INVALID",

    // Patches and conversion.
    /// A patch document is malformed.
    PatchInvalid = "TK-PATCH-INVALID",
    /// A patch names a place that does not exist.
    PatchPath = "TK-PATCH-PATH",
    /// A patch's test operation did not hold.
    PatchTest = "TK-PATCH-TEST",
    /// A value that the target form cannot carry.
    ConvertLossy = "TK-CONVERT-LOSSY",

    // Contracts.
    /// One of the five parts of a contract is absent.
    ContractPart = "TK-CONTRACT-PART",
    /// A fallback ladder that does not end in the dead letter.
    ContractLadder = "TK-CONTRACT-LADDER",
    /// A loop of contracts without a return contract.
    ContractLoop = "TK-CONTRACT-LOOP",
    /// A new version breaks an older one.
    ContractBreaking = "TK-CONTRACT-BREAKING",
    /// Two documents with the same name and version.
    ContractDuplicate = "TK-CONTRACT-DUPLICATE",
    /// A schema that cannot be compiled.
    SchemaInvalid = "TK-SCHEMA-INVALID",
    /// A schema and a value that take too long to judge together.
    SchemaEffort = "TK-SCHEMA-EFFORT",
    /// A schema file that was not found.
    SchemaMissing = "TK-SCHEMA-MISSING",
    /// A payload does not satisfy the contract's schema.
    PayloadInvalid = "TK-PAYLOAD-INVALID",
    /// A payload has a field that the contract's scope forbids.
    ScopeForbidden = "TK-SCOPE-FORBIDDEN",
    /// The contract asks for a confidence, and the packet has none.
    ConfidenceMissing = "TK-CONFIDENCE-MISSING",
    /// The contract asks for provenance that the packet does not show.
    ProvenanceMissing = "TK-PROVENANCE-MISSING",
    /// The packet is not on the contract's edge.
    EdgeRefused = "TK-EDGE-REFUSED",
    /// The packet names another contract, or a version that is not read.
    ContractMismatch = "TK-CONTRACT-MISMATCH",
    /// A contract names a version of itself that does not exist or is not older.
    ContractVersion = "TK-CONTRACT-VERSION",
    /// A contract sends parked work to another party, and its ladder has none.
    ContractPark = "TK-CONTRACT-PARK",
    /// A contract makes returns done by its own check, and has nothing to check them by.
    ContractUnchecked = "TK-CONTRACT-UNCHECKED",
    /// A schema takes members that it does not describe.
    SchemaOpen = "TK-SCHEMA-OPEN",
    /// A schema describes more members than a receiver can keep apart.
    SchemaOverpacked = "TK-SCHEMA-OVERPACKED",

    // Gates and rules.
    /// A gate that lets people sign off their own work.
    GateSeparation = "TK-GATE-SEPARATION",
    /// Two entries of one document have the same name.
    NameDuplicate = "TK-NAME-DUPLICATE",
    /// A pattern that cannot be used.
    PatternInvalid = "TK-PATTERN-INVALID",

    // Secrets.
    /// A secret stands in the packet.
    SecretFound = "TK-SECRET-FOUND",

    // Rendering.
    /// A token budget does not hold the parts of a brief that are never left out.
    BudgetTooSmall = "TK-BUDGET-TOO-SMALL",

    // Lint: quality. None of these makes a packet invalid.
    /// The packet does not say what it is for.
    LintGoal = "TK-LINT-GOAL",
    /// The packet or an item of it is too long for a brief.
    LintLong = "TK-LINT-LONG",
    /// The packet has more members or items than anybody reads.
    LintPacked = "TK-LINT-PACKED",
    /// The packet repeats itself or a conversation.
    LintHistory = "TK-LINT-HISTORY",
    /// Work is called done, and nothing shows it.
    LintEvidence = "TK-LINT-EVIDENCE",
    /// An acceptance criterion that nobody can check.
    LintVague = "TK-LINT-VAGUE",
    /// The packet does not ask for anything.
    LintRequest = "TK-LINT-REQUEST",
    /// Evidence of a kind that is not known.
    LintKind = "TK-LINT-KIND",
    /// An artifact that cannot be checked, or that stands in the packet itself.
    LintArtifact = "TK-LINT-ARTIFACT",
    /// A fallback ladder that does not end in the dead letter.
    LintLadder = "TK-LINT-LADDER",
    /// Text contains characters that cannot be seen.
    LintHidden = "TK-LINT-HIDDEN",
    /// Text that reads like an instruction to a model.
    LintInjection = "TK-LINT-INJECTION",
    /// Work is called done without a confidence.
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

/// A stretch of bytes in a source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Span {
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

/// A place in a source as people name it. Lines and columns count from 1, columns in characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Position {
    /// The line.
    pub line: u32,
    /// The column of the first character.
    pub column: u32,
    /// The bytes in the whole source, for a caret below the line.
    #[serde(skip)]
    pub span: Span,
}

/// One thing that is wrong with a document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Violation {
    /// The stable code.
    pub code: Code,
    /// RFC 6901 pointer to the value, or to where it should be. The whole document is `""`.
    pub pointer: String,
    /// Where in the source, if there is a source.
    #[serde(flatten)]
    pub position: Option<Position>,
    /// What is wrong, as one sentence without a full stop.
    pub message: String,
    /// What stands there, shortened.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub found: Option<String>,
    /// What may stand there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allowed: Option<String>,
    /// What to do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

impl Violation {
    /// A violation at `pointer`, with nothing but its message.
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

    /// Adds the place in the source.
    #[must_use]
    pub fn at(mut self, position: impl Into<Option<Position>>) -> Self {
        self.position = position.into();
        self
    }

    /// Adds what was found.
    #[must_use]
    pub fn found(mut self, found: impl Into<String>) -> Self {
        self.found = Some(found.into());
        self
    }

    /// Adds what is allowed.
    #[must_use]
    pub fn allowed(mut self, allowed: impl Into<String>) -> Self {
        self.allowed = Some(allowed.into());
        self
    }

    /// Adds what to do about it.
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
