/** The arrow before a step, from the steps that it uses. */

interface Named {
  name: string;
}

/**
 * Returns the titles of the steps that a step uses, in words. Empty if that is only the step
 * before, which the arrow shows; `undefined` for a step that uses none.
 */
export function fromWords(
  uses: readonly string[],
  before: Named | undefined,
  titleOf: (step: string) => string,
): string | undefined {
  if (uses.length === 0) return undefined;
  const isBefore = uses.every((name) => name === before?.name);
  return isBefore ? "" : `from ${uses.map(titleOf).join(", ")}`;
}
