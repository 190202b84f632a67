import { type Capability, findCapability } from "../catalogue";
import { stepsIn } from "../results/reference";
import type { Draft, DraftStep } from "../storage";
import { type Input, inputsOf } from "./inputs";

export interface CodeStep extends DraftStep {
  definition: Capability;
  variable: string;
  inputs: Input[];
}

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
    const inputs = inputsOf(definition, step.values).map((input) => ({
      ...input,
      name: unique(input.name),
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
    // Steps cannot use each other in a circle, but a stored draft may come from another version.
    if (path.includes(step)) return;
    const used = stepsIn(step.values);
    for (const other of steps)
      if (used.includes(other.name)) visit(other, [...path, step]);
    ordered.add(step);
  };
  for (const step of steps) visit(step, []);
  return [...ordered];
}
