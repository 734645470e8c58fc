/** The API calls of a view as exact curl commands. */
import { Link } from "wouter";
import { Copy } from "../parts/copy.tsx";
import { Dialog } from "./dialog.tsx";

export default function ApiCalls({ paths, close }: { paths: string[]; close: () => void }) {
  const curl = paths.map((path) => `curl '${location.origin}${path.replaceAll("'", "%27")}'`).join("\n");
  return (
    <Dialog title="This view from the API" onClose={close}>
      <pre className="code">{curl}</pre>
      <p className="actions">
        <Copy text={curl} label="Copy curl" />
        <Link href="/docs">Reference</Link>
        <a href="/api/v2/openapi.json">OpenAPI</a>
      </p>
    </Dialog>
  );
}
