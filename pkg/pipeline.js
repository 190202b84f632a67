// Pipelines: a builder of their steps, and a pipeline that was started.

import { capabilities } from "./catalogue.js";
import { copy } from "./dist/copy.js";
import { promised } from "./dist/driver.js";
import { read } from "./dist/values.js";
import { Followed, mirror } from "./followed.js";
import { wasm } from "./loading.js";
import { invalid, limits } from "./options.js";

/** A step of a pipeline that is being built, in the place of its first output that fits. */
class Step {
  /** @param {string} name */
  constructor(name) {
    this.step = name;
  }

  /** @param {number} position */
  output(position) {
    return { ...this, output: position };
  }
}

/**
 * The steps that a function of the caller's builds, each `{name, capability, input}`.
 *
 * @param {any} build
 * @throws {MediagateError} also whatever the function throws
 */
export async function stepsOf(build) {
  if (typeof build !== "function")
    throw invalid("pipeline takes a function that builds its steps");
  /** @type {{ name: string, capability: string, input: unknown }[]} */
  const steps = [];
  const add =
    (/** @type {string} */ capability) =>
    (/** @type {unknown} */ input, /** @type {unknown} */ options) => {
      const chosen = read(options, "name");
      const isFree = (/** @type {string} */ name) =>
        steps.every((it) => it.name !== name);
      if (
        chosen !== undefined &&
        !(typeof chosen === "string" && isFree(chosen))
      )
        throw invalid(
          "the name of a step is not a string, or that of another step; give each its own",
        );
      let name = chosen ?? capability;
      for (let count = 2; !isFree(name); count++)
        name = `${capability}_${count}`;
      steps.push({ name, capability, input: copy(input) ?? null });
      return new Step(name);
    };
  await build(
    Object.fromEntries(
      capabilities().map(({ name, method }) => [method, add(name)]),
    ),
  );
  // What is added later is not part of it.
  return [...steps];
}

/**
 * A pipeline.
 *
 * @extends {Followed<import("./index.js").PipelineSnapshot>}
 */
export class Pipeline extends Followed {
  /** @param {unknown} [options] */
  resume(options) {
    return change(this, true, options);
  }

  /** @param {unknown} [options] */
  cancel(options) {
    return change(this, false, options);
  }
}

mirror(Pipeline, ["title", "created_at", "ended_at", "resumable", "steps"]);

/**
 * @param {Pipeline} pipeline
 * @param {boolean} isResume
 * @param {unknown} options
 */
async function change(pipeline, isResume, options) {
  const { key, media } = pipeline;
  const begin = (/** @type {number} */ promise) =>
    wasm().changePipeline(promise, key, isResume);
  return promised(begin, pipeline, limits(options, media.defaults));
}
