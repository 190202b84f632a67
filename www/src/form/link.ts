/**
 * Links that open a form with values, and may show a result. The values are texts, numbers and
 * addresses, but no files and results, which are a person's own.
 */
import { filledValues } from "mediagate/forms";
import type { Capability } from "../catalogue";
import { chosenIn, isAddress, mapChosen } from "../results/reference";
import { chosen } from "../route";
import { linkedResult, RESULT } from "../stage/linked";
import { choose, reveal } from "../stage/shown";
import type { Values } from "../storage";
import { addressIn } from "./address";
import { fillForm } from "./fill";

/** Returns a link to a form with values, and to a result if there is one. */
export function linkTo(
  { name, fields }: Capability,
  values: Values,
  result?: string,
): string {
  const parameters = new URLSearchParams();
  const request = filledValues(values);
  for (const field of fields) {
    const value = request[field.name];
    const text = JSON.stringify(value);
    const hasFile = !chosenIn(value).every(isAddress);
    if (text && !hasFile && text !== JSON.stringify(field.default))
      parameters.set(field.name, text);
  }
  if (result) parameters.set(RESULT, result);
  return `${location.origin}${location.pathname}#${name}?${parameters}`;
}

/** Fills in the form that the page's address names, and removes the values from the address. */
export function fillFromAddress(): void {
  const [name, query] = location.hash.slice(1).split("?", 2);
  const capability = chosen.value;
  if (!capability || !query || capability.name !== name) return;
  // A reload must not replace what a person has changed since.
  history.replaceState(null, "", `#${name}`);
  const result = linkedResult(
    capability,
    new URLSearchParams(query).get(RESULT),
  );
  fillForm(capability, valuesIn(capability, query), "a link");
  if (!result) return;
  choose({ kind: "linked", result });
  reveal(true);
}

function valuesIn({ fields }: Capability, query: string): Values {
  const parameters = new URLSearchParams(query);
  const values = fields.map(({ name, media, default: initial }) => {
    const text = parameters.get(name);
    const value = text === null ? (initial ?? undefined) : parsed(text);
    // Anyone can write a link, so the name of an address comes from the address itself.
    const renamed = mapChosen(value, (source) =>
      isAddress(source) ? addressIn(source.url) : source,
    );
    if (!Array.isArray(renamed)) return [name, renamed];
    // A member that is nothing would end the page, also after a reload.
    const members = media
      ? chosenIn(renamed)
      : renamed.filter((member) => member !== undefined && member !== null);
    return [name, members];
  });
  return Object.fromEntries(values);
}

/** Parses a value that `linkTo` wrote, or returns the text that a person wrote. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
