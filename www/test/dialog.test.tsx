// @vitest-environment happy-dom
import { useSignal } from "@preact/signals";
import { render } from "preact";
import { expect, test } from "vitest";
import { Dialog } from "../src/parts/Dialog";
import { soon } from "./soon";

function Question() {
  const isAsking = useSignal(false);
  return (
    <>
      <button type="button" id="ask" onClick={() => (isAsking.value = true)} />
      {isAsking.value && (
        <Dialog heading="Sure?" close={() => (isAsking.value = false)}>
          <p>Sure?</p>
        </Dialog>
      )}
    </>
  );
}

const dialog = () => document.querySelector("dialog");
const ask = () => document.querySelector<HTMLElement>("#ask")?.click();

test("a press right after Escape opens the dialog again", async () => {
  render(<Question />, document.body);
  ask();
  await soon(() => expect(dialog()).not.toBeNull());
  const first = dialog();
  const cancel = new Event("cancel", { cancelable: true });
  first?.dispatchEvent(cancel);
  expect(cancel.defaultPrevented).toBe(true);
  await soon(() => expect(dialog()).toBeNull());
  ask();
  // A browser sends it later.
  first?.dispatchEvent(new Event("close"));
  await soon(() => expect(dialog()).not.toBeNull());
  dialog()?.dispatchEvent(new Event("close"));
  await soon(() => expect(dialog()).toBeNull());
});
