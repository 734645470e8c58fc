/** What came of a write about an agent: done, or waiting for the chain. */
import type { ReactNode } from "react";
import type { PendingWrite } from "../api/types.ts";
import { Action } from "../parts/button.tsx";
import { Icon } from "../parts/icon.tsx";

export const isPending = (answer: object): answer is PendingWrite => "status" in answer && answer.status === "pending";

export const Done = ({ children }: { children: ReactNode }) => (
  <p className="outcome" role="status">
    <Icon name="check" /> <span>{children}</span>
  </p>
);

/** The chain is slow; the same request, sent again, has the outcome. */
export const Pending = ({ answer, again }: { answer: PendingWrite; again: () => void }) => (
  <div className="note-line" role="status">
    <p>{answer.message}</p>
    <Action onClick={again}>Look again</Action>
  </div>
);
