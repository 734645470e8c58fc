/** Writes .env.example from the list of variables in config.ts. */
import { writeFileSync } from "node:fs";
import { envExample } from "../config.ts";

writeFileSync(new URL("../.env.example", import.meta.url), envExample());
