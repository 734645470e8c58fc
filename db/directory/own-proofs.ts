/** SQL of the platforms on which an own agent has a proof that counts. */

/** Platforms in the order of the alphabet, as `directory.proofs` has them. @param tokenId SQL of the agent's token id */
export const proofsOf = (tokenId: string) => `array(
  select p.platform from offchain.proof p where p.token_id = ${tokenId} and p.status <> 'lapsed' order by p.platform)`;
