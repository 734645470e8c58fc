/** The problems of an input in the service's own words: one for each path, never a library's text. */
import type { z } from "zod";

type Issue = z.core.$ZodRawIssue;

/** Messages of schemas that do not bring their own; given to `safeParse` as its error map. */
export function issueText(issue: Issue): string {
  switch (issue.code) {
    case "invalid_type":
      if (issue.input === undefined) return "is required";
      return `must be ${TYPES[issue.expected] ?? `of type ${issue.expected}`}`;
    case "too_big":
      return `must ${bound(issue.origin, issue.inclusive === false ? "less than" : "at most", issue.maximum)}`;
    case "too_small":
      return `must ${bound(issue.origin, issue.inclusive === false ? "more than" : "at least", issue.minimum)}`;
    case "invalid_value":
      return `must be one of ${issue.values.map(String).join(", ")}`;
    case "unrecognized_keys":
      return "is not a known field";
    default:
      return "is not valid";
  }
}

const TYPES: Record<string, string> = {
  string: "a text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  object: "an object",
  array: "a list",
};

function bound(origin: string, relation: string, limit: number | bigint): string {
  if (origin === "string") return `have ${relation} ${limit} character${Number(limit) === 1 ? "" : "s"}`;
  if (origin === "array" || origin === "set") return `have ${relation} ${limit} item${Number(limit) === 1 ? "" : "s"}`;
  return `be ${relation} ${limit}`;
}

/** The `details` of an error body: one line per problem, unknown keys by their own path. */
export function issueDetails(error: z.ZodError, root: string): { path: string; message: string }[] {
  return error.issues.slice(0, 20).flatMap((issue) => {
    const path = issue.path.map(String);
    if (issue.code === "unrecognized_keys")
      return issue.keys
        .slice(0, 20)
        .map((key) => ({ path: [...path, key.slice(0, 64)].join("."), message: issue.message }));
    return [{ path: path.join(".") || root, message: issue.message }];
  });
}
