/** The new pipeline that a person builds. It outlives the page, and its key starts it only once. */
import { signal } from "@preact/signals";
import type { CapabilityName } from "mediagate";
import { lapse, notify, notifyUndo, type ShownNotice } from "../notices/store";
import { newKey } from "../parts/newKey";
import { stepsIn } from "../results/reference";
import {
  type Draft,
  type DraftStep,
  read,
  remove,
  type Values,
  write,
} from "../storage";
import { stepTitle } from "./names";

export const DRAFT_HEADING = "draft-heading";

/** The key of the stored draft. */
const STORED = "pipeline";

const NONE: Draft = { key: "", title: "", steps: [] };

export const draft = signal<Draft>(NONE);

/** True while the new pipeline is being started, so that it must not change. */
export const isStarting = signal(false);

export const editing = signal<string | undefined>(undefined);

/** A request to bring the new pipeline into view, which its card fulfils and resets. */
export const revealing = signal<{ focus: boolean } | undefined>(undefined);

/** Sends each change to the other tabs, which show the last one. */
const channel = new BroadcastChannel("mediagate.playground.pipeline");
channel.addEventListener(
  "message",
  ({ data }) => (draft.value = data as Draft),
);

export const draftKnown = read<Draft>(STORED).then((stored) => {
  // A person may have begun another pipeline meanwhile, which is newer.
  if (stored && draft.value === NONE) draft.value = stored;
});

async function save(changed: Draft): Promise<void> {
  draft.value = changed;
  channel.postMessage(changed);
  await (changed.steps.length > 0
    ? write({ [STORED]: changed })
    : remove([STORED]));
}

/** Stores a sent pipeline, or removes a started one. Keeps another that was built meanwhile. */
export async function saveStart(
  key: string,
  changed: Draft | undefined,
): Promise<void> {
  if (draft.value.key === key) await save(changed ?? NONE);
}

/** Changes the new pipeline, unless it is being started. Returns true if it is changed. */
function change({
  steps = draft.value.steps,
  title = draft.value.title,
}: Partial<Pick<Draft, "steps" | "title">>): boolean {
  if (isStarting.value) return false;
  // With another input it is another pipeline, whose start needs a key of its own.
  void save({ key: newKey(), title, steps });
  return true;
}

export function setTitle(title: string): void {
  if (title !== draft.value.title) change({ title });
}

/** Adds or replaces a step, and returns it; `undefined` while the pipeline starts. */
export function putStep(
  capability: CapabilityName,
  values: Values,
): DraftStep | undefined {
  const { steps } = draft.value;
  const edited = editedStep(capability);
  const step = {
    name: edited?.name ?? freeName(capability),
    capability,
    values,
  };
  editing.value = undefined;
  const isChanged = change({
    steps: edited
      ? steps.map((old) => (old === edited ? step : old))
      : [...steps, step],
  });
  return isChanged ? step : undefined;
}

/** Replaces the new pipeline, with a notice that offers Undo. Returns true if it is replaced. */
export function replaceDraft(
  replacement: Pick<Draft, "steps" | "title">,
  text: string,
): boolean {
  const { value: before } = draft;
  if (!change(replacement)) return false;
  editing.value = undefined;
  replacementNotice = notifyUndo(text, () => {
    editing.value = undefined;
    if (!isStarting.value) void save(before);
  });
  return true;
}

/** The notice of the last replacement, whose Undo would replace a started pipeline. */
let replacementNotice: ShownNotice | undefined;

export function forgetReplacement(): void {
  if (replacementNotice) lapse(replacementNotice);
  replacementNotice = undefined;
}

export function editedStep(capability: CapabilityName): DraftStep | undefined {
  return draft.value.steps.find(
    (step) => step.name === editing.value && step.capability === capability,
  );
}

/** Ends the editing of a step in the form of a capability, which has got other values. */
export function stopEditing(capability: CapabilityName): void {
  if (editedStep(capability)) editing.value = undefined;
}

export function discardDraft(): void {
  const { value: before } = draft;
  if (isStarting.value) return;
  editing.value = undefined;
  void save(NONE);
  notifyUndo("Discarded the new pipeline", () => {
    if (draft.value.steps.length === 0) void save(before);
    else notify({ text: "Not restored: another pipeline is being built" });
  });
}

export function removeStep(step: DraftStep): void {
  const { steps } = draft.value;
  const index = steps.indexOf(step);
  if (index < 0 || !change({ steps: steps.toSpliced(index, 1) })) return;
  notifyUndo(`Removed the step “${stepTitle(step)}”`, () => {
    if (!draft.value.steps.some(({ name }) => name === step.name))
      change({ steps: draft.value.steps.toSpliced(index, 0, step) });
  });
}

export function usersOf(name: string): DraftStep[] {
  return draft.value.steps.filter(({ values }) =>
    stepsIn(values).includes(name),
  );
}

/** Returns true if a step is another step, or uses it through any number of steps. */
export function dependsOn(name: string, other: string): boolean {
  const found = new Set([other]);
  // The loop also visits the names that it adds.
  for (const used of found)
    for (const user of usersOf(used)) found.add(user.name);
  return found.has(name);
}

function freeName(capability: CapabilityName): string {
  const isUsed = (name: string) =>
    draft.value.steps.some((step) => step.name === name);
  let name: string = capability;
  for (let count = 2; isUsed(name); count += 1) name = `${capability}_${count}`;
  return name;
}
