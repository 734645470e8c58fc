CREATE TABLE "offchain"."income_route" (
	"block_hash" text NOT NULL,
	"tx_hash" text NOT NULL,
	"hops" jsonb NOT NULL,
	CONSTRAINT "income_route_block_hash_tx_hash_pk" PRIMARY KEY("block_hash","tx_hash")
);
