/** What a task produced, shown in place by its kind. */
import { Copy, ExternalLink } from "lucide";
import type { Output } from "mediagate";
import { useState } from "preact/hooks";
import { Icon } from "../parts/Icon";

export function Result({ output, title }: { output: Output; title: string }) {
  const url = safe(output.url);
  return (
    <div class="result" data-kind={output.kind}>
      {url && <Player url={url} kind={output.kind} title={title} />}
      {url && (
        <a class="open" href={url} target="_blank" rel="noopener noreferrer">
          <Icon of={ExternalLink} size={14} /> Open {output.kind === "pdf" ? "PDF" : (output.kind ?? "result")}
        </a>
      )}
      {output.asset_id && <AssetId id={output.asset_id} />}
    </div>
  );
}

function Player({ url, kind, title }: { url: string; kind: Output["kind"]; title: string }) {
  const [broken, setBroken] = useState(false);
  const onError = () => setBroken(true);
  if (broken) return <p class="broken">The result could not be loaded; its address may have expired.</p>;
  if (kind === "image") return <img src={url} alt={`Result of ${title}`} loading="lazy" onError={onError} />;
  if (kind === "video") return <video src={url} controls muted loop playsInline preload="metadata" onError={onError} />;
  if (kind === "audio") return <audio src={url} controls preload="metadata" onError={onError} />;
  // Where the browser has no viewer, an embedded document would only start a download.
  if (kind === "pdf" && navigator.pdfViewerEnabled) return <iframe src={url} title={`Result of ${title}`} loading="lazy" />;
  return null;
}

function AssetId({ id }: { id: string }) {
  const [copied, setCopied] = useState(false);
  const copy = () => void navigator.clipboard.writeText(id).then(() => setCopied(true));
  return (
    <p class="asset">
      <code>{id}</code>
      <button type="button" class="quiet" onClick={copy}>
        <Icon of={Copy} size={14} /> {copied ? "Copied" : "Copy asset id"}
      </button>
    </p>
  );
}

/** Only what is fetched over HTTP: the address comes from elsewhere. */
function safe(url: string | null | undefined): string | undefined {
  return url && /^https?:\/\//i.test(url) ? url : undefined;
}
