/** One proof in the section of proofs: its state at the top, its form below. */
import type { ReactNode } from "react";
import { Icon } from "../parts/icon.tsx";

type PartProps = {
  /** The last part of its operation's path: links from the open points name it. */
  id: string;
  title: string;
  letter: string;
  /** A stale one still counts; a lapsed one does not. */
  state: "proven" | "stale" | "lapsed" | "open";
  /** One line under the title. */
  about: ReactNode;
  children?: ReactNode;
};

/** Who may prove, in words. */
export const CONTROLLERS = "the agent's wallet or the owner of its token";

const STATES = {
  proven: "Verified",
  stale: "Not checked of late",
  lapsed: "Lapsed",
  open: "Not proven",
} as const;

export const ProofPart = ({ id, title, letter, state, about, children }: PartProps) => (
  <section className="panel proof-part" id={id} data-state={state}>
    <header className="proof-head">
      <span className="proof-mark" aria-hidden="true">
        {state === "proven" || state === "stale" ? <Icon name="check" /> : letter}
      </span>
      <div>
        <h2 tabIndex={-1}>{title}</h2>
        <p className="muted">{about}</p>
      </div>
      <span className="tag" data-state={state}>
        {STATES[state]}
      </span>
    </header>
    {children}
  </section>
);
