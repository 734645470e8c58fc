/** The random cases of hostile-data.test.ts, a larger share of them. */
import "./hostile-data.test.ts";
