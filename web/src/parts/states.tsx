/** States without data: loading, nothing found, a problem with its request id. */

import type { ReactNode } from "react";
import { Problem } from "../api/answer.ts";
import { Say, say } from "../say.tsx";

export function ProblemNote({ error, retry }: { error: unknown; retry?: () => void }) {
  const problem = error instanceof Problem ? error : null;
  return (
    <div className="note" role="alert">
      <h2>{problem?.status === 404 ? say("parts.nobodyIsHere") : say("parts.thisCouldNotBeLoaded")}</h2>
      <p>{problem?.message ?? say("parts.somethingWentWrongInThis")}</p>
      <Hint of={problem} />
      {problem?.requestId && (
        <p className="faint">
          <Say k="operation.request" requestId={problem.requestId} id={(text) => <code>{text}</code>} />
        </p>
      )}
      {retry && (
        <button type="button" className="button" onClick={retry}>
          {say("parts.tryAgain")}
        </button>
      )}
    </div>
  );
}

/** The service's advice; none where it names a method and a path, which is for programs. */
export const hintOf = (problem: Problem): string | null => {
  const { hint } = problem.body;
  return hint && !/\b(GET|POST|PUT|PATCH|DELETE) \//.test(hint) ? hint : null;
};

export function Hint({ of }: { of: Problem | null }) {
  const hint = of && hintOf(of);
  return hint ? <p className="muted">{hint}</p> : null;
}

/** What went wrong with the last click, read out; nothing while there is nothing. */
export const Trouble = ({ words }: { words: string | undefined }) =>
  words ? (
    <p className="warn-text" role="alert">
      {words}
    </p>
  ) : null;

export const Empty = ({ title, children }: { title: string; children?: ReactNode }) => (
  <div className="note">
    <h2>{title}</h2>
    {children}
  </div>
);

export const Loading = ({ rows = 6 }: { rows?: number }) => (
  <div className="skeletons" aria-busy="true">
    <span className="unseen" role="status">
      {say("parts.loading")}
    </span>
    {Array.from({ length: rows }, (_, i) => (
      <div key={i} className="skeleton" />
    ))}
  </div>
);
