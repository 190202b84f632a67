// What an app does with the client, written for any of its versions; prints what it saw as one line of JSON.
import { connect } from "mediagate";

const [url, token, savedText] = process.argv.slice(2);
const media = await connect({ url, token });
const seen = savedText ? await restore(JSON.parse(savedText)) : await journey();
console.log(JSON.stringify(seen));

async function journey() {
  const picture = new File([Uint8Array.from(atob(process.env.PICTURE ?? ""), (it) => it.charCodeAt(0))], "a.png", {
    type: "image/png",
  });
  const input = { file_id: picture };
  const options = { idempotencyKey: "once-and-only-once" };
  const task = await media.backgroundRemoval(input, options);
  const again = await media.backgroundRemoval(input, options);
  const states = [];
  for await (const { state, outputs } of task.updates()) states.push([state, outputs.length]);
  const { outputs } = await task.done();
  const result = await fetch(outputs[0].url ?? "");
  return {
    isSame: task.id === again.id,
    last: states.at(-1),
    type: result.headers.get("content-type"),
    saved: task.toJSON(),
    refused: await failure(() => media.textToImageTurbo({ prompt: "p", title: "emulate: code=1401" })),
    unknown: await failure(() => media.textToImageTurbo({ prompt: "p", title: "emulate: reset" })),
    invalid: await failure(() => media.create("text_to_image_turbo", /** @type {any} */ ({ prompt: 7 }))),
    foreign: await failure(() => media.task({ ...task.toJSON(), id: `${task.id}x` }).done()),
  };
}

async function restore(saved) {
  const { state, outputs } = await media.task(saved).done();
  return { state, outputs: outputs.length };
}

async function failure(run) {
  try {
    await run();
    return "none";
  } catch (error) {
    const { code, appCode, status, outcome } = /** @type {import("mediagate").MediagateError} */ (error);
    return { code, appCode, status, outcome };
  }
}
