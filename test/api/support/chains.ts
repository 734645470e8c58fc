/** Chains and databases of API tests that are only as good as a test wants them. */
import { onTestFinished } from "vitest";
import type { Chain } from "../../../clients/ports.ts";
import { stubChain } from "../../../harness/stub-chain.ts";
import { type TcpProxy, tcpProxy } from "../../../harness/tcp-proxy.ts";

/** A chain on which the contract is there and every wallet is an account. */
export const chainOfAccounts = (traitPrice = 0n): Chain =>
  stubChain({
    isDeployed: async () => true,
    mintPrice: async () => 0n,
    traitPrice: async () => traitPrice,
    verifySignature: async () => false,
    code: async () => "0x",
  });

/** A way to a database through a line that can be cut, until the test has ended. */
export async function throughProxy(databaseUrl: string): Promise<{ line: TcpProxy; url: string }> {
  const url = new URL(databaseUrl);
  const line = await tcpProxy({ host: url.hostname, port: Number(url.port) });
  onTestFinished(() => line.close());
  url.port = String(line.port);
  url.hostname = "127.0.0.1";
  return { line, url: url.href };
}
