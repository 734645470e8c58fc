/** How what agents offer has changed, and pins: what a caller has reviewed of it, and whether that is what is offered now. */
import { strictObject, z } from "zod";
import { PLATFORMS, type PlatformKey, rowRef } from "../../core/directory/platforms.ts";
import { fail } from "../../core/errors.ts";
import {
  historyView,
  offerHistorySchema,
  pinFile,
  pinFileSchema,
  pinStateSchema,
  pinStatus,
  readPinId,
} from "../../core/views/offer-history.ts";
import { directoryDetail } from "../../db/directory/rows.ts";
import { changesOf, versionsOfAgent } from "../../db/offers/offer-history.ts";
import { type Queryable, snapshot } from "../../db/sql/transaction.ts";
import { endpointsOf } from "../endpoint.ts";
import { documented, integer, limit, minBlock, textAs } from "../parameters.ts";
import { pageOf } from "../reply.ts";
import { directoryAgent, ofPlatform, ref, unknownAgent } from "./directory-agent.ts";

const endpoint = endpointsOf({ tag: "Agents", data: true, named: { ref } });

/** @param id null: the directory does not list the agent yet, and nothing of it was read */
async function read(tx: Queryable, id: number | null, which: { before?: number; since?: Date; limit: number }) {
  const versions = id === null ? [] : await versionsOfAgent(tx, { id });
  const changes = await changesOf(tx, { ...which, sources: versions.map(({ source }) => source) });
  return { versions, changes };
}

export const offerHistory = endpoint({
  path: "/api/v2/agent/{ref}/offers/history",
  operationId: "listOfferChanges",
  summary: "How tools, skills, prices and recipients of an agent's endpoints have changed, and what it lists",
  description:
    "Each reading of an endpoint is compared with the one before in a canonical form: another order, white space, or spelling of a number or an address is no change. Of each endpoint 50 entries are kept: what changes often is folded, single changes stay apart.",
  query: z.object({
    minBlock,
    platform: ofPlatform,
    before: integer({ min: 1, max: Number.MAX_SAFE_INTEGER, what: "`nextBefore` of the page before" }).optional(),
    limit: limit({ default: 20, max: 100 }),
  }),
  responses: { 200: { description: "Versions and changes", schema: offerHistorySchema } },
  async handler({ deps, params, query: { before, limit, ...of } }, json) {
    const { id } = await directoryAgent(deps, params.ref, of);
    const which = { ...(before !== undefined && { before }), limit: limit + 1 };
    const { versions, changes } = await snapshot(deps.db, (tx) => read(tx, id, which));
    const { rows, last } = pageOf(changes, limit);
    return json({ ...historyView(versions, rows), limit, nextBefore: last?.id ?? null });
  },
});

export const newPin = endpoint({
  method: "post",
  path: "/api/v2/pins",
  operationId: "createPin",
  summary: "Freeze what an agent offers now, as you have reviewed it",
  description:
    "The answer is a file that needs nothing else: `checkPin` of the client library compares it with what an endpoint answers. The service keeps nothing of it: its id has what GET compares, which is what the agent lists and its confirmed endpoints.",
  guard: { bucket: "reads" },
  body: strictObject({
    agent: ref,
    platform: z.enum(PLATFORMS.map(({ key }) => key) as [PlatformKey, ...PlatformKey[]]).optional(),
  }).meta({ id: "NewPin", examples: [{ agent: "helixa-1" }] }),
  responses: { 200: { description: "The file of the pin", schema: pinFileSchema } },
  errors: ["not_found", "conflict"],
  async handler({ deps, body, at }, json) {
    const { id } = await directoryAgent(deps, body.agent, body);
    const [found, versions] = await snapshot(deps.db, async (tx) =>
      id === null ? [null, []] : [await directoryDetail(tx, { id }), await versionsOfAgent(tx, { id })],
    );
    if (found === null || versions.length === 0)
      return fail("conflict", "Nothing of what the agent offers was read yet.", {
        hint: "GET /api/terminal/agent/<ref>/offers says why of each endpoint.",
      });
    const agent = rowRef(found.row.platform, found.row.agentId);
    return json(pinFile({ agent, at, block: deps.index.block }, versions));
  },
});

const MOST_SHOWN = 50;

export const pinState = endpoint({
  path: "/api/v2/pins/{pinId}",
  operationId: "getPin",
  summary: "Whether an agent offers what was pinned, and what has changed since",
  params: z.object({
    pinId: documented(textAs(readPinId, "must be `id` of a pin's file"), {
      documented: { type: "string", maxLength: 2_900 },
      description: "`id` of the pin's file",
    }),
  }),
  responses: { 200: { description: "What it is now", schema: pinStateSchema } },
  errors: ["not_found"],
  async handler({ deps, at, params: { pinId: pin } }, json) {
    const { id } = await directoryAgent(deps, pin.agent, {});
    if (id === null) return unknownAgent();
    const { versions, changes } = await snapshot(deps.db, (tx) => read(tx, id, { since: pin.at, limit: MOST_SHOWN }));
    const view = historyView(versions, changes);
    return json({ agent: pin.agent, at: pin.at.toISOString(), status: pinStatus(versions, pin, at), ...view });
  },
});
