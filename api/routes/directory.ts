/** The directory: agents of many registries in one table, one agent in full, and claims about an agent's token. */
import { z } from "zod";
import {
  DIRECTORY_FILTERS,
  DIRECTORY_SORTS,
  orderOf,
  TRENDING_FORMULA,
  UNRANKED_SORT,
} from "../../core/directory/filters.ts";
import { marksView } from "../../core/directory/marks.ts";
import { PLATFORMS, type PlatformKey } from "../../core/directory/platforms.ts";
import { registrationView } from "../../core/directory/registration-view.ts";
import { type TerminalRow, terminalRow } from "../../core/directory/row.ts";
import { fail } from "../../core/errors.ts";
import { claimToken } from "../../db/directory/claims.ts";
import { ERC8004 } from "../../db/directory/erc8004.ts";
import type { DirectoryQuery } from "../../db/directory/list.ts";
import { directoryMarks } from "../../db/directory/marks.ts";
import { erc8004Registration } from "../../db/directory/registration.ts";
import { directoryDetail, directoryRows, findDirectoryId } from "../../db/directory/rows.ts";
import type { Queryable } from "../../db/transaction.ts";
import { endpoint, json, jsonWith } from "../endpoint.ts";
import { networkOf } from "../http/client-network.ts";
import { slicedBody } from "../http/sliced-body.ts";
import { choice, limit, minBlock, offset, optionalChoice, page, searchText } from "../parameters.ts";
import {
  claimedSchema,
  terminalAgentSchema,
  terminalDetailSchema,
  terminalExportSchema,
  terminalListSchema,
  terminalMarksSchema,
  tokenClaimSchema,
} from "../schemas/directory.ts";
import { csvHead, csvLine } from "../services/csv.ts";
import { waitForDirectory } from "../services/directory-at.ts";

const narrowing = {
  sort: optionalChoice(
    [...DIRECTORY_SORTS, UNRANKED_SORT],
    "Sort field, rows without it last; by default cred_score, for `new` created_at, for `trending` its formula, for `gainers` and `losers` price_change_24h. revenue_self_reported means the default: nothing is ranked by what an agent says of itself",
  ),
  dir: optionalChoice(["DESC", "ASC"], "Direction; by default DESC, for `losers` without a sort ASC"),
  filter: choice(DIRECTORY_FILTERS, {
    default: "all",
    what: "x402; new: registered within 7 days; trending: used or traded within 24 hours; gainers, losers: a market saw the price of their token rise or fall within 24 hours; or a tier",
  }),
  q: searchText(
    "Part of a name, the beginning of the address of the agent's wallet or of its owner, an agent's id or a token's symbol; a whole address finds the agents of that wallet, its own first",
  ),
  minBlock,
};

type Narrowing = Pick<DirectoryQuery, "filter" | "q"> & {
  sort?: (typeof DIRECTORY_SORTS)[number] | typeof UNRANKED_SORT | undefined;
  dir?: "ASC" | "DESC" | undefined;
};
const questionOf = ({ sort, dir, filter, q }: Narrowing, now: number) => ({
  filter,
  q,
  ...orderOf(filter, { sort, dir }),
  now,
});

export const terminalAgents = endpoint({
  method: "get",
  path: "/api/terminal/agents",
  operationId: "listTerminalAgents",
  tag: "Terminal",
  summary: "Agents of all registries, filtered, sorted and paged",
  description: `Totals are exact. trending is ordered by ${TRENDING_FORMULA}; gainers and losers are sorted by price_change_24h. Claimed market data count nowhere.`,
  data: true,
  query: z.object({ ...narrowing, limit: limit({ default: 50, max: 100 }), page, offset }),
  responses: { 200: { description: "A page of the directory", schema: terminalListSchema } },
  async handler({ deps, query, now }) {
    const { db, directory, config } = deps;
    const { limit } = query;
    await waitForDirectory(deps, query.minBlock);
    const start = query.offset ?? ((query.page ?? 1) - 1) * limit;
    const [{ total, ids }, totals] = await Promise.all([
      directory.list({ ...questionOf(query, now), offset: start, limit }),
      directory.totals(),
    ]);
    const agents = await directory.shown(ids, (missing) => shownRows(db, missing, config.service.publicUrl));
    return jsonWith("agents", agents, {
      total,
      page: Math.floor(start / limit) + 1,
      totalPages: Math.ceil(total / limit),
      limit,
      stats: {
        total: totals.total,
        scored: totals.scored,
        avgScore: totals.scored === 0 ? 0 : Math.round((totals.sum / totals.scored) * 10) / 10,
        x402: totals.x402,
      },
    });
  },
});

/** Encodes into bytes that share no memory with others, because pages are cached row by row. */
const UTF8 = new TextEncoder();

/** The JSON of a page's rows. */
async function shownRows(db: Queryable, ids: readonly number[], publicUrl: string): Promise<Map<number, Uint8Array>> {
  const rows = await directoryRows(db, ids);
  return new Map(rows.map((row) => [row.id, UTF8.encode(JSON.stringify(terminalRow(row, publicUrl)))]));
}

/** Max rows of one export. */
const EXPORT_ROWS = 10_000;
/** Rows of one slice of an export: one statement reads them, and rendering takes a few milliseconds. */
const EXPORT_SLICE = 100;
const EXPORTED = Object.keys(terminalAgentSchema.shape) as (keyof TerminalRow)[];

/** The format of a file: text before its rows, between two rows and after them, and the text of a row. */
type FileFormat = { type: string; head: string; between: string; end: string; line(row: TerminalRow): string };
const FORMATS: Record<"json" | "csv", FileFormat> = {
  json: {
    type: "application/json; charset=utf-8",
    head: "[",
    between: ",",
    end: "]",
    line: (row) => JSON.stringify(row),
  },
  csv: {
    type: "text/csv; charset=utf-8",
    head: csvHead(EXPORTED),
    between: "",
    end: "",
    line: (row) => csvLine(EXPORTED, row),
  },
};

/** The file in slices. Each slice uses a connection of its own, released before the slice is sent. */
async function* fileOf(
  db: Queryable,
  ids: readonly number[],
  { head, between, end, line }: FileFormat,
  publicUrl: string,
): AsyncGenerator<string, void> {
  let before = head;
  for (let at = 0; at < ids.length; at += EXPORT_SLICE) {
    const rows = await directoryRows(db, ids.slice(at, at + EXPORT_SLICE));
    if (rows.length === 0) continue;
    yield before + rows.map((row) => line(terminalRow(row, publicUrl))).join(between);
    before = between;
  }
  yield (before === head ? head : "") + end;
}

/** The agents of a filter as a file. */
const exportAs = (format: "json" | "csv") =>
  endpoint({
    method: "get",
    path: `/api/terminal/agents.${format}`,
    operationId: format === "json" ? "exportTerminalJson" : "exportTerminalCsv",
    tag: "Terminal",
    summary: `The agents of a filter as a file, ${format.toUpperCase()}`,
    description: `At most ${EXPORT_ROWS.toLocaleString("en")} rows, in the order of one moment; X-Total-Count tells how many match. One export of a client runs at a time, and few in all; a client that takes nothing for 10 seconds, or not all of it in 60, is cut off.`,
    data: true,
    sliced: true,
    query: z.object(narrowing),
    responses: {
      200: {
        description: "The rows, in order",
        ...(format === "json" ? { schema: terminalExportSchema } : { type: "text/csv" }),
      },
    },
    async handler({ deps, query, now, clientAddress, response, reader, count }) {
      const { db, directory, config, log } = deps;
      deps.exports.acquire(response, [networkOf(clientAddress)]);
      await count("exports", reader);
      await waitForDirectory(deps, query.minBlock);
      // All ids are read at one moment: a row that moves while rows are read appears exactly once.
      const { total, ids } = await directory.list({ ...questionOf(query, now), offset: 0, limit: EXPORT_ROWS });
      const { type } = FORMATS[format];
      const headers = {
        "x-total-count": String(total),
        "content-disposition": `attachment; filename="agents-${query.filter}.${format}"`,
      };
      const slices = fileOf(db, ids, FORMATS[format], config.service.publicUrl);
      return { status: 200, type, content: await slicedBody(slices, log), headers };
    },
  });
export const terminalJson = exportAs("json");
export const terminalCsv = exportAs("csv");

const ref = z
  .string()
  .transform((text, ctx) => {
    const trimmed = text.trim();
    if (trimmed !== "" && trimmed.length <= 300 && trimmed.isWellFormed() && !trimmed.includes("\0")) return trimmed;
    ctx.addIssue("must be an address, an agent's id or a token id");
    return z.NEVER;
  })
  .meta({
    documented: { type: "string", minLength: 1, maxLength: 300 },
    description:
      "Address, agent id or token id, in any case; of several agents the own registry's, else the one with the highest score. `helixa-<token id>` is an own agent and no other",
    examples: ["helixa-1"],
  });

const unknown = () => fail("not_found", "The directory knows no such agent.");

export const terminalAgent = endpoint({
  method: "get",
  path: "/api/terminal/agent/{ref}",
  operationId: "getTerminalAgent",
  tag: "Terminal",
  summary: "One agent of the directory, with its services, where it is known from, and who else it is",
  data: true,
  params: z.object({ ref }),
  query: z.object({
    minBlock,
    platform: optionalChoice(
      PLATFORMS.map(({ key }) => key) as [PlatformKey, ...PlatformKey[]],
      "Looks among the agents of this platform only: ids and wallets may be those of several",
    ),
  }),
  responses: { 200: { description: "The agent", schema: terminalDetailSchema } },
  errors: ["not_found"],
  async handler({ deps, params, query }) {
    const { db, config } = deps;
    await waitForDirectory(deps, query.minBlock);
    const id = await findDirectoryId(db, params.ref, query.platform);
    const found = id === null ? null : await directoryDetail(db, id);
    if (found === null) return unknown();
    const { row, services, sameAs, provenance } = found;
    const registration =
      row.platform === ERC8004 && row.registry ? await erc8004Registration(db, row.registry, row.agentId) : null;
    return json({
      ...terminalRow(row, config.service.publicUrl),
      services,
      same_as: sameAs,
      provenance,
      erc8004: registration && registrationView(registration),
    });
  },
});

/** Max agents of one request for marks: one page of the list. */
const MAX_MARKS = 100;

export const terminalMarks = endpoint({
  method: "get",
  path: "/api/terminal/marks",
  operationId: "listTerminalMarks",
  tag: "Terminal",
  summary: "What a page of agents is marked with: proofs, protocols, feedback, activity and the score's way",
  data: true,
  query: z.object({
    ids: z
      .string()
      .transform((text, ctx) => {
        const ids = text.split(",");
        if (ids.length <= MAX_MARKS && ids.every((id) => /^[1-9]\d{0,14}$/.test(id))) return ids.map(Number);
        ctx.addIssue(`must be 1 to ${MAX_MARKS} ids of the directory, separated by commas`);
        return z.NEVER;
      })
      .meta({
        documented: { type: "string", pattern: "^[1-9][0-9]{0,14}(,[1-9][0-9]{0,14}){0,99}$" },
        description: `\`id\` of up to ${MAX_MARKS} rows, separated by commas; those that are gone are left out`,
        examples: ["1,2"],
      }),
  }),
  responses: { 200: { description: "The marks, in the order asked for", schema: terminalMarksSchema } },
  async handler({ deps: { db, config }, query, now }) {
    const rules = { now: new Date(now), exchangeSchema: config.attestationSchemas[0]! };
    const marks = await directoryMarks(db, query.ids, rules);
    return json({ marks: marks.map(marksView) });
  },
});

export const terminalToken = endpoint({
  method: "post",
  path: "/api/terminal/agent/{ref}/token",
  operationId: "claimTerminalToken",
  tag: "Terminal",
  summary: "Say which token is an agent's",
  description:
    "Open to anybody, and therefore a claim: shown with market_data_source `claimed` until a market tells about the token, never ranked by, never in place of the token that the registry names.",
  params: z.object({ ref }),
  body: tokenClaimSchema,
  responses: { 200: { description: "Stored as a claim", schema: claimedSchema } },
  errors: ["not_found"],
  async handler({ deps: { db }, params, body, now, clientAddress, count }) {
    await count("claims", networkOf(clientAddress));
    const id = await findDirectoryId(db, params.ref);
    if (id === null) return unknown();
    const claim = {
      tokenAddress: body.token_address,
      tokenSymbol: body.token_symbol,
      tokenName: body.token_name,
      marketCapUsd: body.token_market_cap,
    };
    const updated = await claimToken(db, id, claim, new Date(now));
    return updated === 0 ? unknown() : json({ success: true, updated });
  },
});
