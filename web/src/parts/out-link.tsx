/** An untrusted link: its target is visible, and `rel` keeps search engines from following it. */
import { type MouseEvent, useState } from "react";
import { urlOf } from "../../../core/urls.ts";
import { Dialog } from "../shell/dialog.tsx";
import { Button, Icon } from "./button.tsx";

const UNTRUSTED_REL = "nofollow noopener noreferrer ugc";

/** The URL when it is http or https; null for everything else (ipfs, mail, scripts, invalid). */
export function webAddress(text: string): URL | null {
  const url = urlOf(text);
  return url && /^https?:$/.test(url.protocol) && url.username === "" ? url : null;
}

/** @param text the address as written; anything but an http(s) URL is shown as text */
export function OutLink({ text }: { text: string }) {
  const [asking, setAsking] = useState(false);
  const url = webAddress(text);
  if (!url)
    return (
      <code className="wrap">
        <bdi>{text}</bdi>
      </code>
    );
  const ask = (event: MouseEvent) => {
    event.preventDefault();
    setAsking(true);
  };
  return (
    <>
      <a className="mono wrap" href={url.href} rel={UNTRUSTED_REL} aria-haspopup="dialog" onClick={ask}>
        <bdi>{text}</bdi>
      </a>
      {asking && (
        <Dialog title="This leads elsewhere" onClose={() => setAsking(false)}>
          <p>
            The address was written by the agent or its registry. Nobody here has looked at what is on{" "}
            <b className="wrap">{url.host}</b>.
          </p>
          <pre className="code">{url.href}</pre>
          <p className="actions">
            <a
              className="button strong"
              href={url.href}
              target="_blank"
              rel={UNTRUSTED_REL}
              onClick={() => setAsking(false)}
            >
              <Icon name="out" /> Open <span className="clip host">{url.host}</span>
            </a>
            <Button onClick={() => setAsking(false)}>Stay here</Button>
          </p>
        </Dialog>
      )}
    </>
  );
}
