/** The zero address: the sender of a mint, the receiver and owner of what is burned. */
export const ZERO_ADDRESS = "0x0000000000000000000000000000000000000000";
