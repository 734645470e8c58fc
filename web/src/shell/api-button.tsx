/** Shows the API calls of the view as exact curl commands. */

import { useState } from "react";
import { Link } from "wouter";
import { Copy } from "../parts/copy.tsx";
import { Icon } from "../parts/icon.tsx";
import { Dialog } from "./dialog.tsx";

/** @param paths of the calls this view is made of, with their queries */
export function ApiButton({ paths }: { paths: string[] }) {
  const [open, setOpen] = useState(false);
  const curl = paths.map((path) => `curl '${location.origin}${path.replaceAll("'", "%27")}'`).join("\n");
  return (
    <>
      <button type="button" className="button" aria-haspopup="dialog" onClick={() => setOpen(true)}>
        <Icon name="code" /> API
      </button>
      {open && (
        <Dialog title="This view from the API" onClose={() => setOpen(false)}>
          <pre className="code">{curl}</pre>
          <p className="actions">
            <Copy text={curl} label="Copy curl" />
            <Link href="/docs">Reference</Link>
            <a href="/api/v2/openapi.json">OpenAPI</a>
          </p>
        </Dialog>
      )}
    </>
  );
}
