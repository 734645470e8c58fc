CREATE TABLE "offchain"."token_link" (
	"token_id" bigint PRIMARY KEY NOT NULL,
	"token_address" text NOT NULL,
	"wallet" text NOT NULL,
	"tie" text,
	"due_at" timestamp with time zone DEFAULT now()
);
--> statement-breakpoint
ALTER TABLE "offchain"."directory" ADD COLUMN "token_counts" boolean DEFAULT false NOT NULL;--> statement-breakpoint
CREATE INDEX "token_link_due" ON "offchain"."token_link" USING btree ("due_at") WHERE due_at is not null;--> statement-breakpoint
ALTER TABLE "offchain"."directory" DROP COLUMN "market_data_source";--> statement-breakpoint
UPDATE "offchain"."directory" SET token_counts = platform = 'virtuals',
  price_change_24h = case when platform = 'virtuals' and liquidity_usd >= 10000 then price_change_24h end,
  market_cap_usd = case when platform = 'virtuals' then market_cap_usd end,
  volume_24h_usd = case when platform = 'virtuals' then volume_24h_usd end,
  volume_7d_usd = case when platform = 'virtuals' then volume_7d_usd end,
  volume_30d_usd = case when platform = 'virtuals' then volume_30d_usd end,
  liquidity_usd = case when platform = 'virtuals' then liquidity_usd end,
  traded_at = case when platform = 'virtuals' then traded_at end
WHERE token_address is not null or token_symbol is not null;--> statement-breakpoint
INSERT INTO "offchain"."token_link" (token_id, token_address, wallet)
SELECT d.token_id, d.token_address, w.wallet
FROM "offchain"."directory" d
CROSS JOIN LATERAL (
  SELECT wallet FROM "offchain"."chain_write" w WHERE w.token_id = d.token_id and w.slot = 'linked-token' ORDER BY w.id desc LIMIT 1) w
WHERE d.platform = 'helixa' and d.removed_at is null and d.token_address is not null;
