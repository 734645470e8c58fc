/** Random JSON as strangers write it: any document with something hostile in any of its fields. */
import fc from "fast-check";

/** What strangers write where a text, a number or anything else is expected. */
export const text = fc.oneof(
  fc.string({ unit: "binary", maxLength: 40 }),
  // Halves of surrogate pairs among letters.
  fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 30 }).map((units) => String.fromCharCode(...units)),
  fc.constantFrom(
    "\0",
    "a\0b",
    "\ud83d",
    "\udc00\ud800",
    "\u202e\u2066evil\u2069",
    "\u200b\u200d\ufeff",
    "NaN",
    "1e999",
    "-1",
    "0x",
    "__proto__",
    "constructor",
    "+275760-09-13T00:00:00.001Z",
    "-271821-04-19T23:59:59.999Z",
    "9999-12-31T23:59:60Z",
    "99999999999999999999999999",
    `https://A${"-".repeat(16_384)}/`,
    "https://[::1",
    "javascript:alert(1)",
    "a\u0301".repeat(2_000),
    "🧱".repeat(2_000),
    "x".repeat(100_000),
  ),
);
const number = fc.oneof(
  fc.double(),
  fc.constantFrom(2 ** 31, -(2 ** 31), 2 ** 53, -(2 ** 53), 1e18, 1e308, -1e308, 5e-324, -0, 0.1, 1e15),
);
const anything = fc.oneof(
  { weight: 5, arbitrary: text },
  { weight: 3, arbitrary: number },
  { weight: 1, arbitrary: fc.constantFrom<unknown>(null, true, false, [], {}, [[[]]], { toString: 1, valueOf: null }) },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 6, noUnicodeString: false } as object) },
  {
    weight: 1,
    arbitrary: fc.dictionary(
      text.filter((t) => t.length < 1_000),
      fc.oneof(text, number),
      { maxKeys: 4 },
    ),
  },
);

type Json = Record<string, unknown>;
type Place = { path: (string | number)[]; value: unknown };
/** Every place of a document: of each object and list, and of each value in them. */
function placesOf(value: unknown, path: (string | number)[] = []): Place[] {
  const inner =
    value !== null && typeof value === "object"
      ? Object.entries(value).flatMap(([key, each]) =>
          placesOf(each, [...path, Array.isArray(value) ? Number(key) : key]),
        )
      : [];
  return path.length === 0 ? inner : [{ path, value }, ...inner];
}
/** The value with something else at a place below it; the value itself stays as it is. */
function put(value: unknown, [key, ...rest]: (string | number)[], given: unknown): unknown {
  const next = (each: unknown) => (rest.length === 0 ? given : put(each, rest, given));
  if (Array.isArray(value)) return value.map((each, i) => (i === key ? next(each) : each));
  return { ...(value as object), [key!]: next((value as Json)[key!]) };
}
/** A document with something hostile in some of its places, and now and then a field of a hostile name. */
export const hostile = <T>(document: T): fc.Arbitrary<T> =>
  fc
    .tuple(
      fc.array(fc.tuple(fc.constantFrom(...placesOf(document).map(({ path }) => path)), anything), {
        minLength: 1,
        maxLength: 4,
      }),
      fc.option(
        fc.tuple(
          text.filter((t) => t.length < 5_000),
          anything,
        ),
        { nil: undefined },
      ),
    )
    .map(([changes, extra]) => {
      // The shallow ones last: they may take the deeper places away.
      const ordered = changes.toSorted(([a], [b]) => b.length - a.length);
      const changed = ordered.reduce<unknown>((whole, [path, given]) => put(whole, path, given), document);
      return (extra ? { ...(changed as object), [extra[0]]: extra[1] } : changed) as T;
    });

/** JSON as it is sent, with what `JSON.stringify` cannot write: numbers beyond range, deep nesting, `__proto__`. */
export function written(document: unknown, { depth }: { depth: number }): string {
  const json = JSON.stringify(document)
    .replaceAll(/"1e999"(?!:)/g, "1e999")
    .replaceAll("1e+308", "1e999");
  const more = `"__proto__":{"polluted":true},"deep":${"[".repeat(depth)}${"]".repeat(depth)}`;
  return json.startsWith("{") ? `{${more}${json === "{}" ? "" : ","}${json.slice(1)}` : json;
}
