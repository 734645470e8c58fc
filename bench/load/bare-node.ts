/** A node on which no wallet is a contract, so that every bad signature ends there. */
import { startNode } from "../reads/servers.ts";

/** @returns `asked` counts how often it was asked whether there is a contract */
export async function startBareNode(): Promise<{ url: string; asked: number; stop(): void }> {
  const state = { asked: 0 };
  const node = await startNode((method) => {
    if (method === "eth_getCode") state.asked++;
    return "0x";
  });
  return Object.assign(state, node);
}
