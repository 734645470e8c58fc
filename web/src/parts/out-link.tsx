/** An untrusted link: its target is visible, and `rel` keeps search engines from following it. */

import { type MouseEvent, useState } from "react";
import { urlOf } from "../../../core/urls.ts";
import { Say, say } from "../say.tsx";
import { Dialog } from "../shell/dialog.tsx";
import { Icon } from "./icon.tsx";

const STRANGERS_REL = "nofollow noopener noreferrer ugc";

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
      <a className="mono wrap" href={url.href} rel={STRANGERS_REL} aria-haspopup="dialog" onClick={ask}>
        <bdi>{text}</bdi>
      </a>
      {asking && (
        <Dialog title={say("parts.thisLeadsElsewhere")} onClose={() => setAsking(false)}>
          <p>
            <Say k="parts.strangersAddress" host={url.host} place={(text) => <b className="wrap">{text}</b>} />
          </p>
          <pre className="code">{url.href}</pre>
          <p className="actions">
            <a
              className="button strong"
              href={url.href}
              target="_blank"
              rel={STRANGERS_REL}
              onClick={() => setAsking(false)}
            >
              <Icon name="out" />{" "}
              <Say k="parts.openHost" host={url.host} place={(text) => <span className="clip host">{text}</span>} />
            </a>
            <button type="button" className="button" onClick={() => setAsking(false)}>
              {say("parts.stayHere")}
            </button>
          </p>
        </Dialog>
      )}
    </>
  );
}
