/** The finished examples of the capabilities, which the stage shows before a person has run one. */
import type { OutputKind } from "mediagate";
import type { Capability } from "../catalogue";

export interface FinishedExample {
  outputs: readonly { url: string; kind: OutputKind; poster?: string }[];
  /** The values of the form, as texts. */
  values: Readonly<Record<string, string>>;
  before?: { url: string };
}

export function finishedOf(_: Capability): FinishedExample | undefined {
  return undefined;
}
