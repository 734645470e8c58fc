/** The process of readers, which each worker process has (wiring/readers.ts): it runs the jobs that read untrusted content. */
import { setPriority } from "node:os";
import { loadConfig } from "../config/config.ts";
import { onShutdown, sayAlive, sayUp } from "../runtime/lifecycle.ts";
import { wireReaders } from "../wiring/workers.ts";
import { runReaders } from "./run.ts";

/** Where cores are few, what sends and delivers goes first: this process gets a third of its share of a busy core. */
const NICE = 5;
setPriority(NICE);

const { value: context, close } = await wireReaders(loadConfig(undefined, { of: "workers" }));
const readers = runReaders(context);
onShutdown(async () => {
  await readers.stop();
  await close();
});
context.log.info("the readers run");
sayUp();
sayAlive();
