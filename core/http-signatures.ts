/** HTTP message signatures (RFC 9421): the text that is signed, and the signatures that a request carries. */
import { type InnerList, isInnerList, type Parameters, parseDictionary, serializeInnerList } from "structured-headers";

export type ReceivedRequest = {
  method: string;
  /** The effective URL: as clients see it, behind whatever proxy. */
  url: URL;
  /** The lines of a field, by its lower-case name, joined by a comma and a space; undefined without any. */
  field(name: string): string | undefined;
};

/**
 * The text that is signed (section 2.5).
 * @param components the covered components, each an identifier as serialised and its value
 * @param parameters the member of `Signature-Input`, as serialised
 */
export const signatureBase = (components: readonly (readonly [string, string])[], parameters: string): string =>
  [...components, ['"@signature-params"', parameters]].map(([name, value]) => `${name}: ${value}`).join("\n");

export type RequestSignature = {
  components: InnerList[0];
  parameters: Parameters;
  /** The member of `Signature-Input`, serialised anew (section 2.3). */
  input: string;
  /** Null without a byte sequence of the same label in `Signature`. */
  signature: Uint8Array | null;
};

/**
 * The signatures with a tag, in the order of their labels in `Signature-Input`.
 * @param tag undefined: those without one
 * @throws Error when one of the two fields is no dictionary (RFC 9651)
 */
export function signaturesOf({ field }: Pick<ReceivedRequest, "field">, tag: string | undefined): RequestSignature[] {
  const signatures = parseDictionary(field("signature") ?? "");
  return [...parseDictionary(field("signature-input") ?? "")].flatMap(([label, member]) => {
    if (!isInnerList(member) || member[1].get("tag") !== tag) return [];
    const [bytes] = signatures.get(label) ?? [];
    const signature = bytes instanceof ArrayBuffer ? new Uint8Array(bytes) : null;
    return [{ components: member[0], parameters: member[1], input: serializeInnerList(member), signature }];
  });
}

const DERIVED: Record<string, (request: ReceivedRequest) => string> = {
  "@method": ({ method }) => method,
  "@scheme": ({ url }) => url.protocol.slice(0, -1),
  "@authority": ({ url }) => url.host,
  "@path": ({ url }) => url.pathname,
  "@query": ({ url }) => url.search || "?",
};

/**
 * The text that a signature covers. Components are those of `DERIVED` and whole fields: one with parameters is not known.
 * @returns null when it covers a component that is not known, one that the request lacks, or one twice
 */
export function signedText(request: ReceivedRequest, { components, input }: RequestSignature): string | null {
  const values = new Map<string, string>();
  for (const [name, parameters] of components) {
    if (typeof name !== "string" || parameters.size > 0 || values.has(`"${name}"`)) return null;
    const isDerived = name.startsWith("@");
    if (isDerived ? !Object.hasOwn(DERIVED, name) : !FIELD_NAME.test(name)) return null;
    const value = isDerived ? DERIVED[name]!(request) : request.field(name);
    if (value === undefined) return null;
    values.set(`"${name}"`, value);
  }
  return signatureBase([...values], input);
}

/** A lower-case name of a field (RFC 9110, section 5.6.2). */
const FIELD_NAME = /^[a-z0-9!#$%&'*+.^_`|~-]+$/;
