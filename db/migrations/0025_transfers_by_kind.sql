ALTER TABLE "offchain"."payment" ADD COLUMN "nth" integer;--> statement-breakpoint
-- Transfers were named by their place in a block, which a reorganisation changes.
UPDATE "offchain"."payment" p SET "nth" = ranked.nth
FROM (
  SELECT payment_id,
         row_number() OVER (PARTITION BY chain_id, tx_hash, payer, payee, amount_units ORDER BY log_index) - 1 AS nth
  FROM "offchain"."payment" WHERE tx_hash IS NOT NULL
) ranked WHERE ranked.payment_id = p.payment_id;--> statement-breakpoint
INSERT INTO "offchain"."payment_fact" (fact, payment_id)
SELECT concat_ws(':', chain_id, tx_hash, payer, payee, amount_units, nth), payment_id
FROM "offchain"."payment" WHERE tx_hash IS NOT NULL
ON CONFLICT (fact) DO NOTHING;
