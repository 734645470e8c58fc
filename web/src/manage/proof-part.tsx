/** One proof in the section of proofs: its state at the top, its form below, and why it was refused, in words for its owner. */
import type { ReactNode } from "react";
import { Link } from "wouter";
import { Problem } from "../api/answer.ts";
import { agentPath } from "../api/queries.ts";
import type { PendingWrite } from "../api/types.ts";
import { Action, Icon } from "../parts/button.tsx";
import { Fact } from "../parts/panel.tsx";
import { Done, OperationSteps, Refused, type RunningOperation, useOperation } from "../wallet/operation.tsx";

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

/** Why a proof was not recorded: what was looked for, what stood there, and what to do. */
export function ProofRefusal({ problem, label }: { problem: unknown; label: string }) {
  if (!(problem instanceof Problem)) return <Refused problem={problem} />;
  const { code, body } = problem;
  if (code === "proof_missing")
    return (
      <Refused problem={problem} title={`${label} shows no proof yet`}>
        <dl className="found">
          {typeof body.expected === "string" && (
            <Fact label="It should show">
              <code>{body.expected}</code>
            </Fact>
          )}
          {typeof body.found === "string" && (
            <Fact label="It shows">
              <bdi>{body.found}</bdi>
            </Fact>
          )}
        </dl>
      </Refused>
    );
  if (code === "conflict" && typeof body.provesTokenId === "number") {
    const other = body.provesTokenId;
    return (
      <Refused problem={problem} title="This account proves another agent">
        <p>
          It proves <Link href={`/agent/${other}`}>agent {other}</Link>.
        </p>
      </Refused>
    );
  }
  if (code === "rate_limited") return <Refused problem={problem} title="Checked too often" />;
  if (code === "upstream_unavailable") return <Refused problem={problem} title={`${label} cannot be asked now`} />;
  return <Refused problem={problem} />;
}

/** A write about an agent. @param name of the operation; its subject, the agent, is added */
export const useAgentOperation = <T,>(name: string, tokenId: number): RunningOperation<T> =>
  useOperation<T>({ name: `${name}.${tokenId}`, caller: "siwa", changes: agentPath(String(tokenId)) });

const isPending = (answer: object): answer is PendingWrite => "status" in answer && answer.status === "pending";

/** Whether the chain has the proof. */
export const isDone = <T extends object>({ state }: RunningOperation<T | PendingWrite>): boolean =>
  state.at === "done" && !isPending(state.answer);

type StepsProps<T> = {
  op: RunningOperation<T | PendingWrite>;
  /** The chain is slow; the same request, sent again, has the outcome. */
  again: () => void;
  refused?: (problem: unknown) => ReactNode;
  done: (answer: T) => ReactNode;
};

/** The steps of a proof, and what came of it: done, or waiting for the chain. */
export const ProofSteps = <T extends object>({ op, again, refused, done }: StepsProps<T>) => (
  <OperationSteps
    op={op}
    {...(refused && { refused })}
    done={(answer) =>
      isPending(answer) ? (
        <div className="note-line" role="status">
          <p>{answer.message}</p>
          <Action onClick={again}>Look again</Action>
        </div>
      ) : (
        <Done>{done(answer)}</Done>
      )
    }
  />
);
