/** A step of the pipeline that is being built. */
import { Pencil, X } from "lucide";
import { useRef } from "preact/hooks";
import { findCapability } from "../catalogue";
import { addFile } from "../form/fill";
import { Icon } from "../parts/Icon";
import { useFocusAfter } from "../parts/useFocusAfter";
import { mediumOf, mediumOfCapability, stepsIn } from "../results/reference";
import { Thumbnail } from "../results/Thumbnail";
import { fileTargets, type Target } from "../results/targets";
import { UseIn } from "../results/UseIn";
import { useChosenUrl } from "../results/useChosenUrl";
import type { DraftStep } from "../storage";
import { isVisual } from "../tasks/TaskThumbnail";
import { describe } from "./describe";
import {
  DRAFT_HEADING,
  dependsOn,
  draft,
  editing,
  removeStep,
  usersOf,
} from "./draft";
import { editStep } from "./edit";
import { creditsOfStep } from "./estimate";
import { fromWords } from "./from";
import { stepTitle } from "./names";

interface DraftStepItemProps {
  step: DraftStep;
  /** The one above. */
  before: DraftStep | undefined;
  isFixed: boolean;
}

export function DraftStepItem({ step, before, isFixed }: DraftStepItemProps) {
  const { name } = step;
  const item = useRef<HTMLLIElement>(null);
  useFocusAfter(item, () => [document.getElementById(DRAFT_HEADING)]);
  const heading = stepTitle(step);
  const isEdited = editing.value === name;
  const kind = mediumOfCapability(findCapability(step.capability));
  return (
    <li
      ref={item}
      class="step"
      data-step={name}
      data-from={fromWords(stepsIn(step.values), before, titleOf)}
    >
      <Picture step={step} kind={kind} />
      <What step={step} />
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

/** A picture or a video of its input, or the icon of what it makes. */
function Picture({
  step,
  kind,
}: {
  step: DraftStep;
  kind: string | undefined;
}) {
  const input = Object.values(step.values).flat().find(isVisual);
  const url = useChosenUrl(input);
  const of = url && input ? { url, kind: mediumOf(input) } : { url: "", kind };
  return <Thumbnail key={url} of={of} />;
}

function What({ step }: { step: DraftStep }) {
  const { prompt, inputs, settings } = describe(step, titleOf);
  const isEdited = editing.value === step.name;
  return (
    <div class="what">
      <b>{stepTitle(step)}</b>
      {prompt && <span class="prompt">“{prompt}”</span>}
      {inputs.map((it) => (
        <span key={it}>{it}</span>
      ))}
      <span class="facts">
        {[
          ...settings,
          creditsOfStep(step.name),
          isEdited ? "being edited in its form" : "",
        ]
          .filter(Boolean)
          .join(" · ")}
      </span>
    </div>
  );
}

/** Not the form in which a step is changed that this one uses, or that is this one. */
function targetsOf({ name }: DraftStep, kind: string | undefined): Target[] {
  const all = fileTargets(kind);
  const edited = draft.value.steps.find((it) => it.name === editing.value);
  if (!edited || !dependsOn(name, edited.name)) return all;
  return all.filter((it) => it.capability.name !== edited.capability);
}

function titleOf(name: string): string {
  const step = draft.value.steps.find((it) => it.name === name);
  return step ? stepTitle(step) : name;
}
