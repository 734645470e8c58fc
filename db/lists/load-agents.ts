/** Process that loads the agent list (columns/load-process.ts). */
import { answerLoadOrder } from "../../columns/load-process.ts";
import { source } from "./agents-source.ts";

answerLoadOrder(source);
