/**
 * The view of a check: whether each endpoint of an agent works, what was found there, what does not fit its registration, what
 * keeps it from being found, and how its owner mends that.
 */
import { array, object, z } from "zod";
import type { DirectoryEntry } from "../directory/entry.ts";
import { defectView } from "../directory/file-defects.ts";
import { STUFFED_VALUE } from "../discovery/weights.ts";
import { ENDPOINT_STATUSES } from "../offers/liveness.ts";
import type { SourceKind } from "../offers/source-kinds.ts";
import { quoted } from "../quoted.ts";
import { count, moment } from "./fields.ts";

const finding = object({
  code: z.string(),
  says: z.string(),
  mend: z.string().nullable().meta({ description: "What its owner can do; null where nothing has to be done" }),
}).meta({ id: "Finding" });
type Finding = z.output<typeof finding>;

export const agentCheckSchema = object({
  pending: z.boolean().meta({ description: "Endpoints are still being checked: the same request again has the rest" }),
  asked: z.boolean().meta({
    description: "Its endpoints were checked for this request; false: they were within a minute, or often enough today",
  }),
  works: z
    .boolean()
    .nullable()
    .meta({ description: "Whether all endpoints do of which that is known; null without one" }),
  listed: z.boolean().meta({ description: "Whether the directory shows the agent" }),
  notFound: array(finding).meta({ description: "What keeps it out of the directory, or out of what searches find" }),
  registration: array(finding).meta({
    description: "What is wrong with its registration, and where it does not fit what was found",
  }),
  endpoints: array(
    object({
      kind: z.string(),
      url: z.string(),
      works: z.boolean().nullable().meta({
        description: "Whether it answered as its kind does when it was checked last; null where that is not known",
      }),
      status: z.enum(ENDPOINT_STATUSES),
      checkedAt: moment.nullable(),
      offers: count.meta({ description: "Skills, tools and resources that were found there" }),
      names: array(z.string()).meta({ description: "Names of the first 20, the agent's own words" }),
      mend: array(finding),
    }),
  ),
}).meta({ id: "AgentCheck" });
export type AgentCheck = z.output<typeof agentCheckSchema>;

export type AgentCheckFacts = Pick<DirectoryEntry, "name" | "description" | "active" | "address" | "ownerAddress"> & {
  /** Its registration says that it takes x402. */
  x402Stated: boolean;
  serviceCount: number;
  /** Of an ERC-8004 agent; null without a file. */
  fileStatus: string | null;
  defects: string[];
  /** Skills and tools that its registration file lists. */
  declared: string[];
  /** Of the search; null before it was written. `text`: the value of its text in percent. */
  document: { copy: boolean; imitation: boolean; text: number } | null;
  endpoints: {
    kind: SourceKind;
    url: string;
    status: (typeof ENDPOINT_STATUSES)[number];
    /** One sentence. */
    why: string | null;
    checkedAt: string | null;
    silentSince: string | null;
    isConfirmed: boolean;
    /** Names of what was found. */
    found: string[];
    /** Accounts that its terms pay, in lower case. */
    payees: string[];
  }[];
};
type Endpoint = AgentCheckFacts["endpoints"][number];

const MAX_NAMES = 20;
/** Names that a sentence quotes. */
const MAX_QUOTED = 5;

const PROTOCOL_MEND: Record<SourceKind, string> = {
  agent_card: "Serve the agent card as JSON at that address, or at /.well-known/agent-card.json of its host.",
  mcp: "Let server/discover or initialize, and tools/list, answer by streamable HTTP without credentials.",
  x402: "Answer a GET, or a POST of {}, with 402 and the terms, or serve an OpenAPI document with x-payment-info.",
};

/** By code: what is to be said, unless something else says it better, and how it is mended. */
const FINDINGS = {
  waiting: ["It was not asked yet.", null],
  nothing_found: ["There is nothing that it offers.", null],
  needs_credentials: ["It asks for credentials: what it offers is not seen.", null],
  unreadable: ["What it answers cannot be read.", null],
  unreachable: ["It does not answer.", "Answer requests from everywhere within 5 seconds."],
  refused: [
    "Its address is not asked.",
    "Serve it on a public address, on port 443 or 80, and let robots.txt allow it.",
  ],
  not_confirmed: [
    "Nothing but the agent says that it is its own: it counts for nothing.",
    "Have its host name the agent in /.well-known/agent-registration.json.",
  ],
  pays_another: ["", "Let the terms pay the agent's wallet, or register the wallet that they pay."],
  declared_not_found: ["", "List skills and tools by the names that the endpoints give them."],
  found_not_declared: ["", null],
  x402_not_found: ["Its registration says that it takes x402, and no endpoint asks for it.", PROTOCOL_MEND.x402],
  x402_not_declared: ["An endpoint asks for x402, which its registration does not say.", 'Set "x402Support" to true.'],
  inactive: ["Its registration says active: false: inactive=true alone finds it.", 'Set "active" to true.'],
  not_searchable_yet: ["The search has not read it yet.", null],
  copy: ["Another agent had the same text before, and stands for it.", "Give it a description of its own."],
  imitation: ["Its name looks like that of an older agent of another owner.", "Give it another name."],
  stuffed: ["Its text is mostly keywords or repetitions, or its name is disguised.", "Say plainly what it does."],
  no_description: ["It has no description.", "Say plainly what it does."],
  file: ["Its registration file cannot be read.", "See what is wrong with its registration."],
  no_services: ["Its registration names no service.", "Name an A2A, MCP or x402 endpoint."],
  no_endpoints: ["None of its services is an A2A, MCP or x402 endpoint.", "Name one, with its whole address."],
  silent: ["None of its endpoints works: it is placed behind those that do.", "Mend the endpoints."],
} as const satisfies Record<string, readonly [says: string, mend: string | null]>;
type Code = keyof typeof FINDINGS;

const findingOf = (code: Code, says: string = FINDINGS[code][0], mend: string | null = FINDINGS[code][1]): Finding => ({
  ...{ code, says, mend },
});
/** Those that apply. */
const findingsOf = (applies: Partial<Record<Code, boolean>>): Finding[] =>
  (Object.keys(applies) as Code[]).flatMap((code) => (applies[code] ? findingOf(code) : []));

const MEND_BY_PROTOCOL: readonly Code[] = ["nothing_found", "needs_credentials", "unreadable"];

/** Whether it works as far as it was read. */
function worksOf({ status, why, silentSince }: Endpoint): boolean | null {
  if (status === "waiting") return null;
  if (silentSince !== null) return false;
  if (status === "read") return why === null;
  return status === "needs_credentials" ? true : null;
}

function endpointFindings(endpoint: Endpoint, { address, ownerAddress }: AgentCheckFacts): Finding[] {
  const { kind, status, why, isConfirmed, payees } = endpoint;
  const code = status === "read" ? "nothing_found" : status;
  const mend = MEND_BY_PROTOCOL.includes(code) ? PROTOCOL_MEND[kind] : FINDINGS[code][1];
  const others = payees.filter((payee) => payee !== address && payee !== ownerAddress);
  const says = `Its terms pay ${namesIn(others)}, which is neither the agent's wallet nor its owner's.`;
  return [
    ...(status === "read" && why === null ? [] : [findingOf(code, why ?? undefined, mend)]),
    ...findingsOf({ not_confirmed: !isConfirmed }),
    ...(others.length === 0 ? [] : [findingOf("pays_another", says)]),
  ];
}

const folded = (name: string) => name.toLowerCase().replaceAll(/[\s_-]+/g, " ");
const namesIn = (names: readonly string[]): string =>
  `${names.slice(0, MAX_QUOTED).map(quoted).join(", ")}${names.length > MAX_QUOTED ? ` and ${names.length - MAX_QUOTED} others` : ""}`;

/** Where a registration says other than its endpoints. Skills of a taxonomy (`a/b`) are no names of tools. */
function registrationFindings({ declared, endpoints, defects, x402Stated }: AgentCheckFacts): Finding[] {
  const found = new Map(endpoints.flatMap(({ found }) => found.map((name) => [folded(name), name])));
  const listed = new Set(declared.map(folded));
  const missing = declared.filter((name) => !name.includes("/") && !found.has(folded(name)));
  const unlisted = [...found].flatMap(([key, name]) => (listed.has(key) ? [] : [name]));
  const asksX402 = endpoints.some(({ payees }) => payees.length > 0);
  const isRead = endpoints.every(({ status }) => status !== "waiting");
  const lists = `Its registration file lists ${namesIn(missing)}, which no endpoint offers.`;
  const offer = `Its endpoints offer ${namesIn(unlisted)}, which its registration file does not list.`;
  return [
    ...defects.map(defectView),
    ...(found.size > 0 && missing.length > 0 ? [findingOf("declared_not_found", lists)] : []),
    ...(declared.length > 0 && unlisted.length > 0 ? [findingOf("found_not_declared", offer)] : []),
    ...findingsOf({ x402_not_found: x402Stated && !asksX402 && isRead, x402_not_declared: !x402Stated && asksX402 }),
  ];
}

/** What keeps a listed agent from being found. */
const searchFindings = ({ document, endpoints, serviceCount, fileStatus, ...agent }: AgentCheckFacts): Finding[] =>
  findingsOf({
    inactive: !agent.active,
    not_searchable_yet: document === null,
    copy: document?.copy === true,
    imitation: document?.imitation === true,
    stuffed: document?.copy === false && document.text <= STUFFED_VALUE,
    no_description: agent.description === null,
    file: fileStatus !== null && fileStatus !== "parsed" && fileStatus !== "waiting",
    no_services: serviceCount === 0,
    no_endpoints: serviceCount > 0 && endpoints.length === 0,
    silent: endpoints.length > 0 && endpoints.every((one) => worksOf(one) === false),
  });

export function agentCheckView(
  facts: AgentCheckFacts,
  { pending, asked }: Pick<AgentCheck, "pending" | "asked">,
): AgentCheck {
  const endpoints = facts.endpoints.map((endpoint) => ({
    ...{ kind: endpoint.kind, url: endpoint.url, works: worksOf(endpoint), status: endpoint.status },
    ...{ checkedAt: endpoint.checkedAt, offers: endpoint.found.length, names: endpoint.found.slice(0, MAX_NAMES) },
    mend: endpointFindings(endpoint, facts),
  }));
  const verdicts = endpoints.flatMap(({ works }) => works ?? []);
  return {
    ...{ pending, asked, works: verdicts.length === 0 ? null : verdicts.every(Boolean), listed: true, endpoints },
    ...{ notFound: searchFindings(facts), registration: registrationFindings(facts) },
  };
}

/** The check of an agent that the directory does not show. */
export const unlistedView = (code: string, says: string, mend: string | null): AgentCheck => ({
  ...{ pending: false, asked: false, works: null, listed: false, registration: [], endpoints: [] },
  notFound: [{ code, says, mend }],
});
