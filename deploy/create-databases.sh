#!/bin/sh
# Runs once, when PostgreSQL creates its data directory: creates the databases of vnflow and of Temporal, each with its owner.
set -eu
psql --username postgres --set ON_ERROR_STOP=1 --set vnflow="$VNFLOW_PASSWORD" --set temporal="$TEMPORAL_PASSWORD" <<'SQL'
create role vnflow login password :'vnflow';
create database vnflow owner vnflow;
create role temporal login password :'temporal';
create database temporal owner temporal;
create database temporal_visibility owner temporal;
SQL
