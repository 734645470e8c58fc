/** The payment in a request's headers: exactly one, by one of the payment methods. */
import { Failure } from "../core/errors.ts";
import type { RequestBinding } from "../core/payments/challenges.ts";
import { formatUsdc, type Operation, priceUnits } from "../core/payments/prices.ts";
import { type Refusal, ruleOf } from "../core/payments/refusals.ts";
import type { Terms } from "../core/payments/terms.ts";
import type { Sales } from "./checkout.ts";
import {
  base64,
  type GivenPayment,
  type PaymentHeader,
  type PaymentMethod,
  refuseHeader,
  type SalesParts,
  type SentValue,
  type Wire,
} from "./methods/method.ts";

/** A header by name, with every value it was sent with (Node's `headersDistinct`). */
export type HeaderValues = Record<string, string[] | undefined>;

type ValueWire = Extract<Wire, { kind: "value" }>;
type CredentialWire = Extract<Wire, { kind: "credential" }>;
type Methods = readonly Pick<PaymentMethod, "wire">[];

/** Max characters of a header: a payload has about 1,400 for an account's key and a few thousand for a contract wallet, and as many again for the declaration (bazaar.ts), which clients send back. */
export const MAX_HEADER_CHARS = 16_384;

/** Headers that may carry a payment as their value, each of the same one; where several ways share one, as the first describes it. */
export function valueHeaders(methods: Methods): PaymentHeader[] {
  const all = methods.flatMap(({ wire }) => (wire.kind === "value" ? wire.headers : []));
  return all.filter(({ name }, i) => all.findIndex((other) => other.name === name) === i);
}

/** Headers of credentials that pay, which are also accepted in a list in Authorization. */
export const credentialHeaders = (methods: Methods): PaymentHeader[] =>
  methods.flatMap(({ wire }) => (wire.kind === "credential" ? [wire.header] : []));

/**
 * The payment of a request; null when it has none.
 * @throws Failure invalid_input for anything that is not exactly one well-formed payment
 */
export async function readPayment(headers: HeaderValues, parts: SalesParts): Promise<GivenPayment | null> {
  const { methods } = parts;
  const [first, ...more] = valuesIn(headers, methods);
  const credentials = methods.flatMap((method) => {
    const sent = method.wire.kind === "credential" ? credentialIn(headers, method.wire) : null;
    return sent ? [{ method, sent }] : [];
  });
  const [credential] = credentials;
  const names = [...(first ? [first.name] : []), ...credentials.map(({ sent }) => sent.name)];
  if (credentials.length > (first ? 0 : 1)) refuseHeader(names[0]!, "must be the only payment of the request");
  if (credential)
    return { method: credential.method, credential: await credential.method.read([credential.sent], parts) };
  if (first === undefined) return null;
  const method = methodOfValues([first, ...more], methods);
  return { method, credential: await method.read([first, ...more], parts) };
}

/** Proxies join the values of a header that came twice. */
const valuesIn = (headers: HeaderValues, methods: Methods): SentValue[] =>
  valueHeaders(methods).flatMap(({ name }) =>
    (headers[name.toLowerCase()] ?? [])
      .flatMap((value) => value.split(","))
      .map((value) => ({ name, value: value.trim() })),
  );

/** The payment method that all of the values are of, each by its header and its form. */
function methodOfValues(values: [SentValue, ...SentValue[]], methods: readonly PaymentMethod[]): PaymentMethod {
  const [first] = values;
  for (const { name, value } of values)
    if (value.length > MAX_HEADER_CHARS) refuseHeader(name, `must have at most ${MAX_HEADER_CHARS} characters`);
  const isOf =
    ({ name, value }: SentValue) =>
    ({ wire }: PaymentMethod) =>
      wire.kind === "value" && carries(wire, name) && wire.isOwn(value);
  const method = methods.find((one) => values.every((sent) => isOf(sent)(one)));
  if (method) return method;
  const alone = values.find((sent) => !methods.some(isOf(sent)));
  if (alone === undefined || values.some(({ value }) => value !== first.value))
    return refuseHeader(first.name, "must be the only payment of the request");
  const wire = methods.map((one) => one.wire).find((one) => one.kind === "value" && carries(one, alone.name));
  return refuseHeader(alone.name, (wire as ValueWire).form);
}

const carries = ({ headers }: ValueWire, header: string) => headers.some(({ name }) => name === header);

/** The credential of a scheme, without the scheme's name; null without one. Authorization may have a sign-in as well. */
function credentialIn(headers: HeaderValues, { scheme, header: { name } }: CredentialWire): SentValue | null {
  const start = new RegExp(`^\\s*${scheme}\\s+`, "i");
  const isOwn = (value: string) => start.test(value);
  const listed = (headers.authorization ?? []).flatMap((value) => value.split(",")).filter(isOwn);
  const own = headers[name.toLowerCase()] ?? [];
  const values = new Set([...own, ...listed].map((value) => value.replace(start, "").trim()));
  if (values.size === 0) return null;
  if (values.size > 1 || !own.every(isOwn)) refuseHeader(name, `must be one credential, ${scheme} {base64url}`);
  const [credential] = values;
  if (credential!.length > MAX_HEADER_CHARS) refuseHeader(name, `must have at most ${MAX_HEADER_CHARS} characters`);
  return { name, value: credential! };
}

/**
 * The 402 of a request.
 * @param binding the request to pay for; null before it was read: then the options have the terms only
 * @param reason the problem of the payment it brought; null when it brought none
 * @param retryAfter seconds, where more is known than what the reason says
 */
export function paymentRequired(
  parts: SalesParts,
  terms: Terms,
  binding: RequestBinding | null,
  reason: Refusal | null = null,
  retryAfter?: number,
): Failure {
  const price = formatUsdc(terms.amountUnits);
  const rule = reason && ruleOf(reason);
  const challenge = { terms, error: reason ?? "payment_required", binding };
  const made = parts.methods.flatMap((method) => method.option(parts, challenge) ?? []);
  return new Failure("payment_required", rule?.says ?? `This operation costs ${price} USDC.`, {
    headers: {
      ...Object.assign({}, ...made.map(({ headers }) => headers)),
      ...(reason && { "payment-response": base64(failedResponse(terms, reason)) }),
    },
    extra: {
      ...Object.assign({}, ...made.map(({ body }) => body)),
      ...terms.resource.otherwise,
      ...(reason && { reason }),
      price,
      currency: "USDC",
    },
    ...(rule && { hint: rule.hint, retryAfter: retryAfter ?? rule.retryAfter }),
  });
}

const failedResponse = ({ domain }: Terms, errorReason: string) => ({
  success: false,
  errorReason,
  transaction: "",
  network: `eip155:${domain.chainId}`,
});

/**
 * `x-payment-info` of an operation: its present price, and the protocols it can be paid by.
 * @returns undefined where it costs nothing, or can be paid by a transfer of one's own only
 */
export function paymentInfoOf({ shown, settlement }: Pick<Sales, "shown" | "settlement">, operation: Operation) {
  const units = priceUnits(operation, shown());
  const protocols = settlement.methods.flatMap((method) => method.protocol?.(settlement) ?? []);
  if (units === 0n || protocols.length === 0) return undefined;
  return { price: { mode: "fixed", currency: "USD", amount: formatUsdc(units) }, protocols };
}
