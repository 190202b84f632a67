// Measures in alternating rounds, so that disturbances of the machine affect all subjects. This
// file also runs inside pages.

/**
 * Measures functions against each other, each called many times in a row, in alternating rounds.
 *
 * @param {Record<string, () => unknown>} subjects by name
 * @param {{ rounds: number, calls: number, clock?: () => number }} options `clock` returns
 *   milliseconds
 * @returns {Promise<Record<string, number>>} microseconds per call in the best round, the least
 *   disturbed one
 */
export async function takeTurns(
  subjects,
  { rounds, calls, clock = () => performance.now() },
) {
  const names = Object.keys(subjects);
  const best = Object.fromEntries(names.map((name) => [name, Infinity]));
  // The first round warms up and does not count.
  for (let round = 0; round <= rounds; round++) {
    for (const name of [
      ...names.slice(round % names.length),
      ...names.slice(0, round % names.length),
    ]) {
      const work = subjects[name];
      const start = clock();
      for (let call = 0; call < calls; call++) await work();
      const each = ((clock() - start) * 1000) / calls;
      if (round > 0) best[name] = Math.min(best[name], each);
    }
  }
  return best;
}

export function quantile(numbers, at = 0.5) {
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * at))];
}
