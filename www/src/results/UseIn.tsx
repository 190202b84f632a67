import { useSignal } from "@preact/signals";
import type { FieldOf } from "mediagate/forms";
import { fieldLabel } from "mediagate/words";
import { useRef } from "preact/hooks";
import type { Capability } from "../catalogue";
import { toShownError } from "../parts/Failure";

export type Target = FieldOf<Capability>;

interface UseInProps {
  name: string;
  targets: readonly Target[];
  note?: string;
  use(target: Target): void | Promise<void>;
}

export function UseIn({ name, targets, note, use }: UseInProps) {
  const failure = useSignal("");
  const details = useRef<HTMLDetailsElement>(null);
  if (targets.length === 0) return null;
  const choose = async (target: Target) => {
    failure.value = "";
    try {
      await use(target);
      details.current?.removeAttribute("open");
    } catch (error) {
      const { message, heading } = toShownError(error);
      failure.value = message ?? heading;
    }
  };
  const isOnlyField = ({ capability }: Target) =>
    targets.filter((target) => target.capability === capability).length === 1;
  return (
    <details ref={details} class="use">
      <summary>
        Use in… <span class="unseen">{name}</span>
      </summary>
      {note && <p class="facts">{note}</p>}
      <ul class="chips">
        {targets.map((target) => (
          <li key={target.capability.name + target.field.name}>
            <button
              type="button"
              class="chip"
              onClick={() => void choose(target)}
            >
              {target.capability.title}
              {!isOnlyField(target) && ` · ${fieldLabel(target.field)}`}
            </button>
          </li>
        ))}
      </ul>
      <p class="issues" role="status">
        {failure.value && <span class="unseen">{name}: </span>}
        {failure.value}
      </p>
    </details>
  );
}
