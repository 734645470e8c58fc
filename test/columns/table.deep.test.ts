/** The random cases of table.test.ts, a larger share of them. */
import "./table.test.ts";
