/** A switch. */
import { Chip } from "./Chip";
import type { ControlProps } from "./control";

export function Toggle({
  field,
  id,
  value,
  set,
  issues,
  describedBy,
}: ControlProps) {
  return (
    <input
      type="checkbox"
      class="switch"
      // biome-ignore lint/a11y/useAriaPropsForRole: a checkbox has its state from `checked`; HTML forbids aria-checked
      role="switch"
      id={id}
      name={field.name}
      checked={value === true}
      aria-describedby={describedBy}
      aria-invalid={issues.length > 0}
      onChange={(event) => set(event.currentTarget.checked)}
    />
  );
}

const STATES = [
  ["Default", undefined],
  ["On", true],
  ["Off", false],
] as const;

/** The control of a boolean without a default, which must not look off while it is not set. */
export function OnOrOff({ id, value, set }: ControlProps) {
  return (
    <div class="chips">
      {STATES.map(([label, state]) => (
        <Chip
          key={label}
          name={id}
          label={label}
          checked={value === state}
          choose={() => set(state)}
        />
      ))}
    </div>
  );
}
