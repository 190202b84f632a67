/** Pipelines that are ready to run. A press loads the steps and files of one. */
import { computed } from "@preact/signals";
import type { CapabilityName } from "mediagate";
import { notify } from "../notices/store";
import { findOffered, missingFor } from "../offers";
import { chunk } from "../parts/chunk";
import { replaceDraft, revealing } from "./draft";
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
    if (replaceDraft({ title, steps }, `“${title}” is ready to run`))
      revealing.value = { focus: true };
  } catch {
    notify({
      text: "The pipeline could not be loaded. Check your connection, then try again.",
    });
  }
}
