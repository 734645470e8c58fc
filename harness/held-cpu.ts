/** Processes that take what they get: what a busy host is to a service. */
import { startProgram } from "../devnet/start-program.ts";

/** Starts processes that keep a core busy each. @returns ends them */
export function burn(count: number): () => void {
  const burners = Array.from({ length: count }, () =>
    startProgram(process.execPath, ["-e", "for (;;);"], { endSignal: "SIGKILL" }),
  );
  return () => {
    for (const burner of burners) burner.kill("SIGKILL");
  };
}
