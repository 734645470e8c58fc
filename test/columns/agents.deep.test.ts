/** The random cases of agents.test.ts, a larger share of them. */
import "./agents.test.ts";
