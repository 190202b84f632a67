// The Worker's module. It passes requests and alarms to the wasm. After a panic it replaces the
// wasm's instance, because that instance's memory can't be trusted any more. The build bundles this
// file with `index.js`, which wasm-bindgen makes of the crate.
import { WorkerEntrypoint } from "cloudflare:workers";
import * as wasm from "./index.js";

/** The wasm's state: a panic sets `criticalError`; `instanceId` counts the instances. */
const state = wasm.__worker_init_state();

function replacePanicked() {
  if (!state.criticalError) return;
  console.error("a new instance of the wasm replaces one that has panicked");
  wasm.__wbg_reset_state();
  state.criticalError = false;
  state.instanceId++;
}

export default class extends WorkerEntrypoint {
  /** For a server: see `note_open_objects` of the gateway. */
  static noteOpenObjects(count, askedAt) {
    replacePanicked();
    wasm.noteOpenObjects(count, askedAt);
  }

  fetch(request) {
    replacePanicked();
    return wasm.fetch.call(this, request, this.env, this.ctx);
  }
}

/** A class of Durable Objects, whose objects are made again in each new instance of the wasm. */
const durableObject = (Class) =>
  class {
    #given;
    #object;
    #instanceId;

    constructor(...given) {
      this.#given = given;
    }

    fetch(request) {
      return this.#current().fetch(request);
    }

    alarm() {
      return this.#current().alarm();
    }

    #current() {
      replacePanicked();
      if (this.#instanceId !== state.instanceId) {
        this.#object = new Class(...this.#given);
        this.#instanceId = state.instanceId;
      }
      return this.#object;
    }
  };

export const Durations = durableObject(wasm.Durations);
export const Ledger = durableObject(wasm.Ledger);
export const Pipeline = durableObject(wasm.Pipeline);
export const Transfer = durableObject(wasm.Transfer);
export const Watcher = durableObject(wasm.Watcher);
