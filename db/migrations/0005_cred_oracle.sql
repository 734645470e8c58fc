CREATE TABLE "offchain"."cred_oracle" (
	"oracle" text PRIMARY KEY NOT NULL,
	"compared_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "offchain"."cred_oracle_value" (
	"oracle" text NOT NULL,
	"token_id" bigint NOT NULL,
	"score" smallint,
	"updated_at" bigint,
	"read_at" timestamp with time zone NOT NULL,
	CONSTRAINT "cred_oracle_value_oracle_token_id_pk" PRIMARY KEY("oracle","token_id")
);
