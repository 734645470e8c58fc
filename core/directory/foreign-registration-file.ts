/** ERC-8004 registration files: resolves their URIs and reads the files leniently, with a defect for every irregularity. */
import { parseForeignJson } from "../foreign-json.ts";
import { percentDecoded } from "../urls.ts";
import type { Service } from "./entry.ts";
import { type Defect, defect, UnreadableFile } from "./file-defects.ts";
import { foreignLink, foreignText } from "./foreign-text.ts";
import { namedAgents } from "./named-agents.ts";

/** Target of a URI: a document inside the URI, a document to fetch, no document, or an unusable URI. */
export type FileLocation =
  | { kind: "inline"; text: string; warnings: Defect[] }
  | { kind: "fetch"; url: string; warnings: Defect[] }
  | { kind: "absent" }
  | { kind: "unusable"; reason: Defect };

/**
 * Unpacks the file of a data URI.
 * @param coding as the URI names it: gzip, deflate, br, zstd
 * @param most bytes; more is refused before it is made
 */
export type Unpack = (
  coding: string,
  bytes: Uint8Array,
  most: number,
) => { kind: "unpacked"; bytes: Uint8Array } | { kind: "refused"; why: Defect };

/** Base URLs of the gateways for content addresses, without a trailing slash. */
export type Gateways = { ipfs: string; arweave: string };

const INLINE_BYTES = 262_144;
/** Max characters of a URI that points to a file; no link that is shown is longer. */
const MAX_URI = 2_000;
const CID = /^(Qm[1-9A-HJ-NP-Za-km-z]{44}|b[a-z2-7]{58,})(\/[^\s]*)?$/;

/** @see ERC-8004, "Agent URI": https, ipfs and data URIs; in the wild also ar, raw JSON and bare CIDs */
export function locateFile(uri: string, gateways: Gateways, unpack: Unpack): FileLocation {
  const text = uri.trim();
  if (text === "") return { kind: "absent" };
  if (text.startsWith("{")) return inline(text, ["uri_is_file"]);
  if (/^data:/i.test(text)) return dataUri(text, unpack);
  if (text.length > MAX_URI) return { kind: "unusable", reason: "uri_too_long" };
  if (/^https?:\/\//i.test(text)) return { kind: "fetch", url: text, warnings: /^http:/i.test(text) ? ["no_tls"] : [] };
  const ipfs = text.match(/^ipfs:\/\/(?:ipfs\/)?(.+)$/i)?.[1];
  if (ipfs !== undefined) return { kind: "fetch", url: `${gateways.ipfs}/ipfs/${ipfs}`, warnings: [] };
  const arweave = text.match(/^ar:\/\/(.+)$/i)?.[1];
  if (arweave !== undefined) return { kind: "fetch", url: `${gateways.arweave}/${arweave}`, warnings: [] };
  if (CID.test(text)) return { kind: "fetch", url: `${gateways.ipfs}/ipfs/${text}`, warnings: ["bare_cid"] };
  return { kind: "unusable", reason: "uri_scheme" };
}

function inline(text: string, warnings: Defect[]): FileLocation {
  return text.length > INLINE_BYTES ? { kind: "unusable", reason: "too_large" } : { kind: "inline", text, warnings };
}

/** Media type and parameters of a data URI, and its data behind a comma; agents write a blank there too. */
const BASE64_AND_BLANK = /^data:[^,\s]*;base64\s(?!\s*,)/i;

/** @see RFC 2397, and `enc=gzip` as agents on the chain have it: the file packed before it was encoded */
function dataUri(uri: string, unpack: Unpack): FileLocation {
  const blank = BASE64_AND_BLANK.exec(uri)?.[0];
  const comma = blank === undefined ? uri.indexOf(",") : blank.length - 1;
  if (comma < 0) return { kind: "unusable", reason: "data_empty" };
  if (uri.length > INLINE_BYTES * 1.4) return { kind: "unusable", reason: "too_large" };
  const [type, ...parameters] = uri
    .slice(5, comma)
    .toLowerCase()
    .split(";")
    .map((part) => part.trim());
  const named = parameters.find((each) => each.startsWith("enc="))?.slice(4);
  // It is shown to people.
  const coding = named === undefined || /^[\w.-]{1,32}$/.test(named) ? named : "unknown";
  const data = percentDecoded(uri.slice(comma + 1)).trim();
  const odd: Defect[] = [
    ...(type === "application/json" ? [] : (["data_type"] as const)),
    ...(blank === undefined ? [] : (["data_blank"] as const)),
  ];
  // Also where base64 is announced.
  if (data.startsWith("{") || !parameters.includes("base64"))
    return coding === undefined
      ? inline(data, [...odd, "data_plain"])
      : { kind: "unusable", reason: "data_undecodable" };
  const bytes = bytesOf(data);
  if (bytes === null) return { kind: "unusable", reason: "data_undecodable" };
  if (coding === undefined) return inline(new TextDecoder().decode(bytes), odd);
  const unpacked = unpack(coding, bytes, INLINE_BYTES);
  if (unpacked.kind === "refused") return { kind: "unusable", reason: unpacked.why };
  return inline(new TextDecoder().decode(unpacked.bytes), [...odd, defect("data_packed", coding)]);
}

/** Bytes of base64 in either alphabet, with blanks between; null for anything else. */
function bytesOf(base64: string): Uint8Array | null {
  try {
    const text = atob(base64.replaceAll(/\s/g, "").replaceAll("-", "+").replaceAll("_", "/"));
    return Uint8Array.from(text, (c) => c.charCodeAt(0));
  } catch {
    return null;
  }
}

/** The contents of a registration file, cleaned for storage. */
export type Registration = {
  name: string | null;
  description: string | null;
  imageUrl: string | null;
  services: Service[];
  /** Skills and tools that the services list, each once. Files that were read by an earlier version have none. */
  skills?: string[];
  /** Number of services and skills, each counted once. */
  traitCount: number;
  x402Supported: boolean;
  /** The agents that it is the file of, as `namedAgents` writes them. Files that were read by an earlier version have none. */
  agents?: string[];
  warnings: Defect[];
};

const MAX_NAME = 64;
const MAX_DESCRIPTION = 2_000;
const MAX_SERVICES = 64;
const MAX_SKILLS = 64;
/** An agent has one name in each registry of each chain. */
const MAX_AGENTS = 64;
/** Max defects that are reported of one file. */
const MAX_DEFECTS = 20;

/** Reads a file. @throws UnreadableFile when it is not a JSON object */
export function readRegistration(text: string): Registration {
  let file: Record<string, unknown>;
  try {
    file = parseForeignJson(text) as Record<string, unknown>;
  } catch {
    throw new UnreadableFile("not_json");
  }
  if (file === null || typeof file !== "object" || Array.isArray(file)) throw new UnreadableFile("not_object");
  const warnings = new Set<Defect>();
  if (typeof file.type !== "string" || !file.type.includes("eip-8004#registration")) warnings.add("type");
  if (typeof file.active !== "boolean" && file.active !== undefined) warnings.add("active");
  for (const field of ["name", "description", "image"])
    if (typeof file[field] !== "string" || file[field] === "") warnings.add(defect("missing", field));
  const name = foreignText(file.name, MAX_NAME);
  const description = foreignText(file.description, MAX_DESCRIPTION, { lines: true });
  if (isCut(file.name, MAX_NAME)) warnings.add(defect("cut", "name"));
  if (isCut(file.description, MAX_DESCRIPTION)) warnings.add(defect("cut", "description"));
  const imageUrl = foreignLink(file.image);
  if (imageUrl === null && typeof file.image === "string" && file.image !== "") warnings.add("image");
  const { services, skills, traitCount } = readServices(file, warnings);
  return {
    name,
    description,
    imageUrl,
    services,
    skills,
    traitCount,
    x402Supported: x402Of(file, warnings),
    agents: namedAgents(file).slice(0, MAX_AGENTS),
    warnings: [...warnings].slice(0, MAX_DEFECTS),
  };
}

/** Whether a text is longer than what is kept of it. */
const isCut = (raw: unknown, max: number): boolean =>
  [...(foreignText(raw, max + 1, { lines: true }) ?? "")].length > max;

/** What the file lists, as far as it can be read. @param warnings takes what is wrong with it */
function readServices(
  file: Record<string, unknown>,
  warnings: Set<Defect>,
): Pick<Registration, "services" | "traitCount"> & { skills: string[] } {
  if (file.services === undefined && file.endpoints !== undefined) warnings.add("old_services");
  const given = file.services ?? file.endpoints;
  if (given !== undefined && !Array.isArray(given)) warnings.add("services_no_list");
  const listed: unknown[] = Array.isArray(given) ? given : [];
  if (listed.length > MAX_SERVICES) warnings.add("services_cut");
  const traits = new Set<string>();
  const services: Service[] = [];
  const skills = new Map<string, string>();
  for (const [i, each] of listed.slice(0, MAX_SERVICES).entries()) {
    const service = serviceOf(each);
    if (service === null) {
      warnings.add(defect("service", String(i + 1)));
      continue;
    }
    services.push(service);
    traits.add(`service ${service.name.toLowerCase()} ${service.endpoint}`);
    for (const skill of skillsOf(each)) {
      const key = skill.toLowerCase();
      traits.add(`skill ${key}`);
      if (skills.has(key)) continue;
      if (skills.size < MAX_SKILLS) skills.set(key, skill);
      else warnings.add("skills_cut");
    }
  }
  return { services, skills: [...skills.values()], traitCount: traits.size };
}

function serviceOf(raw: unknown): Service | null {
  const service = raw as Record<string, unknown> | null;
  if (service === null || typeof service !== "object") return null;
  const name = foreignText(service.name ?? service.type, 64);
  const endpoint = foreignText(service.endpoint ?? service.url, 500);
  return name && endpoint ? { name, endpoint, version: foreignText(service.version, 32) } : null;
}

const skillsOf = (raw: unknown): string[] =>
  ["skills", "a2aSkills", "mcpTools", "tools"].flatMap((field) => {
    const list = (raw as Record<string, unknown>)[field];
    return Array.isArray(list)
      ? list
          .slice(0, 100)
          .flatMap(
            (skill) => foreignText(typeof skill === "string" ? skill : (skill as { name?: unknown })?.name, 100) ?? [],
          )
      : [];
  });

function x402Of(file: Record<string, unknown>, warnings: Set<Defect>): boolean {
  const said = file.x402Support ?? file.x402support;
  if (file.x402Support === undefined && file.x402support !== undefined) warnings.add("x402_spelling");
  if (said !== null && typeof said === "object") {
    warnings.add("x402");
    return (said as { enabled?: unknown }).enabled === true;
  }
  return said === true;
}
