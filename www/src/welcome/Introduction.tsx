/** For a first visit: what this page is, and what is behind it. */
import { X } from "lucide";
import { Icon } from "../parts/Icon";
import { dismissIntroduction, INTRODUCTION, introduction } from "./shown";

export function Introduction() {
  if (!introduction.value) return null;
  return (
    <aside class="card welcome" aria-labelledby={INTRODUCTION}>
      <header>
        <h2 id={INTRODUCTION} tabIndex={-1}>
          Try what Mediagate can do
        </h2>
        <button
          type="button"
          class="quiet square"
          aria-label="Hide the introduction"
          onClick={dismissIntroduction}
        >
          <Icon of={X} />
        </button>
      </header>
      <p>
        Make videos and pictures, or change videos, pictures, sounds and PDFs.
        Choose a capability, fill in its form and run it. The result appears in
        the list of tasks. You need no account.
      </p>
      <details>
        <summary>How this page works</summary>
        <dl>
          <dt>The gateway</dt>
          <dd>
            It passes your requests on to a media service, whose API key never
            leaves the gateway. The key is not in this page.
          </dd>
          <dt>The session</dt>
          <dd>
            This page has a session token: a pass that the gateway hands out to
            anyone who tries it. In your own app, your backend signs a token for
            each of your users.
          </dd>
          <dt>Your files</dt>
          <dd>
            They stay in this browser until you run a form. Then the media
            service gets them.
          </dd>
          <dt>For developers</dt>
          <dd>
            “Show the code” in each form, the README of the npm package{" "}
            <code>mediagate</code>, and{" "}
            <a href="/openapi.json" target="_blank" rel="noopener">
              the gateway’s interface (OpenAPI)
            </a>
            .
          </dd>
        </dl>
      </details>
    </aside>
  );
}
