/** The values of “Try an example”, with their files. */
import type { Capability } from "../catalogue";
import { replaceChosen } from "../results/reference";
import type { Values } from "../storage";
import { type ExampleFile, exampleValues } from "./values";

export function exampleOf(capability: Capability): Promise<Values> {
  return replaceChosen(exampleValues(capability), (file) =>
    load(file as ExampleFile),
  );
}

async function load({ name, url, type }: ExampleFile): Promise<File> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${name}: status ${response.status}`);
  return new File([await response.blob()], name, { type });
}
