/** Writes what follows from the list of variables in config/: .env.example, and the variables in compose.yaml. */
import { readFileSync, writeFileSync } from "node:fs";
import { composeFile, envExample } from "../config/generated-files.ts";

const COMPOSE = new URL("../compose.yaml", import.meta.url);
writeFileSync(new URL("../.env.example", import.meta.url), envExample());
writeFileSync(COMPOSE, composeFile(readFileSync(COMPOSE, "utf8")));
