/** The random cases of agent-list.test.ts, a larger share of them. */
import "./agent-list.test.ts";
