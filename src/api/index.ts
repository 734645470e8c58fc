/** Ponder's own HTTP server needs an app; the service's API is a process of its own (api/) and this one stays empty. */
import { Hono } from "hono";

export default new Hono();
