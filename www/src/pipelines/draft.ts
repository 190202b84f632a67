/** The pipeline that a person builds: its steps, and the key with which it is started once. It outlives the page. */
import { signal } from "@preact/signals";
import type { CapabilityName } from "mediagate";
import { notify } from "../notices/store";
import { newKey } from "../parts/newKey";
import { stepsIn } from "../results/reference";
import {
  type Draft,
  type DraftStep,
  draftStorage,
  type Values,
} from "../storage";
import { stepTitle } from "./names";

/** The id of its heading. */
export const DRAFT_HEADING = "draft-heading";

const NONE: Draft = { key: "", title: "", steps: [] };

/** Without steps where nothing is being built. */
export const draft = signal<Draft>(NONE);

/** While it is being started, it stays as it is. */
export const isStarting = signal(false);

/** The name of the step that is in its form to be changed. */
export const editing = signal<string | undefined>(undefined);

/** Whether it is to be brought into view, with the focus; `undefined` once it is. */
export const revealing = signal<{ focus: boolean } | undefined>(undefined);

/** Every tab shows it as the last one has changed it. */
const channel = new BroadcastChannel("mediagate.playground.pipeline");
channel.addEventListener(
  "message",
  ({ data }) => (draft.value = data as Draft),
);

/** Resolves once that of an earlier page is read. */
export const draftKnown = draftStorage.read().then((stored) => {
  // What is built meanwhile is newer.
  if (stored && draft.value === NONE) draft.value = stored;
});

/** Where the browser stores nothing, it lasts as long as the page. */
async function save(changed: Draft): Promise<void> {
  draft.value = changed;
  channel.postMessage(changed);
  await (changed.steps.length > 0
    ? draftStorage.write(changed)
    : draftStorage.delete());
}

/** Stores what was sent with the key, or ends what was started with it; another one that was built meanwhile stays. */
export async function saveStart(
  key: string,
  changed: Draft | undefined,
): Promise<void> {
  if (draft.value.key === key) await save(changed ?? NONE);
}

/** With another input it is another pipeline, so that it needs a key of its own. Returns whether it is changed. */
function change({
  steps = draft.value.steps,
  title = draft.value.title,
}: Partial<Pick<Draft, "steps" | "title">>): boolean {
  if (isStarting.value) return false;
  void save({ key: newKey(), title, steps });
  return true;
}

export function setTitle(title: string): void {
  if (title !== draft.value.title) change({ title });
}

/** Adds a step, or changes the one that is being edited, and returns it; `undefined` while the pipeline starts. */
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
      ? steps.map((it) => (it === edited ? step : it))
      : [...steps, step],
  });
  return isChanged ? step : undefined;
}

/** Replaces what is being built, so that a person can bring it back; returns whether it did. */
export function replaceDraft(
  replacement: Pick<Draft, "steps" | "title">,
  text: string,
): boolean {
  const { value: before } = draft;
  if (!change(replacement)) return false;
  editing.value = undefined;
  const bringBack = () => {
    editing.value = undefined;
    if (!isStarting.value) void save(before);
  };
  notify({ text, action: { label: "Undo", act: bringBack } });
  return true;
}

/** The step that is being changed in the form of this capability. */
export function editedStep(capability: CapabilityName): DraftStep | undefined {
  return draft.value.steps.find(
    (it) => it.name === editing.value && it.capability === capability,
  );
}

/** A form with other values is no longer that of a step. */
export function stopEditing(capability: CapabilityName): void {
  if (editedStep(capability)) editing.value = undefined;
}

/** Removes it all, so that a person can bring it back. */
export function discardDraft(): void {
  const { value: before } = draft;
  if (isStarting.value) return;
  editing.value = undefined;
  void save(NONE);
  const bringBack = () => {
    if (draft.value.steps.length === 0) void save(before);
    else
      notify({ text: "Another pipeline is being built. Discard that first" });
  };
  notify({
    text: "The new pipeline was discarded",
    action: { label: "Undo", act: bringBack },
  });
}

/** Removes a step that no other uses, so that a person can bring it back. */
export function removeStep(step: DraftStep): void {
  const { steps } = draft.value;
  const index = steps.indexOf(step);
  if (index < 0 || !change({ steps: steps.toSpliced(index, 1) })) return;
  const bringBack = () => {
    if (!draft.value.steps.some((it) => it.name === step.name))
      change({ steps: draft.value.steps.toSpliced(index, 0, step) });
  };
  notify({
    text: `Removed the step “${stepTitle(step)}”`,
    action: { label: "Undo", act: bringBack },
  });
}

/** The steps that use a step. */
export function usersOf(name: string): DraftStep[] {
  return draft.value.steps.filter(({ values }) =>
    stepsIn(values).includes(name),
  );
}

/** Whether a step is another one, or uses it through any number of steps. */
export function dependsOn(name: string, other: string): boolean {
  const found = new Set([other]);
  for (const it of found) for (const user of usersOf(it)) found.add(user.name);
  return found.has(name);
}

function freeName(capability: CapabilityName): string {
  const isUsed = (name: string) =>
    draft.value.steps.some((it) => it.name === name);
  let name: string = capability;
  for (let count = 2; isUsed(name); count += 1) name = `${capability}_${count}`;
  return name;
}
