/** Why a proof was not recorded, in words for its owner: what was looked for, what stood there, and what to do. */
import type { ReactNode } from "react";
import { Link } from "wouter";
import { Problem } from "../api/answer.ts";
import { duration } from "../formats.ts";
import { Hint } from "../parts/states.tsx";
import { Say, say } from "../say.tsx";
import { Note, Refused } from "../wallet/operation.tsx";

export function ProofRefusal({ problem, label }: { problem: unknown; label: string }) {
  if (!(problem instanceof Problem)) return <Refused problem={problem} />;
  const { code, body } = problem;
  if (code === "proof_missing")
    return (
      <Explained problem={problem} title={say("prove.missing", { label })}>
        <dl className="found">
          {typeof body.expected === "string" && (
            <div>
              <dt>{say("prove.expected")}</dt>
              <dd>
                <code>{body.expected}</code>
              </dd>
            </div>
          )}
          {typeof body.found === "string" && (
            <div>
              <dt>{say("prove.found")}</dt>
              <dd>
                <bdi>{body.found}</bdi>
              </dd>
            </div>
          )}
        </dl>
      </Explained>
    );
  if (code === "conflict" && typeof body.provesTokenId === "number") {
    const other = body.provesTokenId;
    return (
      <Explained problem={problem} title={say("prove.taken")}>
        <p>
          <Say k="prove.takenBy" id={String(other)} agent={(text) => <Link href={`/agent/${other}`}>{text}</Link>} />
        </p>
      </Explained>
    );
  }
  if (code === "rate_limited") return <Explained problem={problem} title={say("prove.tooOften")} />;
  if (code === "upstream_unavailable") return <Explained problem={problem} title={say("prove.away", { label })} />;
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
      {seconds > 0 && <p className="muted">{say("prove.retry", { time: duration(seconds) })}</p>}
    </Note>
  );
}
