#!/bin/sh
# An update needs an existing schema, so the first run sets the schema up.
set -eu
for database in temporal visibility; do
  name=temporal
  [ "$database" = visibility ] && name=temporal_visibility
  versions=/etc/temporal/schema/postgresql/v12/$database/versioned
  tool="temporal-sql-tool --plugin postgres12 --ep $POSTGRES_SEEDS -u $POSTGRES_USER -p $DB_PORT --db $name"
  $tool update-schema -d "$versions" || { $tool setup-schema -v 0.0 && $tool update-schema -d "$versions"; }
done
