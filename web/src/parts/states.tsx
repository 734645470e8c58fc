/** States without data: loading, code that could not be loaded, nothing found, a problem with its request id; and what keeps a failure within its part. */
import { useQueryClient } from "@tanstack/react-query";
import { Component, type ComponentType, lazy, type ReactNode, Suspense, useEffect, useState } from "react";
import { Problem } from "../api/answer.ts";
import { counted } from "../formats.ts";
import { Button } from "./button.tsx";

/** @param error no answer of the API: a failure of the page itself */
const ownFailure = (error: unknown): string =>
  error instanceof NotLoaded
    ? error.message
    : "This part of the page has failed, perhaps at an answer that it cannot read. Try again; the rest is not affected.";

/** @param props.instead it is shown in place of a whole page, whose heading it has */
export function ProblemNote({ error, retry, instead }: { error: unknown; retry?: () => void; instead?: boolean }) {
  const problem = error instanceof Problem ? error : null;
  const Heading = instead ? "h1" : "h2";
  return (
    <div className="note" role="alert">
      <Heading>{problem?.status === 404 ? "Nobody is here" : "This could not be loaded"}</Heading>
      <p>{problem?.message ?? ownFailure(error)}</p>
      <Hint of={problem} />
      <RequestId of={problem?.requestId} />
      {retry && (problem?.mayPass ?? true) && <Button onClick={retry}>Try again</Button>}
      {retry && problem?.retryAt && <Countdown key={problem.retryAt} to={problem.retryAt} done={retry} />}
    </div>
  );
}

/** The name of a request in the service's log. */
export const RequestId = ({ of }: { of: string | null | undefined }) =>
  of ? (
    <p className="faint">
      Request <code>{of}</code>
    </p>
  ) : null;

/** The seconds until something is done by itself. @param props.to milliseconds since the epoch */
function Countdown({ to, done }: { to: number; done: () => void }) {
  const left = () => Math.max(0, Math.ceil((to - Date.now()) / 1000));
  const [seconds, setSeconds] = useState(left);
  useEffect(() => {
    const timer = setInterval(() => {
      setSeconds(left());
      if (left() > 0) return;
      clearInterval(timer);
      done();
    }, 1_000);
    return () => clearInterval(timer);
  }, [to]);
  return (
    <p className="faint" aria-live="off">
      It is asked for again in {counted(seconds, "second", "seconds")}.
    </p>
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
export const ErrorText = ({ words }: { words: string | undefined }) =>
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

/** In place of what a query has not brought yet: why not, and a way to ask again, or lines as high as it. */
export const NotYet = ({ error, refetch, rows }: { error: unknown; refetch: () => unknown; rows: number }) =>
  error ? <ProblemNote error={error} retry={() => void refetch()} /> : <Loading rows={rows} />;

type Module<P> = { default: ComponentType<P> };

/** The code of a part or of an act could not be loaded: there is no connection, or a newer version of the page was deployed. */
export class NotLoaded extends Error {
  /** The next rendering of the part asks for its code again: React keeps a failure. */
  readonly renew: () => void;
  constructor(cause: unknown, renew: () => void = () => {}) {
    super(
      "The code for this could not be loaded. Try again once there is a connection; after a new version of the service, reload the page.",
      { cause },
    );
    this.renew = renew;
  }
}

/** Code that an act needs. @throws NotLoaded in place of the browser's own words */
export const codeFor = <T,>(loading: Promise<T>): Promise<T> =>
  loading.catch((cause: unknown) => {
    throw new NotLoaded(cause);
  });

/** @param begun the first attempt, where it was made before the part is shown */
export function onDemand<P extends object>(
  load: () => Promise<Module<P>>,
  begun?: Promise<Module<P>>,
): ComponentType<P> {
  const attempt = (loading: () => Promise<Module<P>>) =>
    lazy<ComponentType<P>>(async () => {
      try {
        return await loading();
      } catch (cause) {
        throw new NotLoaded(cause, renew);
      }
    });
  const renew = () => {
    Part = attempt(load);
  };
  let Part = attempt(() => begun ?? load());
  return (props) => {
    const Code = Part as ComponentType<P>;
    return <Code {...props} />;
  };
}

export type Failed = { error: unknown; again: () => void };
type Props = {
  /** The part is shown again when this changes. */
  of?: string;
  instead: (failed: Failed) => ReactNode;
  children: ReactNode;
};

/** Keeps a failure within the part it happens in: the rest of the page stands, and the part can be shown again. */
export class Boundary extends Component<Props, { failure: { error: unknown } | null }> {
  override state: { failure: { error: unknown } | null } = { failure: null };
  static getDerivedStateFromError(error: unknown) {
    return { failure: { error } };
  }
  override componentDidCatch(error: unknown) {
    if (error instanceof NotLoaded) error.renew();
  }
  override componentDidUpdate(before: Props) {
    if (before.of !== this.props.of && this.state.failure) this.again();
  }
  again = () => this.setState({ failure: null });
  override render() {
    const { failure } = this.state;
    return failure === null ? this.props.children : this.props.instead({ ...failure, again: this.again });
  }
}

/** Shows a part again with answers of its own: it may have failed at one of those that are kept. */
function useAgain({ error, again }: Failed): () => void {
  const queries = useQueryClient();
  return () => {
    if (error instanceof NotLoaded) return again();
    queries.removeQueries({ type: "inactive" });
    // One that is refused now keeps the answer before it, which may be what could not be shown.
    const forget = () => queries.resetQueries({ predicate: ({ state }) => state.status === "error" });
    void queries.invalidateQueries().then(forget).then(again);
  };
}

/** @param props.instead it is shown in place of a whole page, whose heading it has */
export const FailureNote = ({ instead = false, ...failed }: Failed & { instead?: boolean }) => (
  <ProblemNote error={failed.error} retry={useAgain(failed)} instead={instead} />
);

/** A part of a page whose failure is shown in its place. */
export const Part = ({ children }: { children: ReactNode }) => (
  <Boundary instead={(failed) => <FailureNote {...failed} />}>{children}</Boundary>
);

type OnDemand<P> = {
  /** Shown while its code comes. */
  waiting?: ReactNode;
  /** Shown where it does not come, or fails. */
  instead?: (failed: Failed, props: P) => ReactNode;
};

/** A part of a page whose code comes when it is first shown, and whose failure stays in its place. */
export function partOnDemand<P extends object>(
  load: () => Promise<Module<P>>,
  { waiting, instead = (failed) => <FailureNote {...failed} /> }: OnDemand<P> = {},
): ComponentType<P> {
  const Code = onDemand(load);
  return (props) => (
    <Boundary instead={(failed) => instead(failed, props)}>
      <Suspense fallback={waiting}>
        <Code {...props} />
      </Suspense>
    </Boundary>
  );
}
