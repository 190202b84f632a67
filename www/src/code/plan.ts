/** The requests of a form or a pipeline, from which each language's code is printed. */
import { type Capability, type Field, findCapability } from "../catalogue";
import {
  type Chosen,
  chosenIn,
  isAddress,
  isRunning,
  isStep,
  mapChosen,
  type StepReference,
  stepsIn,
} from "../results/reference";
import type { Draft, DraftStep, Values } from "../storage";

export type Subject =
  | { capability: Capability; values: Values }
  | { pipeline: Draft };

/**
 * The requests of the code, in this order: it gets an id for each source, sends the body to `path`,
 * and reads `statePath` with the new id at its end until the task or the pipeline has ended.
 */
export type Plan = {
  gateway: string;
  sources: readonly Source[];
  path: string;
  statePath: string;
  /** The request body, with a `Source` or a `StepReference` instead of each file. */
  body: Values;
} & (
  | { kind: "task"; create: Create }
  | { kind: "pipeline"; title: string; steps: readonly Create[] }
);

export interface Create {
  /** The name of the step, by which other steps refer to its result. */
  name: string;
  capability: Capability;
  input: Values;
}

/** A file of an input. Its id is in a variable such as `sourceImageFile`. */
export class Source {
  constructor(
    readonly variable: string,
    readonly name: string,
    readonly origin: Origin,
  ) {}
}

/** The code uploads a file from the disk or from a link. The gateway loads the others. */
export type Origin =
  | { from: "disk"; type: string }
  | { from: "link"; url: string }
  | { from: "address"; body: { url: string } }
  | {
      from: "task";
      body: { task_id: string; output: number };
      /** The capability of a task that still runs. */
      capability?: string;
    };

/** Stands for the id of a task, which only the page's own session may read. */
export const TASK_ID = "TASK_ID";

export const UNKNOWN_TYPE = "application/octet-stream";

export function planOf(subject: Subject, gateway: string): Plan {
  const sources: Source[] = [];
  if ("capability" in subject) {
    const { capability, values } = subject;
    const input = inputOf(capability, values, sources);
    return {
      kind: "task",
      gateway,
      sources,
      path: capability.path,
      statePath: `${capability.group}/tasks/`,
      body: input,
      create: { name: capability.name, capability, input },
    };
  }
  const { title } = subject.pipeline;
  const steps = inOrder(subject.pipeline.steps).flatMap((step) => {
    const capability = findCapability(step.capability);
    if (!capability) return [];
    const input = inputOf(capability, step.values, sources);
    return [{ name: step.name, capability, input }];
  });
  const bodies = steps.map(({ name, capability, input }) => [
    name,
    { capability: capability.name, input },
  ]);
  return {
    kind: "pipeline",
    gateway,
    sources,
    path: "pipelines",
    statePath: "pipelines/",
    body: { ...(title && { title }), steps: Object.fromEntries(bodies) },
    title,
    steps,
  };
}

/** Returns the input with sources instead of files, and adds them to `sources`. */
function inputOf(
  { fields }: Capability,
  values: Values,
  sources: Source[],
): Values {
  const input: Values = {};
  for (const field of fields) {
    const value = filled(field, values[field.name]);
    if (value === undefined) continue;
    input[field.name] = mapChosen(value, (chosen) => {
      if (isStep(chosen)) return chosen;
      const base = variableOf(field);
      const same = sources.filter(({ variable }) => variable.startsWith(base));
      const variable = base + (same.length > 0 ? same.length + 1 : "");
      const source = new Source(variable, chosen.name, originOf(chosen));
      sources.push(source);
      return source;
    });
  }
  return input;
}

/** Returns a file of an unknown name for a required field of files that is blank. */
function filled({ kind, required, media }: Field, value: unknown): unknown {
  if (!required || !media || chosenIn(value).length > 0) return value;
  const file = new File([], "FILE");
  return kind === "file" ? file : [file];
}

function originOf(chosen: Exclude<Chosen, StepReference>): Origin {
  if (chosen instanceof File)
    return { from: "disk", type: chosen.type || UNKNOWN_TYPE };
  if (isAddress(chosen)) return { from: "address", body: { url: chosen.url } };
  if (isRunning(chosen)) {
    const body = { task_id: TASK_ID, output: 0 };
    return { from: "task", body, capability: chosen.capability };
  }
  return chosen.url
    ? { from: "link", url: chosen.url }
    : { from: "task", body: { task_id: TASK_ID, output: chosen.output } };
}

function variableOf({ name, media }: Field): string {
  const word = name.replace(/_?file_ids?$/, "").replace(/^input_?/, "");
  // A field such as `input_file_id` has no word of its own, so its medium names it.
  return camelCase(`${word || media}_file`);
}

export function camelCase(name: string): string {
  return name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());
}

function inOrder(steps: readonly DraftStep[]): DraftStep[] {
  const ordered: DraftStep[] = [];
  const visited = new Set<DraftStep>();
  const visit = (step: DraftStep) => {
    if (visited.has(step)) return;
    visited.add(step);
    const used = stepsIn(step.values);
    for (const other of steps) if (used.includes(other.name)) visit(other);
    ordered.push(step);
  };
  steps.forEach(visit);
  return ordered;
}

/** Removes line breaks and control characters from a name, which would end a comment in code. */
export function plain(name: string): string {
  return name.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, " ");
}
