/** The form in which anybody claims a token for a foreign agent. */
import type { Detail } from "../api/types.ts";
import { bodyOf, fieldsOf } from "../parts/form.tsx";
import { OperationForm, useOperation } from "../wallet/operation.tsx";

const FIELDS = fieldsOf("claim", {
  token_address: { hint: "0x… on an EVM chain, or base58 on Solana" },
  token_symbol: { label: "Symbol" },
  token_name: { label: "Name" },
});

export default function ClaimForm({ row: { platform, agent_id: id } }: { row: Detail }) {
  const op = useOperation<unknown>({ name: `claim.${platform}.${id}`, caller: "anyone", changes: "/api/terminal" });
  const path = `/api/terminal/agent/${encodeURIComponent(id)}/token?platform=${platform}`;
  return (
    <OperationForm
      op={op}
      fields={FIELDS}
      request={(text) => ({ path, body: bodyOf(FIELDS, text) })}
      does="Claim"
      weak
      done={() => (
        <p className="muted" role="status">
          The claim is stored, and shown as claimed.
        </p>
      )}
    />
  );
}
