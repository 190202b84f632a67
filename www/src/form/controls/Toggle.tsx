/** On or off. */
import type { ControlProps } from "./control";

export function Toggle({ field, id, value, set, issues, describedBy }: ControlProps) {
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
