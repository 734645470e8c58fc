/** X API v2: users by name and by id, both ways of saying that there is none. */
import { Hono } from "hono";
import { z } from "zod";
import { ANY_KEY, control, type MakeSimulator, reply, type SimulatedPlatform } from "./simulator.ts";

const user = z.object({
  id: z.coerce.string(),
  name: z.string().optional(),
  description: z.string().default(""),
  suspended: z.boolean().default(false),
});
type User = z.output<typeof user> & { username: string };

const PROBLEMS = "https://api.twitter.com/2/problems";
const handlePattern = "^[A-Za-z0-9_]{1,15}$";

const makeX: MakeSimulator = ({ world }) => {
  const users = world.collection<User>("x.users");
  const settings = world.collection<{ style: "200" | "404" }>("x.settings");

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
    if (found && !found.suspended) return reply({ data: shown(found) }, 200, window());
    const errors = [problemOf(parameter, value, found)];
    const is404 = settings.get("not-found")?.style === "404" && !found?.suspended;
    return is404 ? reply({ ...errors[0], status: 404 }, 404, window()) : reply({ errors }, 200, window());
  };
  const several = (parameter: string, asked: string[], find: (value: string) => User | undefined) => {
    const found = asked.map((value) => ({ value, user: find(value) }));
    const data = found.flatMap((f) => (f.user && !f.user.suspended ? [shown(f.user)] : []));
    const errors = found.flatMap((f) => (f.user && !f.user.suspended ? [] : [problemOf(parameter, f.value, f.user)]));
    return reply({ ...(data.length > 0 && { data }), ...(errors.length > 0 && { errors }) }, 200, window());
  };
  const byName = (name: string) => users.get(name.toLowerCase());
  const byId = (id: string) => users.values().find((found) => found.id === id);

  const api = new Hono();
  api.use("*", async (c, next) => {
    if (/^bearer \S+/i.test(c.req.header("authorization") ?? "")) return next();
    return reply({ title: "Unauthorized", type: "about:blank", status: 401, detail: "Unauthorized" }, 401);
  });
  api.get("/2/users/by/username/:username", (c) => {
    const username = c.req.param("username");
    return new RegExp(handlePattern).test(username)
      ? single("username", username, byName(username))
      : invalid(username);
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

  return {
    source: "x",
    api,
    control: controls,
    failure(status) {
      const title = status === 429 ? "Too Many Requests" : status === 403 ? "Forbidden" : "Service Unavailable";
      return { body: { title, detail: title, type: "about:blank", status }, headers: window(status === 429 ? 0 : 299) };
    },
  };
};

/** The headers of a 15-minute window that ends now. */
const window = (remaining = 299): Record<string, string> => ({
  "x-rate-limit-limit": "300",
  "x-rate-limit-remaining": String(remaining),
  "x-rate-limit-reset": String(Math.floor(Date.now() / 1000)),
});

const listOf = (query: string | undefined) => (query ?? "").split(",").filter(Boolean).slice(0, 100);

const invalid = (username: string) =>
  reply(
    {
      errors: [
        {
          parameters: { username: [username] },
          message: `The \`username\` query parameter value [${username}] does not match ${handlePattern}`,
        },
      ],
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
