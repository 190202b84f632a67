import { Chip } from "./Chip";
import { type ControlProps, inputAttributes } from "./control";

export function Toggle(props: ControlProps) {
  return (
    <input
      {...inputAttributes(props)}
      type="checkbox"
      class="switch"
      // biome-ignore lint/a11y/useAriaPropsForRole: a checkbox has its state from `checked`; HTML forbids aria-checked
      role="switch"
      checked={props.value === true}
      onChange={(event) => props.set(event.currentTarget.checked)}
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
