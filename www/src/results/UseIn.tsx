/** The menu of the fields that take a result. */
import { useSignal } from "@preact/signals";
import type { FieldOf } from "mediagate/forms";
import { fieldLabel } from "mediagate/words";
import type { Capability } from "../catalogue";
import { toShownError } from "../parts/Failure";
import { Menu } from "../parts/Menu";

export type Target = FieldOf<Capability>;

interface UseInProps {
  name: string;
  targets: readonly Target[];
  note?: string;
  use(target: Target): void | Promise<void>;
}

export function UseIn({ name, targets, note, use }: UseInProps) {
  const failure = useSignal("");
  if (targets.length === 0) return null;
  const choose = async (target: Target) => {
    failure.value = "";
    try {
      await use(target);
    } catch (error) {
      const { message, heading } = toShownError(error);
      failure.value = message ?? heading;
    }
  };
  const isOnlyField = ({ capability }: Target) =>
    targets.filter((target) => target.capability === capability).length === 1;
  return (
    <>
      <Menu text="Use in…" label={`Use ${name} in…`} class="use">
        {note && <p class="facts">{note}</p>}
        <ul>
          {targets.map((target) => (
            <li key={target.capability.name + target.field.name}>
              <button type="button" onClick={() => void choose(target)}>
                {target.capability.title}
                {!isOnlyField(target) && ` · ${fieldLabel(target.field)}`}
              </button>
            </li>
          ))}
        </ul>
      </Menu>
      <p class="issues" role="status">
        {failure.value && <span class="unseen">{name}: </span>}
        {failure.value}
      </p>
    </>
  );
}
