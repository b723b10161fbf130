// What came back, and what was asked.

import { Section } from "tasuki-handoff-protocol/parts";
import type { Shown } from "../../api/queries";
import { Icon, type IconName } from "../../components/Icon";
import { Time } from "../../components/parts";
import { LongText, Text } from "../../components/Text";
import { items, text, verification } from "../../handoff/packet";

export function QuestionSection({ shown }: { shown: Shown }) {
  const questions = shown.questions ?? [];
  if (questions.length === 0) return null;
  return (
    <Section isAsked title={questions.length === 1 ? "Question" : "Questions"}>
      {questions.map((question) => (
        <div key={question.id}>
          <LongText>{question.question}</LongText>
          <p className="sec">
            asked by {question.by}
            {question.field && (
              <>
                {" about "}
                <code>
                  <Text>{question.field}</Text>
                </code>
              </>
            )}
            {question.blocking && ", blocks the claim"}
          </p>
        </div>
      ))}
    </Section>
  );
}

const RESULTS: Record<string, { icon: IconName; tone: string }> = {
  pass: { icon: "check", tone: "ok" },
  fail: { icon: "rejected", tone: "no" },
};

/** The newest return against the acceptance criteria. */
export function ReturnSection({ shown: { return: back, packet } }: { shown: Shown }) {
  if (!back) return null;
  const summary = text(back.packet, "handoff_summary") ?? text(back.packet, "summary");
  const results = verification(back.packet);
  const wanted = items(packet, "acceptance");
  const words = (id: string) => wanted.find((item) => item.id === id)?.text ?? id;
  const missing = wanted.filter((item) => item.id && !results.some((result) => result.criterion === item.id));
  return (
    <Section
      title="What came back"
      note={
        <>
          by {back.by}, <Time at={back.at} />, {text(back.packet, "status")?.replaceAll("_", " ")}
        </>
      }
    >
      {summary && <LongText>{summary}</LongText>}
      {(results.length > 0 || missing.length > 0) && (
        <ul className="facts">
          {results.map((result, index) => {
            const mark = RESULTS[result.result] ?? { icon: "q" as const, tone: "as" };
            return (
              <li key={index}>
                <span className={`mark ${mark.tone}`}>
                  <Icon name={mark.icon} />
                  <Text>{result.result.replaceAll("_", " ")}</Text>
                </span>
                <span>
                  <Text>{words(result.criterion)}</Text>
                </span>
                <span className={result.evidence.length > 0 ? "ref" : "ref mut"}>
                  <Text>{result.evidence.join(", ") || "no evidence"}</Text>
                </span>
              </li>
            );
          })}
          {missing.map((item) => (
            <li key={item.id}>
              <span className="mark as">
                <Icon name="q" />
                not named
              </span>
              <span>
                <Text>{item.text}</Text>
              </span>
              <span className="ref mut">no evidence</span>
            </li>
          ))}
        </ul>
      )}
      {back.verdict && (
        <p className="sec mt-2">
          Verdict: {back.verdict.result} by {back.verdict.by}
          {back.verdict.reason && (
            <>
              , “<Text>{back.verdict.reason}</Text>”
            </>
          )}
        </p>
      )}
    </Section>
  );
}
