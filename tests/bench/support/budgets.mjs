// Budgets: what can be counted, and the most that it may be.

/**
 * What is wrong with these facts, each in one line.
 *
 * @param {Record<string, number>} facts
 * @param {Record<string, { most: number, why: string }>} budgets
 * @param {{ partial?: boolean }} options whether only some of the facts are there
 */
export function compare(facts, budgets, { partial = false } = {}) {
  const wrong = [];
  for (const [name, value] of Object.entries(facts)) {
    const budget = budgets[name];
    if (!budget) wrong.push(`\`${name}\` is ${value} and has no budget; add one to tests/bench/budgets.json`);
    else if (!budget.why) wrong.push(`the budget of \`${name}\` has no reason; say why in tests/bench/budgets.json`);
    else if (!(value <= budget.most)) wrong.push(over(name, value, budget.most));
  }
  // What begins with "core: " is counted by `cargo test`.
  const unused = partial ? [] : Object.keys(budgets).filter((it) => !(it in facts) && !it.startsWith("core: "));
  return [...wrong, ...unused.map((it) => `nothing measures \`${it}\`; remove it from tests/bench/budgets.json`)];
}

function over(name, value, most) {
  const more = value - most;
  return `\`${name}\` is ${value}, ${more} over its budget of ${most}; make it less, or raise tests/bench/budgets.json and say why`;
}
