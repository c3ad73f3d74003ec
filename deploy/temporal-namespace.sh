#!/bin/sh
set -eu
temporal operator namespace describe -n default >/dev/null 2>&1 || temporal operator namespace create -n default --retention 7d
for name in VnfInstanceId VnfLcmOpOccId Operation OperationState Tenant; do
  temporal operator search-attribute create --namespace default --name "$name" --type Keyword
done
