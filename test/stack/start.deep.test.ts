/** The whole of start.test.ts, with a supervisor that is killed. */
import "./start.test.ts";
