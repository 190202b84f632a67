/** A result as the input of the next request: the fields that take it. */
import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { toShownError } from "../parts/Failure";
import { label } from "../words";
import { unreadable } from "./output";
import type { Target } from "./targets";

interface UseInProps {
  /** What is used, for screen readers. */
  name: string;
  targets: readonly Target[];
  /** What a person may not expect of it. */
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
      failure.value =
        error instanceof TypeError ? unreadable() : toShownError(error).message;
    }
  };
  const isOnlyField = ({ capability }: Target) =>
    targets.filter((it) => it.capability === capability).length === 1;
  return (
    <details ref={details} class="use">
      <summary>
        Use in… <span class="unseen">{name}</span>
      </summary>
      {note && <p class="facts">{note}</p>}
      <ul class="chips">
        {targets.map((it) => (
          <li key={it.capability.name + it.field.name}>
            <button type="button" class="chip" onClick={() => void choose(it)}>
              {it.capability.title}
              {!isOnlyField(it) && ` · ${label(it.field)}`}
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
