/** Shows the API calls of the view as exact curl commands. */

import { useState } from "react";
import { Link } from "wouter";
import { Copy } from "../parts/copy.tsx";
import { Icon } from "../parts/icon.tsx";
import { say } from "../say.tsx";
import { Dialog } from "./dialog.tsx";

/** @param paths of the calls this view is made of, with their queries */
export function ApiButton({ paths }: { paths: string[] }) {
  const [open, setOpen] = useState(false);
  const curl = paths.map((path) => `curl '${location.origin}${path.replaceAll("'", "%27")}'`).join("\n");
  return (
    <>
      <button type="button" className="button" aria-haspopup="dialog" onClick={() => setOpen(true)}>
        <Icon name="code" /> {say("shell.api")}
      </button>
      {open && (
        <Dialog title={say("shell.thisViewFromTheApi")} onClose={() => setOpen(false)}>
          <pre className="code">{curl}</pre>
          <p className="actions">
            <Copy text={curl} label={say("shell.copyCurl")} />
            <Link href="/docs">{say("shell.reference")}</Link>
            <a href="/api/v2/openapi.json">{say("shell.openapi")}</a>
          </p>
        </Dialog>
      )}
    </>
  );
}
