/** `npm run bench -- latency`: mined → visible in the API, told to a subscriber, and scored, on a whole local stack. */
import { identityAbi } from "../abis/identity.ts";
import { agentWallet, testChain } from "../harness/agent-wallet.ts";
import { startStack } from "../harness/stack.ts";
import { subscribe } from "./events/subscriber.ts";

const quantile = (sorted: number[], q: number) => sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))]!;

/** @param args `--short` for a quick look */
export default async function latency(args: string[]): Promise<void> {
  const rounds = args.includes("--short") ? 5 : 40;
  const blockTime = 1;
  const pollMs = 200;
  const stack = await startStack({ env: { BLOCK_TIME: String(blockTime), POLL_INTERVAL_MS: String(pollMs) } });
  try {
    const { apiUrl, rpcUrl, contracts } = stack.devnet;
    const chain = testChain(rpcUrl);
    const price = await chain.readContract({
      address: contracts.identity!,
      abi: identityAbi,
      functionName: "mintPrice",
    });
    const times: Record<"api" | "event" | "score" | "mint", number[]> = { api: [], event: [], score: [], mint: [] };
    /** When the subscriber was told of each agent, by its wallet. */
    const told = new Map<string, number>();
    const subscriber = await subscribe(`${apiUrl}/api/v2/events?type=agent.registered`, (_id, _name, data) => {
      told.set((JSON.parse(data) as { data: { agentAddress: string } }).data.agentAddress, performance.now());
    });
    for (let round = 0; round < rounds; round++) {
      const wallet = agentWallet({ host: new URL(apiUrl).host });
      const receipt = await wallet.call(
        rpcUrl,
        contracts.identity!,
        "mint",
        [wallet.address, `Round ${round}`, "custom", false],
        price,
      );
      // The receipt is seen at most one poll (20 ms) after mining; the clock starts then.
      const mined = performance.now();
      const seen = async (path: string, ok: (response: Response) => Promise<boolean> | boolean) => {
        while (!(await fetch(apiUrl + path).then(ok))) await new Promise((done) => setTimeout(done, 5));
        return performance.now() - mined;
      };
      times.api.push(await seen(`/api/v2/agent/${wallet.address}`, (response) => response.status === 200));
      const { tokenId } = (await (
        await fetch(`${apiUrl}/api/v2/agent/${wallet.address}?minBlock=${receipt.blockNumber}`)
      ).json()) as {
        tokenId: number;
      };
      times.score.push(
        await seen(`/api/v2/agent/${tokenId}/cred/history`, async (response) => {
          const body = (await response.json()) as { points?: unknown[] };
          return (body.points?.length ?? 0) > 0;
        }),
      );
      while (!told.has(wallet.address)) await new Promise((done) => setTimeout(done, 5));
      times.event.push(told.get(wallet.address)! - mined);
    }
    subscriber.close();
    for (let round = 0; round < rounds; round++) {
      const wallet = agentWallet({ host: new URL(apiUrl).host });
      const authorization = await wallet.siwa();
      const started = performance.now();
      const response = await fetch(`${apiUrl}/api/v2/mint`, {
        method: "POST",
        headers: { "content-type": "application/json", authorization },
        body: JSON.stringify({ name: `Mint ${round}` }),
      });
      if (response.status !== 201) throw new Error(`mint answered ${response.status}`);
      times.mint.push(performance.now() - started);
    }
    console.log(`block time ${blockTime} s, poll ${pollMs} ms, ${rounds} rounds\n`);
    console.log("                           p50      p95      max   (ms)");
    const names = {
      api: "mined → API answers",
      event: "mined → event at SSE",
      score: "mined → score stored",
      mint: "POST /mint → 201",
    };
    for (const [key, name] of Object.entries(names)) {
      const sorted = times[key as keyof typeof times].toSorted((a, b) => a - b);
      const row = [quantile(sorted, 0.5), quantile(sorted, 0.95), sorted.at(-1)!].map((ms) =>
        ms.toFixed(0).padStart(8),
      );
      console.log(`${name.padEnd(22)} ${row.join(" ")}`);
    }
  } finally {
    await stack.remove();
  }
}
