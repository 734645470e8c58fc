/** A part of an agent's page: a panel with a place of its own, folded on a phone under its title and what it holds in short. */
import { type ReactNode, useEffect, useRef, useState } from "react";
import { useMedia } from "../media.ts";
import { Panel } from "../parts/panel.tsx";
import { Part } from "../parts/states.tsx";

/** Paper has no folds. */
const PHONE = "screen and (max-width: 760px)";

type Props = {
  /** The fragment that leads to it. */
  id: string;
  title: string;
  /** What it holds, in a few words, shown while it is folded. */
  brief?: ReactNode;
  /** It is not folded on a phone. */
  open?: boolean;
  children: ReactNode;
};

/** The answer that a page shows, as it came. */
export const RawJson = ({ of }: { of: object }) => (
  <section className="panel">
    <details>
      <summary>Raw JSON</summary>
      <pre className="code">{JSON.stringify(of, null, 2)}</pre>
    </details>
  </section>
);

export function AgentPanel({ id, title, brief, open = false, children }: Props) {
  const isFolded = useMedia(PHONE) && !open;
  const place = useRef<HTMLDivElement>(null);
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    const follow = () => {
      if (location.hash !== `#${id}`) return;
      setOpen(true);
      place.current?.scrollIntoView();
    };
    follow();
    window.addEventListener("hashchange", follow);
    return () => window.removeEventListener("hashchange", follow);
  }, [id]);
  return (
    <div id={id} ref={place} className="agent-part">
      {isFolded ? (
        <details className="panel fold" open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
          <summary>
            <h2>{title}</h2>
            {brief && <span className="muted">{brief}</span>}
          </summary>
          {isOpen && <Part>{children}</Part>}
        </details>
      ) : (
        <Panel title={title}>{children}</Panel>
      )}
    </div>
  );
}
