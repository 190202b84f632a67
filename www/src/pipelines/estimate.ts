/** The cost of the new pipeline: the sum of its steps, each estimated as in its form. */

import { signal } from "@preact/signals";
import { formatCredits } from "mediagate/words";
import { findCapability } from "../catalogue";
import { creditsOf, waitingFor } from "../form/Estimate";
import { worker } from "../offers";
import { chunk } from "../parts/chunk";
import { isStep, stepsIn } from "../results/reference";
import type { DraftStep, Values } from "../storage";
import { cost } from "../words";
import { draft } from "./draft";

/** The credits of each step, by its name, for the pipeline with this key. */
const credits = signal<{ key: string; byStep: ReadonlyMap<string, unknown> }>({
  key: "",
  byStep: new Map(),
});

/** Returns the cost of a step in words; empty if it is unknown. */
export function creditsOfStep(name: string): string {
  const { key, byStep } = credits.value;
  const found = key === draft.value.key ? byStep.get(name) : undefined;
  return typeof found === "number" ? formatCredits(found, false) : "";
}

/** Returns the cost of all steps in words. Examples stand in for results that do not exist yet. */
export async function estimateDraft(abort: AbortSignal): Promise<string> {
  const { key, steps } = draft.value;
  const waiting = steps.map(({ values }) => waitingFor(values)).find(Boolean);
  if (waiting) return waiting;
  const byStep = new Map<string, unknown>();
  // One by one, since the gateway limits the number of estimates.
  for (const step of steps) {
    const values = await withExamples(step);
    byStep.set(step.name, await creditsOf(step.capability, values, abort));
  }
  credits.value = { key, byStep };
  const amounts = [...byStep.values()].filter(
    (amount) => typeof amount === "number",
  );
  // The sum is only known if the media service gave a number for each step.
  const total =
    amounts.length === byStep.size
      ? amounts.reduce((sum, amount) => sum + amount, 0)
      : undefined;
  const text = cost(total, worker.value === "emulator");
  const usesSteps = steps.some(({ values }) => stepsIn(values).length > 0);
  return usesSteps
    ? `${text} Examples stand in for the results of steps.`
    : text;
}

const examples = new Map<string, Promise<Values>>();

/** Returns the example of a capability. It is kept, so that its files are uploaded only once. */
function exampleOf(name: string): Promise<Values> {
  const load = async () => {
    const capability = findCapability(name);
    const module = await chunk(() => import("../examples"));
    return capability ? module.exampleOf(capability) : {};
  };
  const found = examples.get(name) ?? load();
  found.catch(() => examples.delete(name));
  examples.set(name, found);
  return found;
}

async function withExamples(step: DraftStep): Promise<Values> {
  if (stepsIn(step.values).length === 0) return step.values;
  const example = await exampleOf(step.capability);
  return Object.fromEntries(
    Object.entries(step.values).map(([name, value]) => {
      const [file] = [example[name]].flat();
      const replace = (chosen: unknown) => (isStep(chosen) ? file : chosen);
      return [name, Array.isArray(value) ? value.map(replace) : replace(value)];
    }),
  );
}
