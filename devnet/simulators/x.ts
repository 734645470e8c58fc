/** X API v2: users by name and by id, both ways of saying that there is none, request windows, and the reads that X bills. */
import { Hono, type MiddlewareHandler } from "hono";
import { z } from "zod";
import {
  ANY_KEY,
  control,
  type MakeSimulator,
  type RequestWindow,
  reply,
  requestWindow,
  type SimulatedPlatform,
} from "./simulator.ts";

const user = z.object({
  id: z.coerce.string(),
  name: z.string().optional(),
  description: z.string().default(""),
  suspended: z.boolean().default(false),
});
type User = z.output<typeof user> & { username: string };

const PROBLEMS = "https://api.twitter.com/2/problems";
/** Requests of a window, and its seconds. Max names or ids of one request. */
const WINDOW = { requests: 300, seconds: 900 };
const MAX_VALUES = 100;
const handlePattern = "^[A-Za-z0-9_]{1,15}$";

const makeX: MakeSimulator = ({ world }) => {
  const users = world.collection<User>("x.users");
  const settings = world.collection<{ style: "200" | "404" }>("x.settings");
  const window = requestWindow(WINDOW.requests, WINDOW.seconds);
  /** Users that were read: X bills each. */
  let billed = 0;

  const shown = ({ id, name, username, description }: User) => ({ id, name: name ?? username, username, description });
  const absent = (parameter: string, value: string) => ({
    value,
    detail: `Could not find user with ${parameter}: [${value}].`,
    title: "Not Found Error",
    resource_type: "user",
    parameter,
    resource_id: value,
    type: `${PROBLEMS}/resource-not-found`,
  });
  const problemOf = (parameter: string, value: string, found: User | undefined) =>
    found?.suspended
      ? { ...absent(parameter, value), detail: `User has been suspended: [${value}].`, title: "Forbidden" }
      : absent(parameter, value);

  const single = (parameter: string, value: string, found: User | undefined) => {
    if (found && !found.suspended) {
      billed++;
      return reply({ data: shown(found) });
    }
    const errors = [problemOf(parameter, value, found)];
    const is404 = settings.get("not-found")?.style === "404" && !found?.suspended;
    return is404 ? reply({ ...errors[0], status: 404 }, 404) : reply({ errors });
  };
  const several = (parameter: string, values: string[], find: (value: string) => User | undefined) => {
    const many = `The number of values in the \`${parameter}\` query parameter list [${values.length}]`;
    if (values.length < 1 || values.length > MAX_VALUES)
      return invalid(parameter, [], `${many} is not between 1 and ${MAX_VALUES}`);
    const users = values.map((value) => ({ value, user: find(value) }));
    const data = users.flatMap((f) => (f.user && !f.user.suspended ? [shown(f.user)] : []));
    const errors = users.flatMap((f) => (f.user && !f.user.suspended ? [] : [problemOf(parameter, f.value, f.user)]));
    billed += data.length;
    return reply({ ...(data.length > 0 && { data }), ...(errors.length > 0 && { errors }) });
  };
  const byName = (name: string) => users.get(name.toLowerCase());
  const byId = (id: string) => users.values().find((user) => user.id === id);

  const api = new Hono();
  api.use("*", admit(window));
  api.get("/2/users/by/username/:username", (c) => {
    const username = c.req.param("username");
    if (new RegExp(handlePattern).test(username)) return single("username", username, byName(username));
    const value = `The \`username\` query parameter value [${username}]`;
    return invalid("username", [username], `${value} does not match ${handlePattern}`);
  });
  api.get("/2/users/by", (c) => several("usernames", listOf(c.req.query("usernames")), byName));
  api.get("/2/users", (c) => several("ids", listOf(c.req.query("ids")), byId));
  api.get("/2/users/:id", (c) => single("id", c.req.param("id"), byId(c.req.param("id"))));

  const controls = control("/users", users, (username, body) => ({ ...user.parse(body), username }));
  controls.put("/not-found", async (c) => {
    const style = z.object({ style: z.enum(["200", "404"]) }).parse(await c.req.json());
    settings.set("not-found", style);
    return reply(style);
  });
  controls.put("/window", async (c) => {
    const { requests } = z.object({ requests: z.int().min(0) }).parse(await c.req.json());
    window.restart(requests);
    return reply({ requests });
  });
  controls.get("/billed", () => reply({ billed }));

  return {
    source: "x",
    api,
    control: controls,
    failure(status) {
      const title = status === 429 ? "Too Many Requests" : status === 403 ? "Forbidden" : "Service Unavailable";
      const headers = windowHeaders(WINDOW.requests, status === 429 ? 0 : 299, Math.floor(Date.now() / 1000));
      return { body: problemBody(title, status), headers };
    },
  };
};

/** Requires a key, and counts the request in the window, which its answer's headers show. */
const admit =
  (window: RequestWindow): MiddlewareHandler =>
  async (c, next) => {
    if (!/^bearer \S+/i.test(c.req.header("authorization") ?? "")) return reply(problemBody("Unauthorized", 401), 401);
    const { limit, remaining, reset, refused } = window.take();
    if (refused) return reply(problemBody("Too Many Requests", 429), 429, windowHeaders(limit, 0, reset));
    await next();
    for (const [name, value] of Object.entries(windowHeaders(limit, remaining, reset))) c.res.headers.set(name, value);
    return undefined;
  };

const problemBody = (title: string, status: number) => ({ title, detail: title, type: "about:blank", status });

/** @param reset end of the window, Unix seconds */
const windowHeaders = (limit: number, remaining: number, reset: number): Record<string, string> => ({
  "x-rate-limit-limit": String(limit),
  "x-rate-limit-remaining": String(remaining),
  "x-rate-limit-reset": String(reset),
});

const listOf = (query: string | undefined) => (query ?? "").split(",").filter(Boolean);

/** The request itself is wrong: one value of a parameter, or the number of them. */
const invalid = (parameter: string, values: string[], message: string) =>
  reply(
    {
      errors: [{ parameters: { [parameter]: values }, message }],
      title: "Invalid Request",
      detail: "One or more parameters to your request was invalid.",
      type: `${PROBLEMS}/invalid-request`,
    },
    400,
  );

export const x: SimulatedPlatform = {
  make: makeX,
  environment: (url) => ({ X_API_URL: `${url}/x`, X_BEARER_TOKEN: ANY_KEY }),
  account: (name, id, shows) => ({
    path: `x/users/${name}`,
    planted: { id: String(id), name, description: `An agent of its own. ${shows}` },
    claim: { handle: name },
  }),
};
