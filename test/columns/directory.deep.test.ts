/** The random cases of directory.test.ts, a larger share of them. */
import "./directory.test.ts";
