/** Ethos: scores of wallets, one or many. A wallet that was not planted is unknown to it. */
import { Hono } from "hono";
import { z } from "zod";
import { control, type MakeSimulator, reply, type SimulatedUpstream } from "./simulator.ts";

const entry = z.object({ score: z.int().min(0).max(2800) });
type Entry = z.output<typeof entry>;

/** Where each level begins, the highest first. */
const LEVELS: readonly [from: number, level: string][] = [
  [2600, "renowned"],
  [2000, "exemplary"],
  [1600, "reputable"],
  [1400, "established"],
  [1200, "neutral"],
  [800, "questionable"],
  [0, "untrusted"],
];
const NEUTRAL = 1200;
const MAX_ADDRESSES = 500;
const isAddress = (text: string) => /^0x[0-9a-f]{40}$/i.test(text);

const makeEthos: MakeSimulator = ({ world }) => {
  const scores = world.collection<Entry>("ethos.scores");
  const shown = (score: number) => ({ score, level: LEVELS.find(([from]) => score >= from)![1] });
  const invalid = (message: string) => reply({ message, code: "BAD_REQUEST", issues: [{ message }] }, 400);

  const api = new Hono();
  api.get("/api/v2/score/address", (c) => {
    const address = c.req.query("address") ?? "";
    if (!isAddress(address)) return invalid("Invalid address");
    return reply(shown(scores.get(address.toLowerCase())?.score ?? NEUTRAL));
  });
  api.post("/api/v2/score/addresses", async (c) => {
    const body = z.object({ addresses: z.array(z.string()).max(MAX_ADDRESSES) }).safeParse(await c.req.json());
    // One invalid address refuses the whole call.
    if (!body.success || !body.data.addresses.every(isAddress)) return invalid("Invalid addresses");
    const known = body.data.addresses.flatMap((address) => {
      const score = scores.get(address.toLowerCase());
      return score ? [[address, shown(score.score)]] : [];
    });
    return reply(Object.fromEntries(known));
  });

  return {
    source: "ethos",
    api,
    control: control("", scores, (_address, body) => entry.parse(body)),
    failure: (status) => ({ body: { message: "Something went wrong", code: `HTTP_${status}`, issues: [] } }),
  };
};

export const ethos: SimulatedUpstream = { make: makeEthos, environment: (url) => ({ ETHOS_API_URL: `${url}/ethos` }) };
