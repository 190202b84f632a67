/** What one form holds: it outlives the form on the screen and the page, so that nothing typed is lost. */
import { signal } from "@preact/signals";
import { isMediagateError, validate, type Issue } from "mediagate";
import type { Capability, Field } from "../catalogue";
import { client } from "../client";
import { form as kept, type Values } from "../kept";
import { begin } from "../tasks/begin";
import { uploadAll } from "./uploads";

export class FormModel {
  readonly values = signal<Values>({});
  readonly issues = signal<readonly Issue[]>([]);
  readonly failure = signal<unknown>(undefined);
  /** Ends the submission under way, where there is one. */
  readonly busy = signal<AbortController | undefined>(undefined);
  /** Counts refusals, so that the page can lead to the first marked field. */
  readonly refusals = signal(0);
  /** Counts tasks, so that the page can lead to the list of them. */
  readonly created = signal(0);
  #checked = false;
  /** Fields that were changed on this page: what was kept of them is older. */
  readonly #touched = new Set<string>();

  constructor(readonly capability: Capability) {
    this.values.value = defaults(capability);
    void kept.read(capability.name, this.#names).then((values) => {
      const older = Object.entries(values).filter(([name]) => !this.#touched.has(name));
      this.values.value = { ...this.values.value, ...Object.fromEntries(older) };
    });
  }

  set(name: string, value: unknown): void {
    this.#touched.add(name);
    this.values.value = { ...this.values.value, [name]: value };
    void kept.write(this.capability.name, name, value);
    this.failure.value = undefined;
    if (this.#checked) this.issues.value = this.#check();
  }

  /** Gives a field one more file, or the one that it takes. */
  add(field: Field, file: File): void {
    const files = this.values.value[field.name];
    this.set(field.name, field.kind === "file" ? file : [...(Array.isArray(files) ? files : []), file]);
  }

  /** Puts what a task was made from back into the form. */
  restore(values: Values): void {
    for (const name of this.#names) this.set(name, values[name]);
    this.#clear();
  }

  reset(): void {
    this.#names.forEach((it) => this.#touched.add(it));
    this.values.value = defaults(this.capability);
    void kept.forget(this.capability.name, this.#names);
    this.#clear();
  }

  cancel(): void {
    this.busy.value?.abort();
  }

  /** Checks, uploads, creates; the task then lives in the list of tasks. */
  async submit(): Promise<void> {
    if (this.busy.value) return;
    const controller = new AbortController();
    this.busy.value = controller;
    this.#clear();
    try {
      await this.#run(controller.signal);
    } catch (failure) {
      this.#fail(failure);
    } finally {
      this.busy.value = undefined;
    }
  }

  async #run(signal: AbortSignal): Promise<void> {
    const media = await client();
    const issues = this.#check();
    if (issues.length > 0) return this.#refuse(issues);
    const values = requestOf(this.values.value);
    const body = await uploadAll(media, values, signal);
    await begin(media, this.capability.name, { values, body }, signal);
    this.created.value += 1;
  }

  get #names(): string[] {
    return this.capability.fields.map((it) => it.name);
  }

  #check(): readonly Issue[] {
    this.#checked = true;
    return validate(this.capability.name, requestOf(this.values.value));
  }

  #fail(failure: unknown): void {
    this.failure.value = failure;
    if (!isMediagateError(failure) || failure.issues.length === 0) return;
    this.#refuse(failure.issues.filter(isIssue));
  }

  #refuse(issues: readonly Issue[]): void {
    this.issues.value = issues;
    this.refusals.value += 1;
  }

  #clear(): void {
    this.#checked = false;
    this.issues.value = [];
    this.failure.value = undefined;
  }
}

const models = new Map<string, FormModel>();

export function modelOf(capability: Capability): FormModel {
  const model = models.get(capability.name) ?? new FormModel(capability);
  models.set(capability.name, model);
  return model;
}

function defaults(capability: Capability): Values {
  const given = capability.fields.filter((it) => it.default !== null);
  return Object.fromEntries(given.map((it) => [it.name, structuredClone(it.default)]));
}

/** The service's own list of faults passes the gateway as it is; only what names a place and a fault can be shown. */
function isIssue(it: Partial<Issue> | null): it is Issue {
  return typeof it?.path === "string" && typeof it.message === "string";
}

/** The request body: what was left blank is left out. */
export function requestOf(values: Values): Values {
  const blank = (it: unknown) => it === undefined || it === "" || (Array.isArray(it) && it.length === 0);
  return Object.fromEntries(Object.entries(values).filter(([, it]) => !blank(it)));
}
