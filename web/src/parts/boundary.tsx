/** Keeps a failure within the part it happens in: the rest of the page stands, and the part can be shown again. */
import { useQueryClient } from "@tanstack/react-query";
import { Component, type ReactNode } from "react";
import { NotLoaded, ProblemNote } from "./states.tsx";

export type Failed = { error: unknown; again: () => void };
type Props = {
  /** The part is shown again when this changes. */
  of?: string;
  instead: (failed: Failed) => ReactNode;
  children: ReactNode;
};

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
