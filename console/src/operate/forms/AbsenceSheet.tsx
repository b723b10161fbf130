import { useState } from "react";
import * as api from "../../api/operate";
import { useNow } from "../../browser/now";
import { useMe } from "../../session/me";
import { dayOf, deputiesFor, endOf, latestDay } from "../absence";
import { useAction } from "../useOperate";
import { ActionSheet } from "./ActionSheet";
import { DayRow, SelectRow } from "./rows";

/** Names a deputy for a person who is away, until the end of a day. */
export function AbsenceSheet({ person, onClose }: { person: string; onClose: () => void }) {
  const { parties, viewer } = useMe();
  const now = useNow();
  const deputies = deputiesFor(person, parties, now);
  const [form, setForm] = useState({ deputy: deputies[0] ?? "", day: dayOf(now) });
  const isOwn = person === viewer.name;
  const action = useAction({
    run: (project: string, { deputy, day }: typeof form) => api.beginAbsence(project, person, { deputy, until: endOf(day) }),
    done: (_, { deputy, day }) => `${isOwn ? "You are" : `${person} is`} away until the end of ${day}; ${deputy} stands in.`,
    onDone: onClose,
  });
  return (
    <ActionSheet
      title={isOwn ? "I am away" : `${person} is away`}
      verb={form.deputy ? `Let ${form.deputy} stand in` : "Name a deputy"}
      action={action}
      input={form}
      consequence="The deputy sees what waits for the person, is told of it, and decides in their place; the log says for whom. Never at a gate, and never about their own work. It ends by itself."
      onClose={onClose}
    >
      <SelectRow label="Deputy" value={form.deputy} options={deputies.map((name) => [name, name])} onChange={(deputy) => setForm({ ...form, deputy })} />
      <DayRow label="Until the end of" value={form.day} min={dayOf(now)} max={latestDay(now)} onChange={(day) => setForm({ ...form, day })} />
    </ActionSheet>
  );
}
