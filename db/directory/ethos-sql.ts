/** SQL of the Ethos score of a row `d` of the directory: that of its own wallet, else its owner's. Shown and sorted by the same. */
export const ETHOS = {
  joins: `left join offchain.ethos_score wallet_ethos on wallet_ethos.wallet = d.address and d.wallet_confirmed is not false
    left join offchain.ethos_score owner_ethos on owner_ethos.wallet = d.owner_address`,
  score: "coalesce(wallet_ethos.score, owner_ethos.score)",
};
