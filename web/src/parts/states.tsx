/** States without data: loading, nothing found, a problem with its request id. */
import type { ReactNode } from "react";
import { Problem } from "../api/answer.ts";
import { Button } from "./button.tsx";

/** Whether the same request may be answered otherwise later. */
const mayChange = (problem: Problem | null): boolean =>
  problem === null || problem.status === 0 || problem.status === 429 || problem.status >= 500;

/** @param props.instead it is shown in place of a whole page, whose heading it has */
export function ProblemNote({ error, retry, instead }: { error: unknown; retry?: () => void; instead?: boolean }) {
  const problem = error instanceof Problem ? error : null;
  const Heading = instead ? "h1" : "h2";
  return (
    <div className="note" role="alert">
      <Heading>{problem?.status === 404 ? "Nobody is here" : "This could not be loaded"}</Heading>
      <p>{problem?.message ?? "Something went wrong in this page."}</p>
      <Hint of={problem} />
      {problem?.requestId && (
        <p className="faint">
          Request <code>{problem.requestId}</code>
        </p>
      )}
      {retry && mayChange(problem) && <Button onClick={retry}>Try again</Button>}
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

/** @param props.instead it is shown in place of a whole page, whose heading it has */
export function Empty({ title, children, instead }: { title: string; children?: ReactNode; instead?: boolean }) {
  const Heading = instead ? "h1" : "h2";
  return (
    <div className="note">
      <Heading>{title}</Heading>
      {children}
    </div>
  );
}

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
