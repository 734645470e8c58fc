/** Signs each request with the wallet (ERC-8128): the signature is good for that request only, once, for a minute. */
import type { Fetch } from "./retry.ts";
import { addressOf, type Wallet } from "./sign-in.ts";
import type { Time } from "./time.ts";

/** Marks a request for the innermost fetch, which signs each attempt anew; it is never sent. */
export const TO_BE_SIGNED = "x-to-be-signed";
const GOOD_FOR_SECONDS = 60;

/** @param chainId of the service, 8453 on Base */
export function signing(
  fetch: Fetch,
  wallet: Wallet,
  { chainId }: { chainId: number },
  time: Pick<Time, "now">,
): Fetch {
  return async (input, init) => {
    const request = new Request(input, init);
    if (!request.headers.has(TO_BE_SIGNED)) return fetch(request);
    request.headers.delete(TO_BE_SIGNED);
    const body = await request.clone().arrayBuffer();
    if (body.byteLength > 0)
      request.headers.set("content-digest", `sha-256=:${base64(await crypto.subtle.digest("SHA-256", body))}:`);
    const { protocol, host, pathname, search } = new URL(request.url);
    const type = request.headers.get("content-type");
    const covered = Object.entries({
      ...{ "@scheme": protocol.slice(0, -1), "@authority": host, "@method": request.method, "@path": pathname },
      "@query": search || "?",
      ...(body.byteLength > 0 && { "content-digest": request.headers.get("content-digest") }),
      ...(type !== null && { "content-type": type }),
    });
    const created = Math.floor(time.now() / 1000);
    const nonce = base64(crypto.getRandomValues(new Uint8Array(16)).buffer);
    const keyid = `eip155:${chainId}:${addressOf(wallet).toLowerCase()}`;
    const parameters = `(${covered.map(([name]) => `"${name}"`).join(" ")});created=${created};expires=${
      created + GOOD_FOR_SECONDS
    };nonce="${nonce}";keyid="${keyid}";tag="erc8128"`;
    const lines = [...covered, ["@signature-params", parameters]].map(([name, value]) => `"${name}": ${value}`);
    const signature = await wallet.signMessage({ message: lines.join("\n") });
    const bytes = Uint8Array.from(signature.slice(2).match(/../g) ?? [], (byte) => Number.parseInt(byte, 16));
    request.headers.set("signature-input", `wallet=${parameters}`);
    request.headers.set("signature", `wallet=:${base64(bytes.buffer)}:`);
    return fetch(request);
  };
}

const base64 = (bytes: ArrayBuffer) => btoa(String.fromCharCode(...new Uint8Array(bytes)));
