/** Process that loads the directory (columns/load-process.ts). */
import { answerLoadOrder } from "../../columns/load-process.ts";
import { source } from "./directory-source.ts";

answerLoadOrder(source);
