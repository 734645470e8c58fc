/** Asks the API as one of the seeded world's wallets would: signed, and in the open. */
import type { PrivateKeyAccount } from "viem";
import { siwaText } from "../core/callers/signed-texts.ts";

export type Service = {
  apiUrl: string;
  host: string;
  /** Prints a short line for the operator. */
  say(line: string): void;
};

/**
 * Posts a request. A refusal is reported and does not stop the seeding; the world then lacks this part.
 * @param doing word for the action in the report
 * @param key Idempotency-Key, where asking twice must not do it twice
 */
export async function postAs(
  { apiUrl, host, say }: Service,
  account: PrivateKeyAccount,
  doing: string,
  path: string,
  body: object,
  key?: string,
): Promise<void> {
  const timestamp = String(Date.now());
  const signature = await account.signMessage({ message: siwaText(host, account.address, timestamp) });
  const response = await fetch(`${apiUrl}/api/v2/${path}`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      authorization: `Bearer ${account.address}:${timestamp}:${signature}`,
      ...(key !== undefined && { "idempotency-key": key }),
    },
    body: JSON.stringify(body),
  });
  // 202 is good as well: what was asked counts, its transaction is on the way.
  if (!response.ok) say(`${doing} ${path}: ${response.status} ${await response.text()}`);
}
