/**
 * Compares facts with their budgets. Returns one line per error.
 *
 * @param {Record<string, number>} facts
 * @param {Record<string, { most: number, why?: string }>} budgets
 * @param {{ partial?: boolean }} options `partial` if only some of the facts were measured
 */
export function compare(facts, budgets, { partial = false } = {}) {
  const errors = [];
  for (const [name, value] of Object.entries(facts)) {
    const budget = budgets[name];
    if (!budget)
      errors.push(
        `\`${name}\` is ${value} and has no budget; add one to tests/bench/budgets.json`,
      );
    else if (!budget.why)
      errors.push(
        `the budget of \`${name}\` has no reason; say why in tests/bench/budgets.json`,
      );
    else if (!(value <= budget.most))
      errors.push(over(name, value, budget.most));
  }
  // Budgets that begin with "core: " are checked by `cargo test`.
  const unused = partial
    ? []
    : Object.keys(budgets).filter(
        (fact) => !(fact in facts) && !fact.startsWith("core: "),
      );
  return [
    ...errors,
    ...unused.map(
      (fact) =>
        `nothing measures \`${fact}\`; remove it from tests/bench/budgets.json`,
    ),
  ];
}

function over(name, value, most) {
  const more = value - most;
  return (
    `\`${name}\` is ${value}, ${more} over its budget of ${most}; ` +
    "make it less, or raise tests/bench/budgets.json and say why"
  );
}
