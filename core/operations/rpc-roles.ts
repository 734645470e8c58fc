/** The roles of JSON-RPC nodes, and how an entry of RPC_URL or RPC_URLS names them. */

/**
 * `logs`: eth_getLogs over a range of blocks. `archive`: state at a block's number or hash, which nodes without an archive
 * do not keep. `head`: every other request.
 */
export const RPC_ROLES = ["head", "logs", "archive"] as const;
export type RpcRole = (typeof RPC_ROLES)[number];
export type RpcNode = { url: string; roles: readonly RpcRole[] };

/**
 * Reads an entry such as `https://node/key#logs+archive`. A fragment is never sent to a server (RFC 3986 section 3.5);
 * without one a node has every role.
 * @returns null when the fragment names something else
 */
export function readRpcNode(entry: string): RpcNode | null {
  const hash = entry.indexOf("#");
  if (hash === -1) return { url: entry, roles: RPC_ROLES };
  const named = entry.slice(hash + 1).split("+");
  const roles = RPC_ROLES.filter((role) => named.includes(role));
  return roles.length === named.length ? { url: entry.slice(0, hash), roles } : null;
}
