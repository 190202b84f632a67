/** The remaining part of a pipeline that has failed. */
import type { StepSnapshot } from "mediagate";
import {
  isStep,
  mapChosen,
  type ResultReference,
  type StepReference,
} from "../results/reference";
import type { DraftStep, Values } from "../storage";

/** The states of steps that run again. An unknown outcome may have made a task, with its cost. */
const REPEATABLE = new Set(["FAILED", "SKIPPED", "CANCELLED"]);

/** Returns the steps that run again, with results instead of the steps that succeeded. */
export function remaining(
  built: readonly DraftStep[],
  snapshots: readonly StepSnapshot[],
): DraftStep[] {
  const byName = new Map(snapshots.map((step) => [step.name, step]));
  const left = new Set<string>();
  const isReady = (name: string) =>
    left.has(name) || byName.get(name)?.state === "SUCCEEDED";
  // The snapshots list each step after the steps that it uses.
  for (const { name, state, uses } of snapshots)
    if (REPEATABLE.has(state) && uses.every(isReady)) left.add(name);
  const withResults = (values: Values) =>
    mapChosen(values, (chosen) =>
      isStep(chosen) && !left.has(chosen.step)
        ? resultOf(chosen, byName.get(chosen.step))
        : chosen,
    ) as Values;
  return built
    .filter(({ name }) => left.has(name))
    .map((step) => ({ ...step, values: withResults(step.values) }));
}

/** Returns the first output that fits, as the gateway does; `undefined` if there is none. */
function resultOf(
  { name, kind }: StepReference,
  step: StepSnapshot | undefined,
): ResultReference | undefined {
  const found = step?.outputs.find(
    (output) => !output.kind || output.kind === kind,
  );
  return found && { ...found, kind, name };
}
