/** The cost of the pipeline that is being built: the sum of its steps', each estimated as its form does. */
import { signal } from "@preact/signals";
import { findCapability } from "../catalogue";
import { creditsOf, waitingFor } from "../form/Estimate";
import { worker } from "../form/models";
import { chunk } from "../parts/chunk";
import { isStep, stepsIn } from "../results/reference";
import type { DraftStep, Values } from "../storage";
import { cost } from "../words";
import { draft } from "./draft";

/** The credits of steps by their names, of the pipeline with this key. */
const credits = signal<{ key: string; byStep: ReadonlyMap<string, unknown> }>({
  key: "",
  byStep: new Map(),
});

/** Returns what a step costs, in words; empty where that is not known. */
export function creditsOfStep(name: string): string {
  const { key, byStep } = credits.value;
  const found = key === draft.value.key ? byStep.get(name) : undefined;
  if (typeof found !== "number") return "";
  return `${found.toLocaleString("en")} ${found === 1 ? "credit" : "credits"}`;
}

/** Returns the cost of all steps, in words. An example stands in for the result of a step, which does not exist yet. */
export async function estimateDraft(abort: AbortSignal): Promise<string> {
  const { key, steps } = draft.value;
  const waiting = steps.map((it) => waitingFor(it.values)).find(Boolean);
  if (waiting) return waiting;
  const byStep = new Map<string, unknown>();
  for (const step of steps) {
    const values = await withExamples(step);
    byStep.set(step.name, await creditsOf(step.capability, values, abort));
  }
  credits.value = { key, byStep };
  const all = [...byStep.values()].map((it) =>
    typeof it === "number" ? it : Number.NaN,
  );
  const total = all.reduce((sum, it) => sum + it, 0);
  const isEstimated = steps.some((it) => stepsIn(it.values).length > 0);
  return `${cost(total, worker.value === "emulator")}${isEstimated ? " Examples stand in for the results of steps." : ""}`;
}

const examples = new Map<string, Promise<Values>>();

/** The example of a capability, whose files are then uploaded once. */
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
      const replace = (it: unknown) => (isStep(it) ? file : it);
      return [name, Array.isArray(value) ? value.map(replace) : replace(value)];
    }),
  );
}
