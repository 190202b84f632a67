/** The part of a pipeline that is left to do. */
import type { StepSnapshot } from "mediagate";
import {
  isStep,
  mapChosen,
  type ResultReference,
  type StepReference,
} from "../results/reference";
import type { DraftStep, Values } from "../storage";

/** The states of steps that a resume begins again. An unknown outcome may have made a task, and cost credits. */
const REPEATABLE = new Set(["FAILED", "SKIPPED", "CANCELLED"]);

/** Returns the steps that a resume begins again, with results in the place of the steps that succeeded. */
export function remaining(
  built: readonly DraftStep[],
  snapshots: readonly StepSnapshot[],
): DraftStep[] {
  const byName = new Map(snapshots.map((it) => [it.name, it]));
  const left = new Set<string>();
  const isReady = (name: string) =>
    left.has(name) || byName.get(name)?.state === "SUCCEEDED";
  // Each step is after those that it uses.
  for (const { name, state, uses } of snapshots)
    if (REPEATABLE.has(state) && uses.every(isReady)) left.add(name);
  const withResults = (values: Values) =>
    mapChosen(values, (it) =>
      isStep(it) && !left.has(it.step) ? resultOf(it, byName.get(it.step)) : it,
    ) as Values;
  return built
    .filter((it) => left.has(it.name))
    .map((it) => ({ ...it, values: withResults(it.values) }));
}

/** The first output that fits, as in the pipeline; `undefined` if there is none. */
function resultOf(
  { name, kind }: StepReference,
  step: StepSnapshot | undefined,
): ResultReference | undefined {
  const found = step?.outputs.find((it) => !it.kind || it.kind === kind);
  return found && { ...found, kind, name };
}
