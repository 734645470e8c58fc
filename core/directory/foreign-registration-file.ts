/** ERC-8004 registration files: resolves their URIs and reads the files leniently, with a defect for every irregularity. */
import { base64Bytes, dataUriOf } from "../data-uri.ts";
import { parseForeignJson } from "../foreign-json.ts";
import { isRecord } from "../json.ts";
import { percentDecoded, urlOf } from "../urls.ts";
import { embeddedImage, imageUri, MAX_IMAGE_BYTES } from "./embedded-image.ts";
import type { DirectoryEntry, Service } from "./entry.ts";
import { type Defect, defect, UnreadableFile } from "./file-defects.ts";
import { foreignLink, foreignText, hasPlaceholder } from "./foreign-text.ts";
import { namedAgents } from "./named-agents.ts";

/** A CID of version 0, or of version 1 in base32, base36, base58, base16 or base64url. @see https://github.com/multiformats/cid */
const CID =
  "Qm[1-9A-HJ-NP-Za-km-z]{44}|b[a-z2-7]{58,}|B[A-Z2-7]{58,}|k[0-9a-z]{50,}|z[1-9A-HJ-NP-Za-km-z]{48,}|[fF][0-9a-fA-F]{72,}|u[\\w-]{48,}";
const PATH = new RegExp(`^(?:/?ipfs/)?((?:${CID})(?:/.*)?)$`);
const GATEWAY_PATH = new RegExp(`^/ipfs/((?:${CID})(?:/.*)?)$`);
/** A name has no capitals, so that its label is in base32 or base36. */
const GATEWAY_HOST = /^(b[a-z2-7]{58,62}|k[0-9a-z]{50,62})\.ipfs\./;

/**
 * The CID and the path in `ipfs://<cid>/a`, `/ipfs/<cid>/a`, `https://<gateway>/ipfs/<cid>/a`, `https://<cid>.ipfs.<gateway>/a`
 * and `<cid>/a`, as `<cid>/a`; null for any other text. What a gateway is asked for besides (`?filename=`) is left out.
 */
function contentAddressOf(text: string): string | null {
  const named = /^(?:ipfs|dweb):\/*(?:ipfs\/+)?(.+)$/i.exec(text)?.[1];
  if (named !== undefined) return contentAddressOf(named) ?? named;
  if (!/^https?:/i.test(text)) return PATH.exec(text)?.[1] ?? null;
  const url = urlOf(text);
  const host = GATEWAY_HOST.exec(url?.hostname ?? "")?.[1];
  return host === undefined ? (GATEWAY_PATH.exec(url?.pathname ?? "")?.[1] ?? null) : `${host}${url!.pathname}`;
}

/** Target of a URI: a document inside the URI, a document to fetch, no document, or an unusable URI. */
export type FileLocation =
  | { kind: "inline"; text: string; warnings: Defect[] }
  /** `gateway`: the gateway that the URI names for what is asked of the configured one. */
  | { kind: "fetch"; url: string; gateway?: string; warnings: Defect[] }
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
/** The base64 of a text that begins with `{`. */
const BASE64_FILE = /^e[w-z0-9+/_-][\w+/=\s-]*$/;
const MEDIA_TYPE = /^(?:application|text)\/[\w.+-]+[;,]/i;

/**
 * @see ERC-8004, "Agent URI": https, ipfs and data URIs; in the wild also ar, gateways of IPFS, bare CIDs, and the file itself
 * as JSON, in base64 or as a data URI without `data:`
 */
export function locateFile(uri: string, gateways: Gateways, unpack: Unpack): FileLocation {
  const text = uri.trim();
  if (text === "") return { kind: "absent" };
  const written = /^%7b/i.test(text) ? percentDecoded(text) : text;
  if (written.startsWith("{")) return inline(written, ["uri_is_file"]);
  if (/^data:/i.test(text)) return dataUri(text, unpack, []);
  if (MEDIA_TYPE.test(text)) return dataUri(`data:${text}`, unpack, ["uri_is_file"]);
  if (BASE64_FILE.test(text)) return dataUri(`data:application/json;base64,${text}`, unpack, ["uri_is_file"]);
  if (text.length > MAX_URI) return { kind: "unusable", reason: "uri_too_long" };
  const isWeb = /^https?:/i.test(text);
  const content = contentAddressOf(text);
  if (content !== null) {
    const isBare = !/^[a-z]+:/i.test(text);
    return atGateway(`${gateways.ipfs}/ipfs/`, content, {
      ...(isWeb && { gateway: text }),
      warnings: isBare ? ["bare_cid"] : [],
    });
  }
  if (isWeb) return { kind: "fetch", url: text, warnings: /^http:/i.test(text) ? ["no_tls"] : [] };
  const arweave = text.match(/^ar:\/\/(.+)$/i)?.[1];
  if (arweave !== undefined) return atGateway(`${gateways.arweave}/`, arweave, { warnings: [] });
  return { kind: "unusable", reason: "uri_scheme" };
}

/** Dots that are no more than a step of a path for who decodes the slash beside them; the parser of URLs leaves such dots as they are. */
const ENCODED_STEP = /(?:\/|%2f|%5c)(?:\.|%2e){1,2}(?:\/|%2f|%5c|$)/i;

/** What a gateway is asked for. A path that leads out of what the gateway serves is unusable: the rest of its host is not for strangers to ask. */
function atGateway(base: string, path: string, about: { gateway?: string; warnings: Defect[] }): FileLocation {
  const url = `${base}${path}`;
  const place = urlOf(url)?.pathname;
  const served = urlOf(base)?.pathname;
  const isWithin = place !== undefined && served !== undefined && place.startsWith(served) && !ENCODED_STEP.test(place);
  return isWithin ? { kind: "fetch", url, ...about } : { kind: "unusable", reason: "uri_path" };
}

function inline(text: string, warnings: Defect[]): FileLocation {
  return text.length > INLINE_BYTES ? { kind: "unusable", reason: "too_large" } : { kind: "inline", text, warnings };
}

/** @see RFC 2397, and `enc=gzip` as agents on the chain have it: the file packed before it was encoded */
function dataUri(uri: string, unpack: Unpack, warnings: Defect[]): FileLocation {
  if (uri.length > INLINE_BYTES * 1.4) return { kind: "unusable", reason: "too_large" };
  const given = dataUriOf(uri);
  if (given === null) return { kind: "unusable", reason: "data_empty" };
  const { type, parameters, data, hasBlank } = given;
  const named = parameters.find((each) => each.startsWith("enc="))?.slice(4);
  // It is shown to people.
  const coding = named === undefined || /^[\w.-]{1,32}$/.test(named) ? named : "unknown";
  const odd: Defect[] = [
    ...warnings,
    ...(type === "application/json" ? [] : (["data_type"] as const)),
    ...(hasBlank ? (["data_blank"] as const) : []),
  ];
  // Also where base64 is announced.
  if (data.startsWith("{") || !parameters.includes("base64"))
    return coding === undefined
      ? inline(data, [...odd, "data_plain"])
      : { kind: "unusable", reason: "data_undecodable" };
  const bytes = base64Bytes(data);
  if (bytes === null) return { kind: "unusable", reason: "data_undecodable" };
  if (coding === undefined) return inline(new TextDecoder().decode(bytes), odd);
  const unpacked = unpack(coding, bytes, INLINE_BYTES);
  if (unpacked.kind === "refused") return { kind: "unusable", reason: unpacked.why };
  return inline(new TextDecoder().decode(unpacked.bytes), [...odd, defect("data_packed", coding)]);
}

/** The contents of a registration file, cleaned for storage. */
export type Registration = Pick<DirectoryEntry, "description" | "services" | "traitCount" | "x402Supported"> & {
  name: string | null;
  /** A link, or the picture itself as `imageUri` writes it. */
  imageUrl: string | null;
  /** Skills and tools that the services list, each once. Files that were read by an earlier version have none. */
  skills?: string[];
  /** Files that were read by an earlier version have none. */
  active?: boolean;
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
  const types = [file.type].flat();
  if (!types.some((type) => typeof type === "string" && type.includes("eip-8004#registration"))) warnings.add("type");
  else if (Array.isArray(file.type)) warnings.add("type_list");
  for (const field of ["name", "description", "image"])
    if (typeof file[field] !== "string" || file[field] === "") warnings.add(defect("missing", field));
  const name = foreignText(file.name, MAX_NAME);
  const description = foreignText(file.description, MAX_DESCRIPTION, { lines: true });
  if (isCut(file.name, MAX_NAME)) warnings.add(defect("cut", "name"));
  if (isCut(file.description, MAX_DESCRIPTION)) warnings.add(defect("cut", "description"));
  const imageUrl = imageOf(file.image, warnings);
  const { services, skills, traitCount } = readServices(file, warnings);
  return {
    name,
    description,
    imageUrl,
    services,
    skills,
    traitCount,
    x402Supported: x402Of(file, warnings),
    active: flagOf(file.active, "active", warnings) ?? true,
    agents: namedAgents({ ...file, services }).slice(0, MAX_AGENTS),
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
  if ((file.services ?? null) === null && (file.endpoints ?? null) !== null) warnings.add("old_services");
  const listed = listedServices(file.services ?? file.endpoints, warnings);
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
    const { name, endpoint } = each as Record<string, unknown>;
    if (!name || !endpoint) warnings.add(defect("service_words", String(i + 1)));
    if (hasPlaceholder(service.endpoint)) warnings.add(defect("template", String(i + 1)));
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

/** The services as a list: also of an object by their names, and of a single one. */
function listedServices(given: unknown, warnings: Set<Defect>): unknown[] {
  if (Array.isArray(given)) return given;
  if (given !== undefined && given !== null) warnings.add("services_no_list");
  if (!isRecord(given)) return [];
  if (serviceOf(given) !== null) return [given];
  return Object.entries(given).flatMap(([name, value]) =>
    [value].flat().map((one: unknown) => (isRecord(one) ? { name, ...one } : { name, endpoint: one })),
  );
}

/** Also by the words of DID documents and of earlier drafts. */
function serviceOf(raw: unknown): Service | null {
  if (!isRecord(raw)) return null;
  const name = foreignText(raw.name ?? raw.type ?? raw.protocol, 64);
  const endpoint = foreignText(raw.endpoint ?? raw.url ?? raw.value ?? raw.uri ?? raw.serviceEndpoint, 500);
  const version = raw.version ?? (isRecord(raw.meta) ? raw.meta.version : null);
  return name && endpoint ? { name, endpoint, version: foreignText(version, 32) } : null;
}

/** The picture as a link, or as it is in the file. @param warnings takes what is wrong with it */
function imageOf(raw: unknown, warnings: Set<Defect>): string | null {
  if (typeof raw !== "string" || raw === "") return null;
  const link = foreignLink(raw);
  if (link !== null) return link;
  // A longer one is no link, and each scheme before another is a step.
  const content = raw.length > MAX_URI ? null : contentAddressOf(raw.trim());
  const embedded = embeddedImage(raw.trim());
  if (embedded && embedded.bytes.length <= MAX_IMAGE_BYTES) return imageUri(embedded);
  warnings.add(embedded ? "image_too_large" : "image");
  return content && foreignLink(`ipfs://${content}`);
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
  if (!isRecord(said)) return flagOf(said, "x402", warnings) ?? false;
  warnings.add("x402");
  return said.enabled === true;
}

/** True or false, also as a text or a number. @returns undefined for anything else */
function flagOf(raw: unknown, code: "active" | "x402", warnings: Set<Defect>): boolean | undefined {
  if (raw !== undefined && raw !== null && typeof raw !== "boolean") warnings.add(code);
  // Text of an object would be made by what the file has as its toString.
  const said = typeof raw === "object" ? undefined : String(raw);
  if (said === "true" || said === "1") return true;
  return said === "false" || said === "0" ? false : undefined;
}
