/** Holds answers to the OpenAPI document: the status is documented, the body valid, the common headers there. */
import validatorModule from "openapi-response-validator";
import type { Answer, OpenApi } from "./api.ts";

// CommonJS: depending on who loads it, the class is the module or the module's `default`.
const OpenAPIResponseValidator = ((validatorModule as { default?: unknown }).default ??
  validatorModule) as typeof validatorModule.default;

const COMMON_HEADERS = ["x-request-id", "x-api-version", "x-content-type-options", "access-control-allow-origin"];

/**
 * A check of answers. The status must be documented for the operation, the body valid for it. What no operation knows
 * (404 of unknown paths, 405) must still be the one error body. Headers that every answer carries are checked too.
 * @returns a function that throws an Error that names the request and what is wrong with its answer
 */
export function conformance(document: OpenApi): (method: string, path: string, answer: Answer) => void {
  const { schemas } = document.components;
  const error = { $ref: "#/components/schemas/Error" };
  const operations = Object.entries(document.paths).flatMap(([template, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      method: method.toUpperCase(),
      pattern: new RegExp(`^${template.replaceAll(/[.*+?^$()|[\]\\]/g, "\\$&").replaceAll(/\{\w+\}/g, "[^/]+")}$`),
      fixed: !template.includes("{"),
      operation,
    })),
  );

  return (method, path, answer) => {
    const { status, headers, body, text } = answer;
    const complain = (what: string) => {
      throw new Error(`${method} ${path} → ${status}: ${what}\n${text.slice(0, 500)}`);
    };
    const hold = (schema: object) => {
      const problem = problemOf(schema, schemas, body);
      if (problem) complain(JSON.stringify(problem));
    };
    for (const name of COMMON_HEADERS) if (!headers.has(name)) complain(`no ${name}`);
    if (method === "OPTIONS" || method === "HEAD") return;
    // As a client sends it: a segment that is `.` or `..` is another path.
    const sent = new URL(`http://service${path}`).pathname;
    if (status === 308 && sent.endsWith("/")) return;
    const plain = sent.replace(/(?<=[^/])\/$/, "");
    const matching = operations.filter((o) => o.method === method && o.pattern.test(plain));
    const found = matching.find((o) => o.fixed) ?? matching[0];
    if (!found) {
      if (status < 400) complain("a success of an operation that is not documented");
      return hold(error);
    }
    const documented = found.operation.responses[String(status)];
    if (!documented) return complain("the status is not documented");
    const json = documented.content?.["application/json"];
    if (json) hold(json.schema);
    else if (status === 304 && text !== "") complain("304 with a body");
  };
}

type Schemas = Record<string, object>;

type Validator = InstanceType<typeof OpenAPIResponseValidator>;

/** By their texts: a document has a thousand answers, most of them alike and few of them asked for. */
const validators = new Map<string, Validator>();
/** The same by the schema itself, which spares writing its text. */
const known = new WeakMap<object, Validator>();

/** What is wrong with a value by a schema of a document; undefined when nothing is. */
export function problemOf(schema: object, schemas: Schemas, value: unknown): unknown {
  const validator = known.get(schema) ?? validatorOf(schema, schemas);
  known.set(schema, validator);
  return validator.validateResponse("default", value);
}

function validatorOf(schema: object, schemas: Schemas): Validator {
  const components = { schemas: referred(schema, schemas) };
  const text = JSON.stringify([schema, components]);
  const validator =
    validators.get(text) ?? new OpenAPIResponseValidator({ responses: { default: { schema } }, components } as never);
  validators.set(text, validator);
  return validator;
}

/** The components that a schema refers to, and those that they do. */
function referred(schema: object, schemas: Schemas): Schemas {
  const found: Schemas = {};
  const open = [schema];
  for (let next = open.pop(); next; next = open.pop())
    for (const [, name] of JSON.stringify(next).matchAll(/"#\/components\/schemas\/([^"]+)"/g))
      if (!(name! in found)) {
        // One that is missing is complained about by the validator.
        if (schemas[name!] === undefined) continue;
        found[name!] = schemas[name!]!;
        open.push(schemas[name!]!);
      }
  return found;
}
