/** A step of the pipeline that is being built. */
import { Pencil, X } from "lucide";
import { useRef } from "preact/hooks";
import { findCapability } from "../catalogue";
import { addFile } from "../form/fill";
import { Icon } from "../parts/Icon";
import { iconOf } from "../parts/media";
import { useFocusAfter } from "../parts/useFocusAfter";
import { isStep, mediumOfCapability, referencesOf } from "../results/reference";
import { fileTargets, type Target } from "../results/targets";
import { UseIn } from "../results/UseIn";
import type { DraftStep } from "../storage";
import {
  DRAFT_HEADING,
  dependsOn,
  draft,
  editing,
  removeStep,
  usersOf,
} from "./draft";
import { editStep } from "./edit";
import { stepTitle } from "./names";

export function DraftStepItem({
  step,
  isFixed,
}: {
  step: DraftStep;
  isFixed: boolean;
}) {
  const { name } = step;
  const item = useRef<HTMLLIElement>(null);
  useFocusAfter(item, () => [document.getElementById(DRAFT_HEADING)]);
  const heading = stepTitle(step);
  const isEdited = editing.value === name;
  const kind = mediumOfCapability(findCapability(step.capability));
  return (
    <li ref={item} class="step" data-step={name}>
      <Icon of={iconOf(kind)} />
      <div class="what">
        <b>{heading}</b>
        <span class="facts">{factsOf(step)}</span>
      </div>
      {!isFixed && (
        <div class="buttons">
          <button
            type="button"
            class="quiet square"
            title="Edit"
            aria-label={`Edit ${heading}`}
            aria-pressed={isEdited}
            onClick={() => editStep(step)}
          >
            <Icon of={Pencil} size={14} />
          </button>
          {usersOf(name).length === 0 && (
            <button
              type="button"
              class="quiet square"
              title="Remove"
              aria-label={`Remove ${heading}`}
              onClick={() => removeStep(step)}
            >
              <Icon of={X} size={14} />
            </button>
          )}
        </div>
      )}
      {!isFixed && (
        <UseIn
          name={heading}
          targets={targetsOf(step, kind)}
          use={(it) =>
            addFile(it.capability, it.field, {
              step: name,
              name: heading,
              kind,
            })
          }
        />
      )}
    </li>
  );
}

/** Not the form in which a step is changed that this one uses, or that is this one. */
function targetsOf({ name }: DraftStep, kind: string | undefined): Target[] {
  const all = fileTargets(kind);
  const edited = draft.value.steps.find((it) => it.name === editing.value);
  if (!edited || !dependsOn(name, edited.name)) return all;
  return all.filter((it) => it.capability.name !== edited.capability);
}

function factsOf({ name, values }: DraftStep): string {
  const { prompt, title, text } = values;
  const words = [title, prompt, text].find(
    (it) => typeof it === "string" && it !== "",
  );
  const used = referencesOf(values).flatMap((it) =>
    isStep(it) ? titleOf(it.step) : [],
  );
  const users = usersOf(name).map(stepTitle);
  return [
    typeof words === "string" ? `“${words}”` : "",
    used.length > 0 ? `uses ${[...new Set(used)].join(", ")}` : "",
    users.length > 0 ? `used by ${users.join(", ")}` : "",
    editing.value === name ? "being edited in its form" : "",
  ]
    .filter(Boolean)
    .join(" · ");
}

function titleOf(name: string): string[] {
  return draft.value.steps.filter((it) => it.name === name).map(stepTitle);
}
