/** Why a proof was not recorded, in words for its owner: what was looked for, what stood there, and what to do. */
import type { ReactNode } from "react";
import { Link } from "wouter";
import { Problem } from "../api/answer.ts";
import { duration } from "../formats.ts";
import { Fact } from "../parts/facts.tsx";
import { Hint } from "../parts/states.tsx";
import { Note, Refused } from "../wallet/operation.tsx";

export function ProofRefusal({ problem, label }: { problem: unknown; label: string }) {
  if (!(problem instanceof Problem)) return <Refused problem={problem} />;
  const { code, body } = problem;
  if (code === "proof_missing")
    return (
      <Explained problem={problem} title={`${label} shows no proof yet`}>
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
      </Explained>
    );
  if (code === "conflict" && typeof body.provesTokenId === "number") {
    const other = body.provesTokenId;
    return (
      <Explained problem={problem} title="This account proves another agent">
        <p>
          It proves <Link href={`/agent/${other}`}>agent {other}</Link>.
        </p>
      </Explained>
    );
  }
  if (code === "rate_limited") return <Explained problem={problem} title="Checked too often" />;
  if (code === "upstream_unavailable") return <Explained problem={problem} title={`${label} cannot be asked now`} />;
  return <Refused problem={problem} />;
}

/** The service's own sentence and hint, with when to ask again. */
function Explained({ problem, title, children }: { problem: Problem; title: string; children?: ReactNode }) {
  const seconds = Number(problem.headers.get("retry-after") ?? problem.body.retryAfter);
  return (
    <Note title={title}>
      <p>{problem.message}</p>
      {children}
      <Hint of={problem} />
      {seconds > 0 && <p className="muted">Try again in {duration(seconds)}.</p>}
    </Note>
  );
}
