/** The state of a form. It outlives the form on the screen, and its values outlive the page. */
import { computed, effect, signal } from "@preact/signals";
import { type Issue, isMediagateError, validate } from "mediagate";
import {
  checkModel,
  defaultValues,
  filledValues,
  mergeIssues,
  modelFor,
} from "mediagate/forms";
import { isIssue } from "mediagate/words";
import type { Capability, Field } from "../catalogue";
import { client } from "../client";
import { notifyUnstored } from "../notices/unstored";
import { models } from "../offers";
import { newKey } from "../parts/newKey";
import {
  draft,
  draftKnown,
  editedStep,
  putStep,
  stopEditing,
} from "../pipelines/draft";
import {
  type Chosen,
  isStep,
  mapChosen,
  referencesOf,
} from "../results/reference";
import { type DraftStep, filesOf, formStorage, type Values } from "../storage";
import { isSent, isSubmitting } from "../tasks/entry";
import { findEntry } from "../tasks/store";
import {
  cancelSubmission,
  goOn,
  isAborted,
  isRejected,
  isUnknown,
  refuse,
  showEntry,
  submitTask,
} from "../tasks/submit";
import { openTask, openTasksKnown, unsettledTask } from "../tasks/unsettled";
import { issueOfAddress } from "./address";
import { checksReady, prepareChecks, withKnown } from "./known";

interface Submission {
  key: string;
  values: Values;
  /** `undefined` until its create is sent, or an unsettled create with its values is repeated. */
  create?: "new" | "repeated";
}

export class FormModel {
  readonly values = signal<Values>({});
  readonly issues = signal<readonly Issue[]>([]);
  readonly shown = computed(() => {
    const { fields } = this.capability;
    const { value: values } = this.values;
    const model = modelFor(this.capability, models.value, values);
    const ofModel = model
      ? checkModel(fields, filledValues(values), model)
      : [];
    return mergeIssues(withKnown(this.issues.value, fields, values), ofModel);
  });
  /** The failure to add a step, or a cancel. The stage shows the failure of a submission. */
  readonly failure = signal<unknown>(undefined);
  /** The submission under way; `undefined` if there is none, and once a person cancels it. */
  readonly #submission = signal<Submission | undefined>(undefined);
  /** The task with these values whose create is not settled, such as after a reload. */
  readonly unsettled = computed(() =>
    unsettledTask(this.capability, filledValues(this.values.value)),
  );
  readonly #preparing = signal(false);
  /** True while these values are being submitted. Other values can be submitted meanwhile. */
  readonly busy = computed(() => {
    const { value } = this.unsettled;
    return (
      this.#preparing.value ||
      this.#submission.value?.values === this.values.value ||
      (value !== undefined && isSubmitting(value))
    );
  });
  /** True if the form uses a step of the new pipeline, so that it can only become a step itself. */
  readonly usesStep = computed(() =>
    referencesOf(this.values.value).some(isStep),
  );
  /** True if the form makes a step of the new pipeline: it uses another step, or edits one. */
  readonly makesStep = computed(
    () => this.usesStep.value || editedStep(this.capability.name) !== undefined,
  );
  /** Counts submissions with issues: after each, the page focuses the first marked field. */
  readonly rejections = signal(0);
  #checked = false;
  #isAdding = false;
  /** The fields that were changed on this page. Their stored values are older. */
  readonly #touched = new Set<string>();

  constructor(readonly capability: Capability) {
    this.values.value = defaultValues(capability.fields);
    prepareChecks(capability.fields);
    void Promise.all([
      formStorage.read(capability.name, this.#names),
      draftKnown,
    ]).then(([values]) => {
      const stored = Object.entries(values).filter(
        ([name]) => !this.#touched.has(name),
      );
      // Setting equal values would still stop an estimate that a person has begun meanwhile.
      if (stored.length > 0)
        this.values.value = {
          ...this.values.value,
          ...Object.fromEntries(stored),
        };
      effect(() => this.#dropSteps(draft.value.steps.map(({ name }) => name)));
    });
  }

  set(name: string, value: unknown): void {
    this.#touched.add(name);
    this.values.value = { ...this.values.value, [name]: value };
    void this.#store(name, value);
    this.failure.value = undefined;
    if (this.#checked) void this.#checkAgain();
  }

  async #store(name: string, value: unknown): Promise<void> {
    const refusal = await formStorage.write(this.capability.name, name, value);
    const files = filesOf({ [name]: value });
    if (refusal && files.length > 0) notifyUnstored(files, refusal);
  }

  /** Adds a file or a result to a field. A field for one file gets it instead of its value. */
  add(field: Field, file: Chosen): void {
    // A list may contain a result twice, and its items are told apart by identity.
    const added = file instanceof File ? file : { ...file };
    const files = this.values.value[field.name];
    this.set(
      field.name,
      field.kind === "file"
        ? added
        : [...(Array.isArray(files) ? files : []), added],
    );
  }

  restore(values: Values): void {
    stopEditing(this.capability.name);
    this.fill(values);
  }

  /** Replaces the values. The form keeps editing a step. */
  fill(values: Values): void {
    for (const name of this.#names) this.set(name, values[name]);
    this.#clear();
  }

  reset(): void {
    stopEditing(this.capability.name);
    for (const name of this.#names) this.#touched.add(name);
    this.values.value = defaultValues(this.capability.fields);
    void formStorage.delete(this.capability.name, this.#names);
    this.#clear();
  }

  cancel(): void {
    const key = (this.#submission.value ?? this.unsettled.value)?.key;
    this.#leave();
    if (key) cancelSubmission(key);
  }

  /** Cancels the submission with a key, unless it was sent. */
  takeBack(key: string): void {
    if (isSent(findEntry(key))) return;
    if (this.#submission.value?.key === key) this.#leave();
    cancelSubmission(key);
  }

  /**
   * Validates the values, and submits them as a task of the list. If an earlier create with these
   * values may have made a task, that create is repeated, unless `asNewTask` is set.
   *
   * @param key - The key of the task, if it is a new one.
   */
  async submit({ asNewTask = false, key = newKey() } = {}): Promise<void> {
    if (this.busy.value) return;
    const submission: Submission = { key, values: this.values.value };
    this.#submission.value = submission;
    this.#preparing.value = true;
    this.#clear();
    try {
      await this.#run(submission, asNewTask);
    } catch (failure) {
      this.#refuse(failure, submission);
    } finally {
      if (this.#submission.value === submission) this.#leave();
    }
  }

  #leave(): void {
    this.#submission.value = undefined;
    this.#preparing.value = false;
  }

  async #run(submission: Submission, asNewTask: boolean): Promise<void> {
    await client();
    await Promise.all([
      checksReady(this.capability.fields, this.values.value),
      openTasksKnown(),
    ]);
    // A person has cancelled the submission meanwhile.
    if (this.#submission.value !== submission) return;
    // The values may change during the check. These are sent.
    submission.values = this.values.value;
    const values = filledValues(submission.values);
    const open = asNewTask ? undefined : openTask(this.capability, values);
    if (open) {
      submission.key = open.key;
      submission.create = "repeated";
      showEntry(open.key);
      return goOn(open);
    }
    const issues = await this.#check();
    if (this.#submission.value !== submission) return;
    this.issues.value = issues;
    if (this.shown.value.some(isError)) return this.#reject(issues);
    submission.create = "new";
    this.#preparing.value = false;
    await submitTask(submission.key, this.capability.name, values);
  }

  async addStep(): Promise<DraftStep | undefined> {
    if (this.#isAdding) return undefined;
    this.#isAdding = true;
    this.#clear();
    try {
      return await this.#addStep();
    } catch (failure) {
      if (!this.#showIssues(failure, this.values.value))
        this.failure.value = failure;
      return undefined;
    } finally {
      this.#isAdding = false;
    }
  }

  async #addStep(): Promise<DraftStep | undefined> {
    await Promise.all([
      client(),
      checksReady(this.capability.fields, this.values.value),
    ]);
    this.issues.value = await this.#check();
    if (this.shown.value.some(isError)) {
      this.#reject(this.issues.value);
      return undefined;
    }
    this.#clear();
    return putStep(this.capability.name, filledValues(this.values.value));
  }

  /** Takes out of the fields the steps that are no longer in the pipeline. */
  #dropSteps(names: readonly string[]): void {
    const { value: values } = this.values;
    const isGone = (source: unknown) =>
      isStep(source) && !names.includes(source.step);
    for (const [name, value] of Object.entries(values)) {
      if (Array.isArray(value) && value.some(isGone))
        this.set(
          name,
          value.filter((source) => !isGone(source)),
        );
      else if (isGone(value)) this.set(name, undefined);
    }
  }

  get #names(): string[] {
    return this.capability.fields.map(({ name }) => name);
  }

  /** Validates the changed values. The issues are dropped if the values change again meanwhile. */
  async #checkAgain(): Promise<void> {
    const values = this.values.value;
    const issues = await this.#check();
    if (this.#checked && this.values.value === values)
      this.issues.value = issues;
  }

  #check(): Promise<readonly Issue[]> {
    this.#checked = true;
    // The validator expects an id, which the name of a step stands for.
    const values = mapChosen(filledValues(this.values.value), (source) =>
      isStep(source) ? source.step : source,
    );
    return validate(this.capability.name, values);
  }

  /** Shows a failed submission on the stage, and its issues in the form while it is unchanged. */
  #refuse(failure: unknown, { key, values, create }: Submission): void {
    const isSame = values === this.values.value;
    if (isAborted(failure)) {
      // The list shows a create that may have made a task.
      if (isSame && !isUnknown(failure)) this.failure.value = failure;
      return;
    }
    // The list shows the failure of a create, unless a repetition has removed the create.
    const isGone = create === "repeated" && isRejected(failure);
    if (!create || isGone)
      refuse(key, this.capability.name, filledValues(values), failure);
    if (isSame) this.#showIssues(failure, values);
  }

  /** Marks the fields that a failure names. Returns true if there are some. */
  #showIssues(failure: unknown, values: Values): boolean {
    const ofAddress = issueOfAddress(failure, values);
    const issues = isMediagateError(failure) ? failure.issues : [];
    const shown = ofAddress ? [ofAddress] : issues.filter(isIssue);
    if (shown.length > 0) this.#reject(shown);
    return shown.length > 0;
  }

  #reject(issues: readonly Issue[]): void {
    this.issues.value = issues;
    this.rejections.value += 1;
  }

  #clear(): void {
    this.#checked = false;
    this.issues.value = [];
    this.failure.value = undefined;
  }
}

export function isError(issue: Issue): boolean {
  // The upstream's own issues have no severity, and are errors.
  return issue.severity !== "warning";
}

const forms = new Map<string, FormModel>();

export function modelOf(capability: Capability): FormModel {
  const model = forms.get(capability.name) ?? new FormModel(capability);
  forms.set(capability.name, model);
  return model;
}
