import { Link } from "@tanstack/react-router";
import type { Finding } from "../../api/operate";
import { Copyable } from "../../components/Command";
import { Icon, type IconName } from "../../components/Icon";
import { useMe } from "../../session/me";
import { commandIn, problems } from "../findings";
import { Panel } from "../Panel";
import { useDoctor } from "../useOperate";

const STATES: Record<Finding["state"], [string, IconName, string]> = {
  ok: ["ok", "check", "ok"],
  warning: ["as", "warn", "warning"],
  error: ["no", "x", "error"],
};

/** What the doctor found, read-only: each remedy is a command to copy. */
export function DoctorSection() {
  const findings = useDoctor(true);
  return (
    <>
      <Panel title="Doctor" query={findings} end="read-only here; the command checks the files and the log too">
        <ul className="findings">
          {findings.data?.map((finding) => (
            <FindingRow key={finding.check} finding={finding} />
          ))}
        </ul>
      </Panel>
      <div className="cmds">
        <Copyable text="tasuki doctor" />
        <Copyable text="tasuki log check" />
      </div>
    </>
  );
}

function FindingRow({ finding }: { finding: Finding }) {
  const [tone, icon, word] = STATES[finding.state];
  const command = finding.remedy && commandIn(finding.remedy);
  return (
    <li>
      <span className={`mark ${tone}`}>
        <Icon name={icon} />
        {word}
      </span>
      <div>
        <b>{finding.check}</b> {finding.message}
        {finding.remedy && !command && <p className="sec">{finding.remedy}</p>}
        {command && <Copyable text={command} />}
      </div>
    </li>
  );
}

/** Says on every page of operators that something needs attention. */
export function DoctorMark() {
  const { project } = useMe();
  const words = problems(useDoctor(true).data ?? []);
  if (!words) return null;
  return (
    <Link to="/p/$project/operate/$section" params={{ project, section: "doctor" }} className="mark as">
      <Icon name="warn" />
      doctor: {words}
    </Link>
  );
}
