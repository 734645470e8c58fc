ALTER TABLE "offchain"."exchange_verification" DROP CONSTRAINT "exchange_verification_pkey";--> statement-breakpoint
ALTER TABLE "offchain"."exchange_verification" ADD CONSTRAINT "exchange_verification_token_id_recipient_pk" PRIMARY KEY("token_id","recipient");
