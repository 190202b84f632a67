/**
 * @typedef {object} Table
 * @property {string} title with the unit
 * @property {string[]} columns
 * @property {Record<string, (number | null)[]>} rows by name
 * @property {{ column: number, to: string }} [ratio] of one column, to one row
 * @property {string[]} [notes]
 */

/**
 * Returns the cells as strings, with the column of the ratio, if there is one. The header is the
 * first row.
 *
 * @param {Pick<Table, "columns" | "rows" | "ratio">} table
 */
export function cells({ columns, rows, ratio }) {
  const head = [
    "",
    ...columns,
    ...(ratio ? [`${columns[ratio.column]} ÷ ${ratio.to}`] : []),
  ];
  const base = ratio && rows[ratio.to]?.[ratio.column];
  const body = Object.entries(rows).map(([name, row]) => [
    name,
    ...columns.map((_, index) => number(row[index])),
    ...(ratio
      ? [
          base && Number.isFinite(row[ratio.column])
            ? (row[ratio.column] / base).toFixed(2)
            : "",
        ]
      : []),
  ]);
  return [head, ...body];
}

/** @param {Table} table */
export function text(table) {
  const all = cells(table);
  const widths = all[0].map((_, column) =>
    Math.max(...all.map((row) => row[column].length)),
  );
  const line = (row) =>
    row
      .map((cell, column) =>
        column === 0 ? cell.padEnd(widths[0]) : cell.padStart(widths[column]),
      )
      .join("  ");
  return [
    table.title,
    ...all.map(line),
    ...(table.notes ?? []).map((note) => `  ${note}`),
    "",
  ].join("\n");
}

/** Formats a number with three significant digits, the precision of one run. Integers are exact. */
function number(value) {
  if (value === null || value === undefined) return "";
  if (Number.isInteger(value)) return value.toLocaleString("en");
  return value >= 100
    ? Math.round(value).toLocaleString("en")
    : String(Number(value.toPrecision(3)));
}
