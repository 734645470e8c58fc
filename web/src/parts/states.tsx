/** States without data: loading, nothing found, a problem with its request id. */
import type { ReactNode } from "react";
import { Problem } from "../api/answer.ts";

export function ProblemNote({ error, retry }: { error: unknown; retry?: () => void }) {
  const problem = error instanceof Problem ? error : null;
  return (
    <div className="note" role="alert">
      <h2>{problem?.status === 404 ? "Nobody is here" : "This could not be loaded"}</h2>
      <p>{problem?.message ?? "Something went wrong in this page."}</p>
      {problem?.body.hint && <p className="muted">{problem.body.hint}</p>}
      {problem?.requestId && (
        <p className="faint">
          Request <code>{problem.requestId}</code>
        </p>
      )}
      {retry && (
        <button type="button" className="button" onClick={retry}>
          Try again
        </button>
      )}
    </div>
  );
}

export const Empty = ({ title, children }: { title: string; children?: ReactNode }) => (
  <div className="note">
    <h2>{title}</h2>
    {children}
  </div>
);

export const Loading = ({ rows = 6 }: { rows?: number }) => (
  <div className="skeletons" aria-busy="true">
    <span className="unseen" role="status">
      Loading
    </span>
    {Array.from({ length: rows }, (_, i) => (
      <div key={i} className="skeleton" />
    ))}
  </div>
);
