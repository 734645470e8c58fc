/** The type of Ponder's requests as they pass the preloaded modules. */

/** One JSON-RPC request. @throws RpcRequestError (clients/rpc/errors.ts) the nodes' own answer, Failure no usable one */
export type Ask = (method: string, params: readonly unknown[]) => Promise<unknown>;
