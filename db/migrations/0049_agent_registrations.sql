CREATE TABLE "offchain"."agent_registration" (
	"registry" text NOT NULL,
	"agent_id" numeric(78, 0) NOT NULL,
	"token_id" bigint NOT NULL,
	"mint_tx" text NOT NULL,
	"wallet" text NOT NULL,
	"block" bigint NOT NULL,
	CONSTRAINT "agent_registration_registry_agent_id_pk" PRIMARY KEY("registry","agent_id")
);
--> statement-breakpoint
CREATE INDEX "agent_registration_token" ON "offchain"."agent_registration" USING btree ("token_id");