/** Addresses of files, which the gateway loads from hosts that its operator lists. */
import { type Issue, isMediagateError } from "mediagate";
import { describeAddress } from "mediagate/words";
import { type Address, isAddress, webUrl } from "../results/reference";
import type { Values } from "../storage";

/** Parses the address of a file; returns `undefined` for any other text. */
export function addressIn(text: string | undefined): Address | undefined {
  const url = webUrl(text?.trim());
  if (!url || /\s/.test(url) || !URL.canParse(url)) return undefined;
  const { host, pathname } = new URL(url);
  const file = pathname.split("/").at(-1);
  return { url, name: file || host };
}

/** Returns the issue of the address that was not loaded; `undefined` for another failure. */
export function issueOfAddress(
  failure: unknown,
  values: Values,
): Issue | undefined {
  if (!isMediagateError(failure)) return undefined;
  const { reason = "", message } = failure;
  // The client begins the message with the path of the address.
  const [, path = "", name = "", index = "0"] =
    /^((\w+)(?:\[(\d+)\])?): /.exec(message) ?? [];
  const isOfAddress = isAddress([values[name]].flat()[Number(index)]);
  const text = isOfAddress ? describeAddress(reason) : undefined;
  return text === undefined
    ? undefined
    : { path, reason: "malformed", message: text, severity: "error" };
}
