import type { ReactNode } from "react";
import { Icon } from "./Icon";

interface ChipProps {
  label: string;
  value: string;
  onChange: (value: string) => void;
  children: ReactNode;
}

/** A filter with a choice of values. */
export function Chip({ label, value, onChange, children }: ChipProps) {
  return (
    <label className="fchip">
      {label}
      <select value={value} onChange={(event) => onChange(event.target.value)}>
        {children}
      </select>
      <Icon name="down" />
    </label>
  );
}
