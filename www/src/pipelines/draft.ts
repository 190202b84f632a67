/** The pipeline that a person builds: its steps, and the key with which it is started once. It outlives the page. */
import { signal } from "@preact/signals";
import type { CapabilityName } from "mediagate";
import { notify } from "../notices/store";
import { newKey } from "../parts/newKey";
import { isStep, referencesOf } from "../results/reference";
import { type Draft, type DraftStep, draftStorage, type Values } from "../storage";

const NONE: Draft = { key: "", title: "", steps: [] };

/** Without steps where nothing is being built. */
export const draft = signal<Draft>(NONE);

/** The name of the step that is in its form to be changed. */
export const editing = signal<string | undefined>(undefined);

/** Reads what an earlier page, or another tab, has built. */
export async function readDraft(): Promise<void> {
  const before = draft.value;
  const stored = await draftStorage.read();
  // What is changed meanwhile is newer.
  if (draft.value === before) draft.value = stored ?? NONE;
}

/** Resolves once it is read. */
export const draftKnown = readDraft();

/** Stores another draft; `undefined` for none. */
export async function saveDraft(changed: Draft | undefined): Promise<void> {
  draft.value = changed ?? NONE;
  if (changed) await draftStorage.write(changed);
  else await draftStorage.delete();
}

/** With another input it is another pipeline, so that it needs a key of its own. */
function change(changes: Pick<Draft, "steps"> | Pick<Draft, "title">): void {
  void saveDraft({ ...draft.value, ...changes, key: newKey(), sent: undefined });
}

export function setTitle(title: string): void {
  if (title !== draft.value.title) change({ title });
}

/** Adds a step, or changes the one that is being edited. */
export function putStep(capability: CapabilityName, values: Values): void {
  const { steps } = draft.value;
  const edited = steps.find((it) => it.name === editing.value && it.capability === capability);
  const step = { name: edited?.name ?? freeName(capability), capability, values };
  change({ steps: edited ? steps.map((it) => (it === edited ? step : it)) : [...steps, step] });
  editing.value = undefined;
}

/** Removes it all, so that a person can bring it back. */
export function discardDraft(): void {
  const { value: before } = draft;
  void saveDraft(undefined);
  editing.value = undefined;
  notify({ text: "The new pipeline was discarded", action: { label: "Undo", act: () => void saveDraft(before) } });
}

export function removeStep(name: string): void {
  const steps = draft.value.steps.filter((it) => it.name !== name);
  if (editing.value === name) editing.value = undefined;
  if (steps.length > 0) change({ steps });
  else void saveDraft(undefined);
}

/** The steps that use a step. */
export function usersOf(name: string): DraftStep[] {
  return draft.value.steps.filter(({ values }) => referencesOf(values).some((it) => isStep(it) && it.step === name));
}

export function hasStep(name: string): boolean {
  return draft.value.steps.some((it) => it.name === name);
}

function freeName(capability: CapabilityName): string {
  let name: string = capability;
  for (let count = 2; hasStep(name); count += 1) name = `${capability}_${count}`;
  return name;
}
