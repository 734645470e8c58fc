/** The claim of a token for a foreign agent, with what a claim means before it is made. */
import { useQueryClient } from "@tanstack/react-query";
import type { Detail } from "../api/types.ts";
import { bodyOf, Form, type FormText } from "../parts/form.tsx";
import { Panel } from "../parts/panel.tsx";
import { OperationSteps, useOperation } from "../wallet/operation.tsx";

type ClaimAnswer = { success: true; updated: number };

/** Shown where neither registry nor owner names a token: a claim never replaces such a token. */
export function Claim({ row }: { row: Detail }) {
  if (row.token_source !== null && row.token_source !== "claimed") return null;
  return (
    <Panel title="Its token">
      <p className="muted">
        No registry names a token of this agent. Anybody may claim one: it is shown as claimed, counts in no order, and
        gives way to what the agent's registry or owner says.
      </p>
      {row.token_source === "claimed" && (
        <p className="muted">
          <bdi>Claimed now: {row.token_symbol ?? row.token_name ?? row.token_address ?? ""}</bdi>
        </p>
      )}
      <details>
        <summary>Claim a token</summary>
        <ClaimForm row={row} />
      </details>
    </Panel>
  );
}

const FIELDS = [
  { name: "token_address", label: "Token address", hint: "0x… on an EVM chain, or base58 on Solana" },
  { name: "token_symbol", label: "Symbol", max: 32, optional: true },
  { name: "token_name", label: "Name", max: 64, optional: true },
];

function ClaimForm({ row }: { row: Detail }) {
  const queries = useQueryClient();
  const op = useOperation<ClaimAnswer>({ name: `claim.${row.platform}.${row.agent_id}`, caller: "anyone" });
  const path = `/api/terminal/agent/${encodeURIComponent(row.agent_id)}/token?platform=${row.platform}`;
  const submit = async (text: FormText) => {
    await op.run({ method: "POST", path, body: bodyOf(FIELDS, text) });
    await queries.invalidateQueries({ predicate: ({ queryKey }) => String(queryKey[0]).startsWith("/api/terminal") });
  };
  return (
    <>
      <Form fields={FIELDS} faults={op.faults} submit={submit} does="Claim" weak busy={op.busy} />
      <OperationSteps
        op={op}
        done={() => (
          <p className="muted" role="status">
            The claim is stored, and shown as claimed.
          </p>
        )}
      />
    </>
  );
}
