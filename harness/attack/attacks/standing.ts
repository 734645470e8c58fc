/** Attacks on what is said of an agent: a token that is another's, a signed line taken on its way, a host that is reached by way of others. */
import { setTimeout as wait } from "node:timers/promises";
import { toHex } from "viem";
import { contentDigest, humanUpdateText } from "../../../core/callers/signed-texts.ts";
import { registering } from "../../../devnet/seed-onchain.ts";
import { listen } from "../../listen.ts";
import { pick } from "../../random.ts";
import { type Attack, attacksOf, count } from "../attack.ts";
import { ownToken } from "./data.ts";

/** A large market: a list that counts it puts it first. */
const FAMOUS = { symbol: "FAMOUS", name: "Famous", marketCap: 1e12, volume24h: 1e9, liquidityUsd: 1e8 };
const SHOWN_MS = 30_000;
const EVERY_MS = 500;

const DETOURS = 8;
const FILES_EACH = 12;
/** Requests that one host may get in three seconds: 20 at once and 5 a second. */
const BEARABLE = { ms: 3_000, requests: 40 };

export const STANDING: readonly Attack[] = [
  ...attacksOf(22, "both", {
    async "an agent links a famous token that another wallet has deployed, and another is claimed to have it"(scene) {
      const { world, honest, random, tell, client } = scene;
      const agent = await ownToken(scene);
      const maker = await world.wallet(world.fresh("maker of a famous token"));
      const token = await world.deploy(maker, "HostileToken", [toHex(FAMOUS.symbol)]);
      if (!token) return tell.refused();
      await world.registries.market(token.toLowerCase(), FAMOUS);
      const one = client();
      const trusted = pick(random, honest.agents);
      const replies = [
        await one.post(`/api/v2/agent/${agent.tokenId}/link-token`, {
          ...{ wallet: agent.owner, body: { contractAddress: token, chain: "base", symbol: FAMOUS.symbol } },
        }),
        await one.post(`/api/terminal/agent/${trusted.wallet.address}/token`, {
          body: { token_address: token, token_symbol: FAMOUS.symbol },
        }),
      ];
      count(tell, replies);
      if (replies.every(({ status }) => status >= 400)) return;
      for (let waited = 0; waited < SHOWN_MS; waited += EVERY_MS) {
        for (const ref of [agent.tokenId, trusted.tokenId]) {
          const { body } = await one.get(`/api/terminal/agent/${ref}`);
          if (body.token_address === token.toLowerCase() && body.counts)
            return tell.succeeded(`the token of ${maker.address} counts for agent ${ref}`);
        }
        const { body } = await one.get("/api/terminal/agents?sort=market_cap&limit=1");
        if (body.agents?.[0]?.token_address === token.toLowerCase())
          return tell.succeeded(`the token of ${maker.address} leads the directory`);
        await wait(EVERY_MS);
      }
    },
  }),
  ...attacksOf(26, "both", {
    async "an owner's signed line is taken on its way and sent with another change, or made for another host"(scene) {
      const { world, tell, client } = scene;
      const { owner, tokenId } = await ownToken(scene);
      const change = { narrative: { mission: "What the owner signed" } };
      const lineFor = async (host: string) => {
        const content = { host, digest: contentDigest(change) };
        const message = humanUpdateText("Helixa", String(tokenId), Date.now(), content);
        return { message, signature: await owner.account.signMessage({ message }) };
      };
      const send = (body: object) => client().post(`/api/v2/agent/${tokenId}/human-update`, { body });
      const taken = await lineFor(world.host);
      const replies = [
        await send({ ...taken, narrative: { mission: "What a stranger wrote" } }),
        await send({ ...taken, ...change, skills: ["theft"] }),
        await send({ ...(await lineFor("elsewhere.example")), ...change }),
      ];
      count(tell, replies);
      if (replies.some(({ status }) => status === 200)) tell.succeeded(`agent ${tokenId} was changed by a stranger`);
    },
  }),
  ...attacksOf(24, "both", {
    async "files of many agents on own hosts, all of which redirect to one victim"({ world, tell }) {
      const arrivals: number[] = [];
      const victim = await listen(
        (_, outgoing) => {
          arrivals.push(performance.now());
          outgoing.end("{}");
        },
        { address: "127.0.0.4" },
      );
      const hosts = await Promise.all(
        Array.from({ length: DETOURS }, (_, n) =>
          listen(({ url }, outgoing) => outgoing.writeHead(302, { location: `${victim.url}${url}` }).end(), {
            address: `127.0.1.${n + 1}`,
          }),
        ),
      );
      try {
        const owner = await world.wallet(world.fresh("maker of detours"));
        for (const [n, { url }] of hosts.entries())
          for (let file = 0; file < FILES_EACH; file++)
            await world.push(owner, { ...registering(`${url}/${n}-${file}.json`), gas: 1_000_000n });
        await wait(SHOWN_MS);
        const worst = arrivals.map((at) => arrivals.filter((other) => other >= at && other < at + BEARABLE.ms).length);
        const most = Math.max(0, ...worst);
        if (most > BEARABLE.requests) tell.succeeded(`${most} requests at the victim within ${BEARABLE.ms} ms`);
        tell.harmless(hosts.length);
      } finally {
        for (const host of [victim, ...hosts]) host.close();
      }
    },
  }),
];
