/** The message above the form that the device is offline, or why the page is not connected. */
import { WifiOff } from "lucide";
import { useRef } from "preact/hooks";
import { type Connection, connection, reconnect } from "../client";
import { HEADING } from "../route";
import { Failure, toShownError } from "./Failure";
import { Icon } from "./Icon";
import { online } from "./online";
import { useFocusAfter } from "./useFocusAfter";

export function Trouble() {
  const state = connection.value;
  if (!online.value) return <Offline />;
  return typeof state === "object" ? <NotConnected {...state} /> : null;
}

function Offline() {
  return (
    <p class="offline">
      <Icon icon={WifiOff} />
      <span>
        <b>You are offline.</b> What you type stays. This page connects by
        itself when you are online again.
      </span>
    </p>
  );
}

function NotConnected({ failure, again }: Exclude<Connection, string>) {
  const element = useRef<HTMLDivElement>(null);
  useFocusAfter(element, () => [document.getElementById(HEADING)]);
  return (
    <div ref={element} class="unconnected">
      <Failure error={toShownError(failure)} />
      <button type="button" aria-disabled={again === true} onClick={reconnect}>
        {again ? "Connecting…" : "Connect again"}
      </button>
    </div>
  );
}
