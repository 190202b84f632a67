/** The one thing on the stage: what a person has chosen, or else what fits the form. */
import { computed, effect, signal, untracked } from "@preact/signals";
import type { Capability } from "../catalogue";
import { afterRender } from "../parts/afterRender";
import { wide } from "../parts/wide";
import { draft, revealing } from "../pipelines/draft";
import { isInside } from "../pipelines/steps";
import { type Pipeline, pipelines } from "../pipelines/store";
import { type Loadable, loadables } from "../results/output";
import { chosen as chosenCapability } from "../route";
import type { Entry } from "../tasks/entry";
import { entries } from "../tasks/store";
import type { LinkedResult } from "./linked";

export const STAGE_HEADING = "stage-heading";

export type Choice =
  | { kind: "task"; key: string; output?: number }
  | { kind: "pipeline"; id: string; step?: string; output?: number }
  | { kind: "draft" }
  | { kind: "linked"; result: LinkedResult };

export type Shown =
  | { kind: "task"; entry: Entry; output: number }
  | {
      kind: "pipeline";
      pipeline: Pipeline;
      /** The step that is shown large; `undefined` for the newest. */
      step: string | undefined;
      output: number;
    }
  | { kind: "draft" }
  | { kind: "linked"; result: LinkedResult }
  | { kind: "example"; capability: Capability };

/** The choice of a person, of Run, or of a task that has ended. */
const choice = signal<Choice | undefined>(undefined);

/** True for the choice of a person, which the end of a task does not replace. */
let isHeld = false;

/** Shows what a person has chosen. */
export function choose(chosen: Choice): void {
  choice.value = chosen;
  isHeld = true;
}

/** Shows what a person has just run. */
export function showRun(chosen: Choice): void {
  choice.value = chosen;
  isHeld = false;
  reveal(true);
}

/** Shows a task or a pipeline that has ended, unless a person looks at another thing. */
export function showEnd(chosen: Choice): void {
  // The choice of a person may be gone, such as a removed task.
  const isKept = untracked(() => isHeld && chosenThing() !== undefined);
  if (isKept || shown.peek()?.kind === "draft") return;
  choice.value = chosen;
  reveal(false);
}

/** The tasks of the list. A pipeline's tasks are shown inside of it. */
export const listedTasks = computed(() => {
  const listed = new Map(
    pipelines.value.map((pipeline) => [pipeline.id, pipeline]),
  );
  return entries.value.filter((entry) => {
    const pipeline = listed.get(entry.pipeline ?? "");
    return !pipeline || !isInside(entry, pipeline);
  });
});

export const shown = computed(() => chosenThing() ?? fittingThing());

/** The key of the shown thing, which stays while its task makes progress. */
export const shownKey = computed(() => shown.value && keyOf(shown.value));

/** Returns a key, so that another thing begins with a state of its own. */
export function keyOf(thing: Shown): string {
  switch (thing.kind) {
    case "task":
      return `task ${thing.entry.key}`;
    case "pipeline":
      return `pipeline ${thing.pipeline.id}`;
    case "example":
      return `example ${thing.capability.name}`;
    case "linked":
      return `linked ${thing.result.output.url}`;
    case "draft":
      return "draft";
  }
}

/** Returns the chosen thing; `undefined` if there is no choice, or its thing is gone. */
function chosenThing(): Shown | undefined {
  const { value: chosen } = choice;
  if (chosen?.kind === "task") {
    const entry = entries.value.find(({ key }) => key === chosen.key);
    return entry && { kind: "task", entry, output: chosen.output ?? 0 };
  }
  if (chosen?.kind === "pipeline") {
    const pipeline = pipelines.value.find(({ id }) => id === chosen.id);
    const { step, output = 0 } = chosen;
    return pipeline && { kind: "pipeline", pipeline, step, output };
  }
  if (chosen?.kind === "draft") return newPipeline();
  return chosen;
}

/** Returns the new pipeline, or the newest task or the example of the form's capability. */
function fittingThing(): Shown | undefined {
  const { value: capability } = chosenCapability;
  if (!capability) return undefined;
  const entry = listedTasks.value.find(
    (listed) => listed.capability === capability.name,
  );
  return (
    newPipeline() ??
    (entry
      ? { kind: "task", entry, output: 0 }
      : { kind: "example", capability })
  );
}

function newPipeline(): Shown | undefined {
  return draft.value.steps.length > 0 ? { kind: "draft" } : undefined;
}

/** Forgets the choice when a person goes to another form, and shows the new pipeline on request. */
export function followChoices(): void {
  effect(() => {
    const { value: capability } = chosenCapability;
    untracked(() => {
      const { value: chosen } = choice;
      // The link that opens the page names this capability, too.
      if (chosen?.kind === "linked" && chosen.result.capability === capability)
        return;
      choice.value = undefined;
      isHeld = false;
    });
  });
  effect(() => {
    if (revealing.value) choose({ kind: "draft" });
  });
}

interface Reveal {
  /** False if a person who types or reads must not be interrupted. */
  isAsked: boolean;
}

/** The last request to bring the stage into view on a narrow screen. */
export const revealed = signal<Reveal | undefined>(undefined);

export function reveal(isAsked: boolean): void {
  revealed.value = { isAsked };
}

/** Shows a thing, and moves the focus to its heading. */
export function show(chosen: Choice): void {
  choose(chosen);
  afterRender(focusStage);
}

export function focusStage(): void {
  const stage = document.querySelector(".stage");
  stage?.querySelector("h2")?.focus({ preventScroll: true });
  stage?.scrollIntoView({ block: wide.peek() ? "nearest" : "start" });
}

/** A result that can be shown. */
export interface StageItem {
  entry: Entry;
  output: Loadable;
  choice: Choice & { kind: "task" };
}

/** The items of each entry. An unchanged entry keeps its items, so that nothing renders again. */
const cached = new WeakMap<Entry, readonly StageItem[]>();

export function itemsOf(entry: Entry): readonly StageItem[] {
  const items =
    cached.get(entry) ??
    loadables(entry).flatMap((output, index): StageItem[] =>
      output.kind === undefined
        ? []
        : [
            {
              entry,
              output,
              choice: { kind: "task", key: entry.key, output: index },
            },
          ],
    );
  cached.set(entry, items);
  return items;
}
