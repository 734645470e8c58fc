/** Process that an API starts to load the directory for it, with threads that sort (columns/load-process.ts). */
import { answerLoadRequest } from "../../columns/load-process.ts";
import { entryOf } from "../../runtime/processes.ts";
import { source } from "./directory-source.ts";

answerLoadRequest(source, entryOf("sort-table"));
