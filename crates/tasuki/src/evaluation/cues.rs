//! The cue words by which the recognizer takes a sentence for a field of a packet.
//!
//! The authors of the cases wrote the list and knew the cases, which is kind to prose: a list for
//! unknown notes would find less. Its breadth is a choice: more words find more fields and are wrong
//! more often.

/// The fields with their cues, as regular expressions that ignore case.
pub(super) const CUES: &[(&str, &str)] = &[
    (
        "task_id",
        r"\b[A-Z]{2,}\d*-\d+|#\d+|\b(ticket|case|issue|chat|incident|order|record|job|file|reference|merge request)s? (number )?#?[A-Z]*-?\d+",
    ),
    (
        "from_agent",
        r"\b(I'm|I am|this is|from) (the |me,? )?\w+|\b(regards|thanks|cheers|best),? \w+|^\w+\.?$",
    ),
    (
        "to_agent",
        r"^(hi|hello|hey|dear|good (morning|afternoon|evening)),? \w+|^@\w+|\b(over|pass\w*|hand\w*|mov\w*|leav\w*|goes|assign\w*)\b.{0,40}\bto (the |you\b|\w+)|^(comment|note|quick one) for\b",
    ),
    (
        "status",
        r"\b(in progress|blocked|on hold|half[- ]done|not (finished|done|started|begun)|haven't been|unfinished|finished|stuck|waiting (for|on)|have to (stop|drop|leave)|still (open|missing|running|to be done|disputed)|is open|are open)\b",
    ),
    (
        "goal",
        r"\b(goal|aim(ing|s)?|objective|purpose|we('d like| want| need| plan)|what we want|so that|in the end|end state|has to be|wants|needs)\b",
    ),
    (
        "summary",
        r"\b(so far|in short|in brief|summary|the situation|stands?|background|currently|at the moment|it looks like)\b",
    ),
    (
        "next_request",
        r"\b(please|can you|could you|would you|I need you to|your job|take it from here|next step|you should)\b",
    ),
    (
        "completed",
        r"\b(I|we)('ve| have)? (\w+ )?(wrote|written|added|fixed|finished|checked|confirmed|ran|run|sent|found|built|moved|read|did|done|set|made|called)\b|\b(is|are) (done|finished|in place|ready)\b|\balready\b",
    ),
    (
        "remaining",
        r"\b(what's left|what is left|left to do|remaining|remains|still (to|needs?|has to|have to|missing|open)|not yet|to do|are missing|next)\b",
    ),
    (
        "decisions",
        r"\b(decided|agreed|chose|settled on|went with|decision|opted|we keep|instead of)\b",
    ),
    (
        "pitfalls_hit",
        r"\b(careful|watch out|beware|trap|pitfall|gotcha|note that|caught (me|us)|bit (me|us)|easy to miss|misleading|surprised?|it turned out|by the way)\b",
    ),
    (
        "failed_approaches",
        r"\b(tried|did nothing|didn't (work|help)|did not (work|help)|failed|no luck|without success|in vain|dead end|made it worse|no difference)\b",
    ),
    (
        "assumptions",
        r"\b(assum\w+|I think|probably|I guess|presumably|I believe|I suppose|not (checked|verified|confirmed)|haven't (checked|verified|confirmed))\b",
    ),
    (
        "constraints",
        r"\b(don't|do not|must not|mustn't|may not|never|no more than|at most|only|without|not allowed|has to stay|must stay|keep)\b",
    ),
    (
        "acceptance",
        r"\b(done when|call it done|finished when|it counts|accept\w*|ready when|good enough|criteri\w+|must pass|passes|is fine (if|when)|satisfied)\b",
    ),
    (
        "failure_boundary",
        r"\b(stop|abort|leave it|bring it back|hands? it back|call (me|the)|page the|escalate)\b.*\b(if|when|before|once|as soon as)\b|\b(if|when|once|as soon as|should)\b.*\b(stop|abort|leave it|bring it back|hand|call|page|escalate|ring)\b",
    ),
    (
        "return_required",
        r"\b(let me (know|have)|send me|tell me|report|write back|I('d| would) like (to see|back|your)|come back with|reply with|hand back|I need (the|your)|in your (reply|answer))\b",
    ),
    (
        "confidence",
        r"\b\d{1,3} ?(%|per ?cent)|\b(fairly|pretty|quite|not|\d+ % )? ?(sure|certain|confident)\b",
    ),
    (
        "inputs",
        r"\b(see|attached|in the (folder|file|repository|document|shared drive)|have a look at|you'll find|read the)\b|[\w/.-]+\.(md|rs|py|csv|pdf|xlsx?|json|ya?ml|sql|log|txt)\b",
    ),
    (
        "expires_at",
        r"\b(until|by|before|deadline|no later than|due|expires?)\b.{0,30}(\d{1,2}[:.]\d{2}|\b(mon|tues|wednes|thurs|fri|satur|sun)day|\d{1,2} (january|february|march|april|may|june|july|august|september|october|november|december))",
    ),
    (
        "authority",
        r"\byou (may|can|are allowed)\b|\b(permission|allowed to|cleared to|free to|go ahead)\b",
    ),
    ("budget", r"\b(budget|up to|spend)\b.*\d|[€$£] ?\d|\d[\d.,]* ?(EUR|USD|GBP)\b"),
    ("cost", r"\b(spent|cost|used up|so far).*\b\d"),
    (
        "trigger",
        r"\b(because|since|as) (I|my|we|the)\b|\b(my shift|my contract|leave|holiday|out of (time|context|quota)|context is nearly full|asked for a (human|person)|not allowed)\b",
    ),
    (
        "fallback",
        r"\b(otherwise|on[- ]call|escalate to|if (you|he|she|they|no one)\b.*(can't|cannot|not|unable))\b",
    ),
    ("scope", r"\b(this is (only|not)|does not cover|covers|out of scope|in scope)\b"),
    ("question", r"\?"),
    ("source_rules", r"\b(sources?|cite|primary|published|official)\b"),
    ("uncertainty", r"\b(uncertain\w*|plus or minus|margin|within \d+|roughly|range)\b|±"),
    (
        "expected_outputs",
        r"\b(table|report|page|document|memo|overview|spreadsheet|deliver\w*|bundle)\b",
    ),
    ("context", r"\b(version|environment|server|branch|host|region|written at|as of)\b"),
    ("blockers", r"\b(blocked (by|on)|waiting (for|on)|blocker|stands in the way)\b"),
    ("classification", r"\b(classifi\w+|official-sensitive|confidential|restricted)\b"),
    ("regulation_refs", r"\b(regulation|standard|directive|article \d+|act|rules of)\b"),
    ("sign_off_gates", r"\bsign(ed|s)?[- ]?off\b|\bsigns\b"),
    ("retention", r"\b(retain|retention|kept for|keep .* years|\d+ years)\b"),
    ("purpose", r"\b(purpose|used only for|for the sole)\b"),
    ("lawful_basis", r"\b(lawful|legal) basis\b"),
    ("contains", r"\b(patient|personal|health) data\b"),
    ("clinical", r"\b(hazards?|safety case)\b"),
    ("accountable_person", r"\baccountable\b"),
    ("notes", r"\b(by the way|one more thing|also|for your information)\b"),
];
