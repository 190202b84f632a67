/** Pipelines that are ready to run. A press loads the steps and files of one. */
import { computed } from "@preact/signals";
import type { CapabilityName } from "mediagate";
import { defaultValues, filledValues } from "mediagate/forms";
import { modelOf } from "../form/model";
import { notify } from "../notices/store";
import { findOffered, missingFor } from "../offers";
import { afterRender } from "../parts/afterRender";
import { chunk } from "../parts/chunk";
import { wide } from "../parts/wide";
import { go } from "../route";
import type { DraftStep } from "../storage";
import { isSame } from "../tasks/unsettled";
import { editing, replaceDraft, revealing } from "./draft";
import { PLANS, type ReadyMadeName } from "./readyMadePlans";

const NAMES = Object.keys(PLANS) as ReadyMadeName[];

/** The names of the pipelines of which the gateway can run each step. */
export const readyMade = computed(() =>
  NAMES.filter((name) =>
    PLANS[name].every(({ capability }) => canRun(capability)),
  ),
);

/** Returns true if the gateway offers a capability, and no program for it is missing. */
function canRun(name: CapabilityName): boolean {
  const capability = findOffered(name);
  return capability !== undefined && !missingFor(capability);
}

/** Puts a pipeline with its files on the stage as the new pipeline. */
export async function beginReadyMade(title: ReadyMadeName): Promise<void> {
  try {
    const { readyMadeSteps } = await chunk(() => import("./plans"));
    const steps = await readyMadeSteps(title);
    if (!replaceDraft({ title, steps }, `“${title}” is ready to run`)) return;
    const [first] = steps;
    // Beside the stage, the form shows what to change. A narrow page has it out of view.
    if (first && wide.peek()) editUnlessFilled(first);
    afterRender(() => {
      revealing.value = { focus: true };
    });
  } catch {
    notify({
      text: "The pipeline could not be loaded. Check your connection, then try again.",
    });
  }
}

/** Opens a step in the form of its capability, unless a person has filled in that form. */
function editUnlessFilled({ name, capability: id, values }: DraftStep): void {
  const capability = findOffered(id);
  if (!capability) return;
  const model = modelOf(capability);
  const initial = filledValues(defaultValues(capability.fields));
  if (!isSame(filledValues(model.values.peek()), initial)) return;
  model.restore(values);
  editing.value = name;
  go(capability);
}
