import { Pencil, X } from "lucide";
import type { OutputKind } from "mediagate";
import { fieldsFor } from "mediagate/forms";
import { useRef } from "preact/hooks";
import { findCapability } from "../catalogue";
import { addFile } from "../form/fill";
import { findOffered, offered } from "../offers";
import { IconButton } from "../parts/IconButton";
import { useFocusAfter } from "../parts/useFocusAfter";
import { mediumOf, mediumOfCapability, stepsIn } from "../results/reference";
import { Thumbnail } from "../results/Thumbnail";
import { type Target, UseIn } from "../results/UseIn";
import { useChosenUrl } from "../results/urls";
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
import { fromWords, stepTitle } from "./names";

interface DraftStepItemProps {
  step: DraftStep;
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
      data-from={fromWords(stepsIn(step.values), before, draft.value.steps)}
    >
      <Picture step={step} kind={kind} />
      <StepDescription step={step} />
      {!isFixed && (
        <div class="buttons">
          <IconButton
            icon={Pencil}
            size={14}
            title="Edit"
            label={`Edit ${heading}`}
            aria-pressed={isEdited}
            onClick={() => editStep(step)}
          />
          {usersOf(name).length === 0 && (
            <IconButton
              icon={X}
              size={14}
              title="Remove"
              label={`Remove ${heading}`}
              onClick={() => removeStep(step)}
            />
          )}
        </div>
      )}
      {!isFixed && (
        <UseIn
          name={heading}
          targets={targetsOf(step, kind)}
          use={({ capability, field }) =>
            addFile(capability, field, {
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

function Picture({
  step,
  kind,
}: {
  step: DraftStep;
  kind: string | undefined;
}) {
  const input = Object.values(step.values).flat().find(isVisual);
  const url = useChosenUrl(input);
  const source = url && input ? { url, kind: mediumOf(input) } : { kind };
  return <Thumbnail key={url} source={source} />;
}

function StepDescription({ step }: { step: DraftStep }) {
  const { prompt, inputs, settings } = describe(step, draft.value.steps);
  const isEdited = editing.value === step.name;
  return (
    <div class="what">
      <b>{stepTitle(step)}</b>
      {prompt && <span class="prompt">“{prompt}”</span>}
      {inputs.map((input) => (
        <span key={input}>{input}</span>
      ))}
      <span class="facts">
        {[
          ...settings,
          creditsOfStep(step.name),
          findOffered(step.capability) ? "" : "not offered by this gateway",
          isEdited ? "being edited in its form" : "",
        ]
          .filter(Boolean)
          .join(" · ")}
      </span>
    </div>
  );
}

function targetsOf(
  { name }: DraftStep,
  kind: OutputKind | undefined,
): Target[] {
  const all = fieldsFor(offered.value, kind);
  const edited = draft.value.steps.find((step) => step.name === editing.value);
  if (!edited || !dependsOn(name, edited.name)) return all;
  // A step must not use itself, nor a step that uses it.
  return all.filter(({ capability }) => capability.name !== edited.capability);
}
