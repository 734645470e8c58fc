CREATE TABLE "offchain"."wallet_verification" (
	"token_id" bigint NOT NULL,
	"wallet" text NOT NULL,
	"mint_tx" text NOT NULL,
	"verified_at" timestamp with time zone NOT NULL,
	CONSTRAINT "wallet_verification_token_id_wallet_pk" PRIMARY KEY("token_id","wallet")
);
--> statement-breakpoint
ALTER TABLE "offchain"."directory" ADD COLUMN "wallet_confirmed" boolean;--> statement-breakpoint
CREATE INDEX "wallet_verification_wallet" ON "offchain"."wallet_verification" USING btree ("wallet");