// A profile in the format of Chrome's developer tools, which can be opened there, in VS Code and on speedscope.app.

/**
 * The profile of some stacks, each of which stands for the same time.
 *
 * @param {import("./stacks.mjs").Stack[]} stacks
 * @param {number} microseconds that one stack stands for
 */
export function cpuProfile(stacks, microseconds) {
  const root = node(1, { name: "(root)", file: "" });
  const nodes = [root];
  const samples = stacks.map((stack) => {
    let at = root;
    for (const frame of [...stack].reverse()) {
      const key = `${frame.file} ${frame.name}`;
      let child = at.byFrame.get(key);
      if (!child) {
        child = node(nodes.length + 1, frame);
        nodes.push(child);
        at.byFrame.set(key, child);
      }
      at = child;
    }
    return at.id;
  });
  return {
    nodes: nodes.map(({ id, callFrame, byFrame }) => ({
      id,
      callFrame,
      children: [...byFrame.values()].map((it) => it.id),
    })),
    startTime: 0,
    endTime: samples.length * microseconds,
    samples,
    timeDeltas: samples.map(() => microseconds),
  };
}

const node = (id, { name, file }) => ({
  id,
  callFrame: {
    functionName: name,
    scriptId: "0",
    url: file,
    lineNumber: -1,
    columnNumber: -1,
  },
  byFrame: new Map(),
});
