/** The steps of a pipeline in code: each after those that it uses, under names that no other thing there has. */
import { type Capability, findCapability } from "../catalogue";
import { stepsIn } from "../results/reference";
import type { Draft, DraftStep } from "../storage";
import { type Input, inputsOf } from "./inputs";

/** A step, and the names in code of its result and its inputs. */
export interface CodeStep extends DraftStep {
  definition: Capability;
  variable: string;
  inputs: Input[];
}

/** The names that the code has already. */
const RESERVED = [
  ...["media", "connect", "p", "pipeline", "gateway", "openAsBlob"],
  ...["json", "time", "uuid", "urllib", "send", "call", "token", "session"],
  ...["upload", "load", "move", "outputs"],
];

export function codeSteps({ steps }: Draft): CodeStep[] {
  const names = new Set(RESERVED);
  const unique = (name: string) => {
    let own = name;
    for (let count = 2; names.has(own); count += 1) own = `${name}${count}`;
    names.add(own);
    return own;
  };
  return inOrder(steps).flatMap((step) => {
    const definition = findCapability(step.capability);
    if (!definition) return [];
    const inputs = inputsOf(definition, step.values).map((it) => ({
      ...it,
      name: unique(it.name),
    }));
    const variable = unique(
      step.name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase()),
    );
    return [{ ...step, definition, variable, inputs }];
  });
}

function inOrder(steps: readonly DraftStep[]): DraftStep[] {
  const ordered = new Set<DraftStep>();
  const visit = (step: DraftStep, path: readonly DraftStep[]) => {
    if (path.includes(step)) return;
    for (const it of steps)
      if (stepsIn(step.values).includes(it.name)) visit(it, [...path, step]);
    ordered.add(step);
  };
  for (const it of steps) visit(it, []);
  return [...ordered];
}
