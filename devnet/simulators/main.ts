/** The simulators' process: `main.ts <port> <file> [<rows> [<URL of the chain>]]`, started by `npm start`. Of the local stack only. */
import { onShutdown } from "../../runtime/lifecycle.ts";
import { startSimulators } from "./server.ts";

const [port, file, rows, rpcUrl] = process.argv.slice(2);
try {
  const simulators = await startSimulators({
    port: Number(port ?? 0),
    ...(file !== undefined && { file }),
    ...(rows !== undefined && { rows: Number(rows) }),
    ...(rpcUrl !== undefined && { rpcUrl }),
  });
  onShutdown(() => simulators.stop());
  console.log(`the simulators listen on ${simulators.url}`);
} catch (error) {
  console.error(`The simulators cannot start: ${(error as Error).message}`);
  process.exit(1);
}
