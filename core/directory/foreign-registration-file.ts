/** ERC-8004 registration files: resolves their URIs and reads the files leniently, with a warning for every irregularity. */
import { parseForeignJson } from "../foreign-json.ts";
import type { Service } from "./entry.ts";
import { foreignLink, foreignText } from "./foreign-text.ts";

/** Target of a URI: a document inside the URI, a document to fetch, no document, or an unusable URI. */
export type FileLocation =
  | { kind: "inline"; text: string; warnings: string[] }
  | { kind: "fetch"; url: string; warnings: string[] }
  | { kind: "absent" }
  | { kind: "unusable"; reason: string };

/** Base URLs of the gateways for content addresses, without a trailing slash. */
export type Gateways = { ipfs: string; arweave: string };

const INLINE_BYTES = 262_144;
/** Max characters of a URI that points to a file; no link that is shown is longer. */
const MAX_URI = 2_000;
const CID = /^(Qm[1-9A-HJ-NP-Za-km-z]{44}|b[a-z2-7]{58,})(\/[^\s]*)?$/;

/** @see ERC-8004, "Agent URI": https, ipfs and data URIs; in the wild also ar, raw JSON and bare CIDs */
export function locateFile(uri: string, gateways: Gateways): FileLocation {
  const text = uri.trim();
  if (text === "") return { kind: "absent" };
  if (text.startsWith("{")) return inline(text, ["The URI is the file itself, not a URI."]);
  if (/^data:/i.test(text)) return dataUri(text);
  if (text.length > MAX_URI)
    return { kind: "unusable", reason: `The URI is longer than ${MAX_URI.toLocaleString("en")} characters.` };
  if (/^https?:\/\//i.test(text))
    return { kind: "fetch", url: text, warnings: /^http:/i.test(text) ? ["The file is served without TLS."] : [] };
  const ipfs = text.match(/^ipfs:\/\/(?:ipfs\/)?(.+)$/i)?.[1];
  if (ipfs !== undefined) return { kind: "fetch", url: `${gateways.ipfs}/ipfs/${ipfs}`, warnings: [] };
  const arweave = text.match(/^ar:\/\/(.+)$/i)?.[1];
  if (arweave !== undefined) return { kind: "fetch", url: `${gateways.arweave}/${arweave}`, warnings: [] };
  if (CID.test(text))
    return { kind: "fetch", url: `${gateways.ipfs}/ipfs/${text}`, warnings: ["The URI is a bare content id."] };
  return { kind: "unusable", reason: "The URI has a scheme nobody can follow." };
}

function inline(text: string, warnings: string[]): FileLocation {
  return text.length > INLINE_BYTES
    ? { kind: "unusable", reason: "The file in the URI is larger than 256 KiB." }
    : { kind: "inline", text, warnings };
}

function dataUri(uri: string): FileLocation {
  const comma = uri.indexOf(",");
  if (comma < 0 || uri.length > INLINE_BYTES * 1.4)
    return {
      kind: "unusable",
      reason: comma < 0 ? "The data URI has no data." : "The data URI is larger than 256 KiB.",
    };
  const head = uri.slice(5, comma).toLowerCase();
  const data = uri.slice(comma + 1);
  const odd = head.startsWith("application/json") ? [] : ["The data URI is not application/json."];
  try {
    if (!/;\s*base64$/.test(head)) return inline(percentDecoded(data), [...odd, "The data URI is not base64."]);
    const bytes = Uint8Array.from(
      atob(percentDecoded(data).replaceAll(/\s/g, "").replaceAll("-", "+").replaceAll("_", "/")),
      (c) => c.charCodeAt(0),
    );
    return inline(new TextDecoder().decode(bytes), odd);
  } catch {
    return { kind: "unusable", reason: "The data URI cannot be decoded." };
  }
}

function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // A percent sign of raw JSON that is not an escape.
    return text;
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
  warnings: string[];
};

const MAX_SERVICES = 64;
const MAX_SKILLS = 64;

/** Reads a file. @throws SyntaxError when it is not a JSON object */
export function readRegistration(text: string): Registration {
  let file: Record<string, unknown>;
  try {
    file = parseForeignJson(text) as Record<string, unknown>;
  } catch {
    throw new SyntaxError("The file is not JSON.");
  }
  if (file === null || typeof file !== "object" || Array.isArray(file))
    throw new SyntaxError("The file is not a JSON object.");
  const warnings: string[] = [];
  if (typeof file.type !== "string" || !file.type.includes("eip-8004#registration"))
    warnings.push("The type is not that of a registration file.");
  if (file.services === undefined && file.endpoints !== undefined)
    warnings.push("The services are under the old name endpoints.");
  if (typeof file.active !== "boolean" && file.active !== undefined) warnings.push("active is not true or false.");
  for (const field of ["name", "description", "image"])
    if (typeof file[field] !== "string" || file[field] === "") warnings.push(`${field} is missing.`);
  const listed = file.services ?? file.endpoints;
  if (listed !== undefined && !Array.isArray(listed)) warnings.push("The services are not a list.");
  const traits = new Set<string>();
  const services: Service[] = [];
  const skills = new Map<string, string>();
  for (const each of (Array.isArray(listed) ? listed : []).slice(0, MAX_SERVICES)) {
    const service = serviceOf(each);
    if (service === null) {
      warnings.push("A service could not be read.");
      continue;
    }
    services.push(service);
    traits.add(`service ${service.name.toLowerCase()} ${service.endpoint}`);
    for (const skill of skillsOf(each)) {
      traits.add(`skill ${skill.toLowerCase()}`);
      if (skills.size < MAX_SKILLS && !skills.has(skill.toLowerCase())) skills.set(skill.toLowerCase(), skill);
    }
  }
  return {
    name: foreignText(file.name, 64),
    description: foreignText(file.description, 2_000, { lines: true }),
    imageUrl: foreignLink(file.image),
    services,
    skills: [...skills.values()],
    traitCount: traits.size,
    x402Supported: x402Of(file, warnings),
    warnings: [...new Set(warnings)],
  };
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

function x402Of(file: Record<string, unknown>, warnings: string[]): boolean {
  const said = file.x402Support ?? file.x402support;
  if (file.x402Support === undefined && file.x402support !== undefined)
    warnings.push("x402Support is written x402support.");
  if (said !== null && typeof said === "object") {
    warnings.push("x402Support is not true or false.");
    return (said as { enabled?: unknown }).enabled === true;
  }
  return said === true;
}
