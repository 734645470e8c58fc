/** An honest business in the canonical registry: found by its words, paid and reviewed by customers. Attackers try to take that from it. */
import type { Hex } from "viem";
import { fileUri } from "../../devnet/seed-onchain.ts";
import { done, registered, renaming, reviewing, settling } from "../contract-calls.ts";
import { listen } from "../listen.ts";
import { signAuthorization } from "../payment-signing.ts";
import { pick } from "../random.ts";
import type { Client } from "./client.ts";
import type { World } from "./world.ts";

export type Business = Awaited<ReturnType<typeof openBusiness>>;

/** A host of its own. */
const HOST = "127.0.0.5";
const PRICE_UNITS = 15_000_000n;
const CUSTOMERS = 2;
const DAYS = 90;

const skillOf = (name: string, description: string) => ({ id: "s", name, description, tags: ["customs", "papers"] });
/** What it offers, and what it will offer: paths of its cards. */
const CARDS = {
  "/card.json": skillOf("Check papers", "Returns each missing field with the rule that asks for it"),
  "/next.json": skillOf("Check invoices", "Compares every invoice with its tariff and drafts the answer to the office"),
};
type CardPath = keyof typeof CARDS;

export async function openBusiness(world: World) {
  const random = world.random("business");
  const word = `q${Array.from({ length: 9 }, () => pick(random, [..."bcdfghjklmnprstvwz"])).join("")}`;
  const name = `Harbour ${word}`;
  const text = `Reviews ${word} shipping papers for small exporters before they are sent, and keeps no copy of any paper.`;
  const host = await listen(
    ({ url }, outgoing) => {
      const skill = CARDS[url as CardPath];
      const modes = { defaultInputModes: ["text"], defaultOutputModes: ["text"], capabilities: {} };
      const card = { name, description: "x", version: "1", url: `${host.url}/a2a`, skills: [skill], ...modes };
      outgoing.writeHead(skill ? 200 : 404, { "content-type": "application/json" });
      outgoing.end(JSON.stringify(skill ? card : {}));
    },
    { address: HOST },
  );
  const fileOf = (description: string, path: CardPath) => ({
    ...{ name, description, services: [{ name: "A2A", endpoint: `${host.url}${path}` }] },
  });
  const owner = await world.wallet("business");
  const agentId = await registered(world, owner, fileOf(text, "/card.json"));
  const business = {
    ...{ owner, agentId, word, text, close: host.close },
    /** What the next card will say. */
    next: CARDS["/next.json"],
    /** What customers have paid, in USDC. */
    earned: 0,
    /** Who has reviewed it, lower-case. */
    reviewers: [] as Hex[],
    becomes: (description: string, path: CardPath) =>
      done(world, owner, renaming(agentId, fileUri(fileOf(description, path)))),
    /** Customers pay, each once. */
    async sell(): Promise<void> {
      for (let i = 0; i < CUSTOMERS; i++) {
        const customer = await world.wallet(world.fresh("customer"), PRICE_UNITS);
        const payment = await signAuthorization(customer.account, { to: owner.address, value: PRICE_UNITS });
        await done(world, customer, settling(payment));
        business.earned += Number(PRICE_UNITS) / 1e6;
      }
    },
    async getReviewed(): Promise<void> {
      const reviewer = await world.wallet(world.fresh("reviewer"));
      await done(world, reviewer, reviewing(agentId, 90));
      business.reviewers.push(reviewer.address.toLowerCase() as Hex);
    },
  };
  return business;
}

type Factor = { key: string; value: number };
type Hit = { agent: { platform: string; token_id: string | null }; rank: number; factors: Factor[] };

/** Whether a search for its word finds it by its text, and before all others. @returns what is wrong, a sentence each */
export async function notFound({ agentId, word }: Business, client: Client): Promise<string[]> {
  const { body, status, code } = await client.get(`/api/v2/discover?q=${word}&limit=20`);
  if (status !== 200) return [`the search: ${status} ${code}`];
  const hits = body.hits as Hit[];
  const own = hits.findIndex(({ agent }) => agent.platform === "erc8004" && agent.token_id === String(agentId));
  if (own < 0) return [`a search for its word finds ${hits.length} others, not agent ${agentId}`];
  const text = hits[own]!.factors.find(({ key }) => key === "text")?.value ?? 0;
  return own === 0 && text > 0 ? [] : [`agent ${agentId} is hit ${own + 1} of its word, its text counts ${text}`];
}

async function incomeOf(agentId: bigint, client: Client) {
  const { body } = await client.get(`/api/v2/agent/${agentId}/payments?platform=erc8004&limit=1`);
  const { raw, organic, removed } = body.windows.find(({ days }: { days: number }) => days === DAYS);
  const shown = `raw ${raw.usdc}, organic ${organic.usdc}, removed ${JSON.stringify(removed)}`;
  return { raw: Number(raw.usdc), organic: Number(organic.usdc), shown };
}

/** Whether all that customers paid is organic income. @returns what is wrong, a sentence each */
export async function lostIncome({ agentId, earned }: Business, client: Client): Promise<string[]> {
  const { raw, organic, shown } = await incomeOf(agentId, client);
  return organic >= earned && raw >= earned ? [] : [`agent ${agentId} earned ${earned}: ${shown}`];
}

/** Agents whose own money went round. @returns those whose payments are not read, or count, a sentence each */
export async function madeIncome(agentIds: readonly bigint[], client: Client): Promise<string[]> {
  const incomes = await Promise.all(agentIds.map((agentId) => incomeOf(agentId, client)));
  return incomes.flatMap(({ raw, organic, shown }, i) =>
    raw > 0 && organic === 0 ? [] : [`agent ${agentIds[i]}: ${shown}`],
  );
}

/** Whether each review of a customer has its event. @returns what is wrong, a sentence each */
export async function unheardReviews({ agentId, reviewers }: Business, client: Client): Promise<string[]> {
  const heard = new Set<string>();
  for (let [after, more] = ["", true]; more; ) {
    const { body } = await client.get(`/api/v2/events/log?type=agent.reviewed&limit=1000${after}`);
    for (const { data } of body.events) if (data.agentId === String(agentId)) heard.add(data.client.toLowerCase());
    [after, more] = [`&after=${body.nextAfter}`, body.more];
  }
  return reviewers.filter((one) => !heard.has(one)).map((one) => `no event of the review by ${one}`);
}
