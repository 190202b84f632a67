/** The keys of the page: Ctrl+Enter runs the form, Ctrl+K opens the finder, and `/` searches. */
import { signal } from "@preact/signals";
import { FILTER, FORM } from "../route";

export const isFinding = signal(false);

export function listenForKeys(): void {
  addEventListener("keydown", (event) => {
    // AltGr, which types characters on many keyboards, is reported as Ctrl with Alt.
    if (event.defaultPrevented || event.altKey) return;
    const act = actionOf(event);
    if (!act) return;
    event.preventDefault();
    act();
  });
}

function actionOf(event: KeyboardEvent): (() => void) | undefined {
  // On a Mac, the key is Cmd.
  const isCommand = event.ctrlKey || event.metaKey;
  const isInDialog = document.querySelector("dialog[open]") !== null;
  if (isCommand && event.key.toLowerCase() === "k")
    return isInDialog && !isFinding.value ? undefined : toggleFinder;
  if (isInDialog) return undefined;
  if (isCommand && event.key === "Enter") return runForm;
  return !isCommand && event.key === "/" && !isTyping(event.target)
    ? search
    : undefined;
}

export function toggleFinder(): void {
  isFinding.value = !isFinding.value;
}

function runForm(): void {
  document.querySelector<HTMLFormElement>(`#${FORM}`)?.requestSubmit();
}

function search(): void {
  const filter = document.getElementById(FILTER);
  // On a narrow screen the filter is folded away, so the finder opens instead.
  if (filter?.checkVisibility()) filter.focus();
  else toggleFinder();
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    target.matches(
      "textarea, input:not([type=checkbox], [type=radio], [type=range], [type=file])",
    )
  );
}
