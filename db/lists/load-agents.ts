/** Process that loads the agent list (columns/load-process.ts). */
import { answerLoadRequest } from "../../columns/load-process.ts";
import { entryOf } from "../../runtime/processes.ts";
import { source } from "./agents-source.ts";

answerLoadRequest(source, entryOf("sort-table"));
