#!/bin/sh
# Runs once, when Postgres makes its data directory: `indexer` owns what the chain says, `app` writes the rest and reads the chain's.
set -eu
psql --set=ON_ERROR_STOP=1 --username "$POSTGRES_USER" --dbname "$POSTGRES_DB" \
  --set=indexer_password="$INDEXER_PASSWORD" --set=app_password="$APP_PASSWORD" --set=database="$POSTGRES_DB" <<'SQL'
create role indexer login password :'indexer_password';
create role app login password :'app_password';
revoke connect on database :"database" from public;
grant connect, create, temporary on database :"database" to indexer, app;
SQL
