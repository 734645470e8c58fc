/** `npm run bench -- signatures [--short]`: checking a wallet's credential beside viem's verifyMessage, first seen and repeated, in turns. */
import { verifyMessage } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { signedTexts } from "../api/guards/signed-text.ts";
import { walletGuard } from "../api/guards/wallet.ts";
import { siwaText } from "../core/callers/signed-texts.ts";
import { parseCredential } from "../core/callers/wallet-credential.ts";
import { stubChain } from "../harness/stub-chain.ts";

const HOST = "bench.test";
const SERVICE = { hosts: [HOST], name: "Bench", webUrl: `https://${HOST}`, chainId: 8453 };
const TARGETS = { "a credential seen first": 12, "a repeated credential": 500 };
const REPEATS = 2_000;
/** Rounds that do not count. */
const WARM_UP = 20;
/** Calls of each kind in a round. */
const IN_A_ROW = 10;

/** @param args `--short` for a fifth of the rounds */
export default async function signatures(args: string[]): Promise<void> {
  const rounds = args.includes("--short") ? 20 : 100;
  const now = Date.now();
  const account = privateKeyToAccount(generatePrivateKey());
  const guard = walletGuard(SERVICE, signedTexts(stubChain(), { take: () => undefined }));
  const times: Record<string, number[]> = {};
  /** Microseconds that one `work` takes, of all that are done in a row, kept under its name. */
  const time = async <T>(name: string, items: readonly T[], work: (item: T) => Promise<unknown>) => {
    const began = performance.now();
    for (const item of items) await work(item);
    times[name] ??= [];
    times[name].push(((performance.now() - began) * 1000) / items.length);
  };
  const check = (header: string) =>
    guard.verify(parseCredential(header), ["siwa"], { client: "client", now, attempt: { begin: async () => {} } });
  for (let round = -WARM_UP; round < rounds; round++) {
    if (round === 0) for (const name of Object.keys(times)) times[name] = [];
    const signed = [];
    for (let i = 0; i < IN_A_ROW; i++) {
      const timestamp = String(now - (round + WARM_UP) * IN_A_ROW - i);
      const message = siwaText(HOST, account.address, timestamp);
      signed.push({ timestamp, message, signature: await account.signMessage({ message }) });
    }
    const headers = signed.map((s) => `Bearer ${account.address}:${s.timestamp}:${s.signature}`);
    await time("viem verifyMessage", signed, (s) => verifyMessage({ address: account.address, ...s }));
    await time("a credential seen first", headers, check);
    await time("a repeated credential", Array(REPEATS).fill(headers[0]), check);
  }
  const median = (name: string) => times[name]!.toSorted((a, b) => a - b)[Math.floor(times[name]!.length / 2)]!;
  const reference = median("viem verifyMessage");
  console.log(`${rounds} rounds, each kind in turn; medians`);
  for (const name of Object.keys(times)) {
    const target = TARGETS[name as keyof typeof TARGETS];
    const ratio = reference / median(name);
    const verdict = target === undefined ? "reference" : `${ratio.toFixed(1)} × (target ≥ ${target} ×)`;
    console.log(`${name.padEnd(26)} ${median(name).toFixed(2).padStart(9)} µs  ${verdict}`);
  }
}
