/** The arrow before a step: which steps it goes on from. */

interface Named {
  name: string;
}

/**
 * Returns the names of the steps that a step uses, in words: empty if it is only the one before, to which an arrow points, and
 * `undefined` for a step that uses none.
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
