/** Sends what a wallet signs in for or pays, step by step as the pages of the terminal do. */
import type { Operation } from "../../../core/described-operations.ts";
import { type SampleRequest, targetOf } from "../../../core/request-samples.ts";
import { Problem } from "../api/answer.ts";
import { Action } from "../parts/button.tsx";
import type { CallerRule } from "../wallet/credentials.ts";
import { NeedsWallet } from "../wallet/needs-wallet.tsx";
import { Note, OperationSteps, useOperation } from "../wallet/operation.tsx";
import type { Request } from "../wallet/operation-store.ts";

const callerOf = ({ signsIn, schemes }: Operation): CallerRule =>
  !signsIn ? "anyone" : schemes.has("siwe") ? "human" : "siwa";

type Props = { operation: Operation; request: SampleRequest; fault: string | null };

export function SignedSend({ operation, request, fault }: Props) {
  const { method, body } = request;
  const op = useOperation<unknown>({ name: `docs.${operation.id}`, caller: callerOf(operation) });
  const send = () =>
    void op.run({
      method: method.toUpperCase() as Request["method"],
      path: targetOf(request),
      ...(body !== undefined && { body: JSON.parse(body) as unknown }),
    });
  return (
    <NeedsWallet>
      <p className="muted">This is the service itself: what is sent here is done.</p>
      <Action strong disabled={fault !== null || op.state.at === "working"} onClick={send}>
        {operation.signsIn ? "Sign in and send" : "Send"}
      </Action>
      <OperationSteps op={op} done={(answer) => <Body title="Answer" value={answer} />} refused={refusedAs} />
    </NeedsWallet>
  );
}

/** A refusal with its whole body, as programs get it. */
const refusedAs = (problem: unknown) =>
  problem instanceof Problem && problem.status > 0 ? (
    <Note title={`Refused with ${problem.status}`}>
      <p>{problem.message}</p>
      <pre className="code docs-body">{JSON.stringify(problem.body, null, 2)}</pre>
      {problem.requestId && (
        <p className="faint">
          Request <code>{problem.requestId}</code>
        </p>
      )}
    </Note>
  ) : null;

const Body = ({ title, value }: { title: string; value: unknown }) => (
  <Note title={title}>
    <pre className="code docs-body">{JSON.stringify(value, null, 2)}</pre>
  </Note>
);
