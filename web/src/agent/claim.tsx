/** The claim of a token for a foreign agent, with what a claim means before it is made. */
import { useQueryClient } from "@tanstack/react-query";
import type { FormEvent } from "react";
import type { Detail } from "../api/types.ts";
import { Action } from "../parts/button.tsx";
import { faultsIn, TextField } from "../parts/form.tsx";
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

function ClaimForm({ row }: { row: Detail }) {
  const queries = useQueryClient();
  const op = useOperation<ClaimAnswer>({ name: `claim.${row.platform}.${row.agent_id}`, caller: "anyone" });
  const faults = faultsIn(op.state);
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const named = Object.fromEntries(
      ["token_address", "token_symbol", "token_name"]
        .map((key) => [key, String(form.get(key)).trim()])
        .filter(([, value]) => value !== ""),
    );
    await op.run({
      method: "POST",
      path: `/api/terminal/agent/${encodeURIComponent(row.agent_id)}/token?platform=${row.platform}`,
      body: named,
    });
    await queries.invalidateQueries({ predicate: ({ queryKey }) => String(queryKey[0]).startsWith("/api/terminal") });
  };
  return (
    <>
      <form className="form" onSubmit={(event) => void submit(event)}>
        <TextField
          name="token_address"
          label="Token address"
          hint="0x… on an EVM chain, or base58 on Solana"
          {...(faults && { faults })}
        />
        <TextField name="token_symbol" label="Symbol" max={32} optional {...(faults && { faults })} />
        <TextField name="token_name" label="Name" max={64} optional {...(faults && { faults })} />
        <Action type="submit" disabled={op.state.at === "working"}>
          Claim
        </Action>
      </form>
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
