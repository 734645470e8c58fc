/**
 * `npm run bench -- busy [--rounds N] [--short]`: the API of a local stack held to a quarter of a core, beside processes that keep
 * every core busy. 200 reads, 20 messages and 10 equal mints at once, and `/status` meanwhile: all are to be answered,
 * none with 503. Then the database is stopped, which is to be told within two seconds.
 */
import { cpus } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { type AgentWallet, agentWallet } from "../harness/agent-wallet.ts";
import { quantile } from "../harness/figures.ts";
import { burn, holdCpu } from "../harness/held-cpu.ts";
import { jsonRequest } from "../harness/json-request.ts";
import { commandLine as optionsOf, WITH_SHORT } from "../harness/options.ts";
import { commandLine, processesBelow } from "../harness/running-processes.ts";
import { type Stack, withStack } from "../harness/stack.ts";
import { until } from "../harness/until.ts";

const SHARE = 0.25;
const AGENTS = 4;
const READS = 200;
const MESSAGES = 20;
const MINTS = 10;
const TOLD_MS = 2_000;
/** A minute of silence is no answer. */
const ANSWER_MS = 60_000;

type Answer = { what: string; status: number; code: string; ms: number };

/** @param args `--rounds N`: bursts, one after the other (default 3, 1 with `--short`) */
export default async function busy(args: string[]): Promise<void> {
  const { rounds } = optionsOf({ rounds: { absent: 3, short: 1, least: 1 } }, WITH_SHORT, args).numbers;
  await withStack({}, async (stack) => {
    const agents = await register(stack);
    const pid = processesBelow(stack.process.pid!).find((one) => /\bapi\b/.test(commandLine(one)))!;
    const endBurning = burn(cpus().length);
    const held = holdCpu(pid, SHARE);
    console.log(
      `the API (process ${pid}) has ${SHARE} of a core by ${held.by}, beside ${cpus().length} busy processes\n`,
    );
    let failed = 0;
    try {
      for (let round = 0; round < rounds; round++) failed += print(round, await burst(stack, agents));
    } finally {
      held.release();
      endBurning();
    }
    const told = await toldAfterStop(stack);
    console.log(`\nanswers other than 2xx: ${failed}, goal 0: ${failed === 0 ? "met" : "NOT met"}`);
    console.log(
      `a stopped database is told by ${told.status} ${told.code} after ${told.ms.toFixed(0)} ms, goal ${TOLD_MS}: ` +
        (told.status === 503 && told.ms <= TOLD_MS ? "met" : "NOT met"),
    );
  });
}

const hostOf = ({ devnet }: Stack) => new URL(devnet.apiUrl).host;

/** Agents that read and write. */
async function register(stack: Stack): Promise<{ wallet: AgentWallet; tokenId: number }[]> {
  const { apiUrl } = stack.devnet;
  return Promise.all(
    Array.from({ length: AGENTS }, async (_, i) => {
      const wallet = agentWallet({ host: hostOf(stack) });
      const request = jsonRequest("POST", { name: `Busy ${i}` }, { authorization: await wallet.siwa() });
      const response = await fetch(`${apiUrl}/api/v2/mint`, request);
      const { tokenId } = (await response.json()) as { tokenId: number };
      await until("it is indexed", async () => (await fetch(`${apiUrl}/api/v2/agent/${tokenId}`)).ok);
      return { wallet, tokenId };
    }),
  );
}

async function answer(what: string, url: string, init?: RequestInit): Promise<Answer> {
  const asked = performance.now();
  const timed = (status: number, code: string) => ({ what, status, code, ms: performance.now() - asked });
  try {
    const response = await fetch(url, { ...init, signal: AbortSignal.timeout(ANSWER_MS) });
    const text = await response.text();
    return timed(response.status, response.ok ? "" : ((JSON.parse(text) as { code: string }).code ?? ""));
  } catch (error) {
    return timed(0, (error as Error).name);
  }
}

/** Everything at once, and `/status` each second until it is over. */
async function burst(stack: Stack, agents: { wallet: AgentWallet; tokenId: number }[]): Promise<Answer[]> {
  const { apiUrl } = stack.devnet;
  const v2 = `${apiUrl}/api/v2`;
  const reads = Array.from({ length: READS }, (_, i) => {
    const { tokenId } = agents[i % AGENTS]!;
    const paths = [
      `agent/${tokenId}`,
      `agent/${tokenId}/cred`,
      `agents?limit=20&search=busy%20${i}`,
      "leaderboard",
      `discover?q=audit+${i}`,
      "stats",
    ];
    return answer("reads", `${v2}/${paths[i % paths.length]}`);
  });
  const messages = Array.from({ length: MESSAGES }, async (_, i) => {
    const authorization = await agents[i % AGENTS]!.wallet.siwa();
    const request = jsonRequest("POST", { content: `Message ${i} of a busy day` }, { authorization });
    return answer("messages", `${v2}/messages/groups/general/send`, request);
  });
  const newcomer = agentWallet({ host: hostOf(stack) });
  const request = jsonRequest("POST", { name: "Ten times" }, { authorization: await newcomer.siwa() });
  const mints = Array.from({ length: MINTS }, () => answer("equal mints", `${v2}/mint`, request));
  const over = Promise.all([...reads, ...messages, ...mints]);
  let isOver = false;
  void over.then(() => (isOver = true));
  const statuses: Promise<Answer>[] = [];
  while (!isOver) {
    statuses.push(answer("/status", `${v2}/status`));
    await Promise.race([over, sleep(1_000)]);
  }
  return [...(await over), ...(await Promise.all(statuses))];
}

/** @returns answers that are none of success */
function print(round: number, answers: Answer[]): number {
  console.log(`## burst ${round + 1}\n`);
  for (const [what, all] of Map.groupBy(answers, (one) => one.what)) {
    const counts = Map.groupBy(all, ({ status, code }) => `${status} ${code}`.trim());
    const times = all.map(({ ms }) => ms);
    console.log(
      `${what.padEnd(12)} ${[...counts].map(([status, of]) => `${of.length} × ${status}`).join(", ")}; ` +
        `p50 ${quantile(times, 0.5).toFixed(0)} ms, longest ${Math.max(...times).toFixed(0)} ms`,
    );
  }
  return answers.filter(({ status }) => status < 200 || status > 299).length;
}

/** Ends the database's server under the API. @returns the first read after it */
async function toldAfterStop(stack: Stack): Promise<Answer> {
  const server = processesBelow(stack.process.pid!).find((pid) => /bin\/postgres /.test(commandLine(pid)))!;
  process.kill(server, "SIGQUIT");
  await until("it has ended", () => !processesBelow(stack.process.pid!).includes(server));
  return answer("read", `${stack.devnet.apiUrl}/api/v2/leaderboard`);
}
