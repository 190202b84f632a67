// The report as one page, with tables, and with plots by uPlot, which is embedded.
import { readFile } from "node:fs/promises";
import { cells } from "./table.mjs";

const asset = (name) =>
  readFile(
    new URL(`../../../node_modules/uplot/dist/${name}`, import.meta.url),
    "utf8",
  );

const STYLE = `
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; color: #1c1c1c; }
table { border-collapse: collapse; margin: 1rem 0 2rem; }
caption { text-align: left; font-weight: 600; padding-bottom: .3rem; }
th, td { padding: .2rem .9rem .2rem 0; text-align: right; font-variant-numeric: tabular-nums; border-bottom: 1px solid #ddd; white-space: pre; }
th:first-child, td:first-child { text-align: left; }
.note { color: #555; margin-top: -1.5rem; }`;

// Runs in the page: one plot for each entry of PLOTS, with logarithmic axes if `log` is set.
const DRAW = `
const COLORS = ["#0b62d6", "#c2410c", "#15803d", "#7e22ce", "#a16207", "#be123c"];
for (const [index, { title, x, y, log, series }] of PLOTS.entries()) {
  const xs = [...new Set(series.flatMap((it) => it.points.map((point) => point[0])))].sort((a, b) => a - b);
  const ys = series.map((it) => xs.map((at) => it.points.find((point) => point[0] === at)?.[1] ?? null));
  const short = (_, values) => values.map((it) => (it === null ? "" : Intl.NumberFormat("en", { notation: "compact" }).format(it)));
  new uPlot({
    title, width: 720, height: 360,
    scales: { x: { time: false, distr: log ? 3 : 1 }, y: { distr: log ? 3 : 1 } },
    axes: [{ label: x, values: short }, { label: y, values: short, size: 70 }],
    series: [{ label: x }, ...series.map((it, at) => ({ label: it.name, stroke: COLORS[at % COLORS.length], width: 2, points: { show: true }, spanGaps: true }))],
  }, [xs, ...ys], document.getElementById("plot-" + index));
}`;

/** The page. */
export async function page({ machine, date, quick, results }) {
  const plots = Object.values(results).flatMap((it) => it.plots ?? []);
  let index = 0;
  const sections = Object.values(results).map(
    ({ title, tables, plots: own = [] }) => {
      const figures = own.map(() => `<div id="plot-${index++}"></div>`);
      return [
        `<h2>${escapeHtml(title)}</h2>`,
        ...tables.map(table),
        ...figures,
      ].join("\n");
    },
  );
  return `<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Mediagate, measured</title>
<style>${await asset("uPlot.min.css")}${STYLE}</style>
<h1>Mediagate, measured</h1>
<p>${escapeHtml(date)}${quick ? ", a quick run" : ""}. ${escapeHtml(machine)}. The times are from one run: compare rows, not runs.</p>
${sections.join("\n")}
<script>${await asset("uPlot.iife.min.js")}</script>
<script>const PLOTS = ${JSON.stringify(plots).replaceAll("<", "\\u003c")};${DRAW}</script>
</html>`;
}

function table(it) {
  const [head, ...body] = cells(it);
  const row = (values, tag) =>
    `<tr>${values.map((value) => `<${tag}>${escapeHtml(value)}</${tag}>`).join("")}</tr>`;
  const notes = (it.notes ?? [])
    .map((note) => `<p class="note">${escapeHtml(note)}</p>`)
    .join("");
  return `<table><caption>${escapeHtml(it.title)}</caption>${row(head, "th")}${body.map((values) => row(values, "td")).join("")}</table>${notes}`;
}

const escapeHtml = (value) =>
  value.replace(/[&<>"]/g, (it) => `&#${it.charCodeAt(0)};`);
