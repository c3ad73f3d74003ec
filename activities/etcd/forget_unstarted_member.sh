#!/bin/bash
# Lets etcd on this control-plane node go on alone. For one case only: it was the only member, another one was added,
# and that one has never started, so that two voters have no majority for ever, and the other cannot be removed.
# `bash forget_unstarted_member.sh`, as root. vnflow has made sure before that the other member cannot start any more.
#
# No data is lost: what etcd has confirmed before the other member was added, this node alone has confirmed; after that
# nothing could be confirmed without this node. etcd keeps its data, its id and the id of the cluster.
#
# It may be cut off anywhere and run again: a mark says that it has begun, and is removed when the manifest of etcd is
# as it was.
# Exit codes: 0 done and checked; 75 try again later; any other: somebody must act.
set -u
umask 077

export LC_ALL=C PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin

NODE_IP=${NODE_IP:-}             # of this node
UNSTARTED_IP=${UNSTARTED_IP:-}   # of the node whose member has never started
UNSTARTED_ID=${UNSTARTED_ID:-}   # of that member, decimal
MANIFEST=/etc/kubernetes/manifests/etcd.yaml
PART=/etc/kubernetes/vnflow-etcd.yaml # beside the directory of the manifests, so that the kubelet reads whole files only
ADMIN_CONF=/etc/kubernetes/admin.conf
PKI=/etc/kubernetes/pki/etcd
FLAG=--force-new-cluster
WORK=/var/lib/vnflow/etcd
MARK=$WORK/forgetting

say() { printf '%s\n' "$*"; }
fail() { printf 'error: %s\n' "$*" >&2; exit 1; }
try_later() { printf 'not now: %s\n' "$*" >&2; exit 75; }

# wait_for TRIES FUNCTION: until it succeeds; one second between two tries.
wait_for() {
  local left
  left=$1
  until "$2" > /dev/null 2>&1; do
    left=$((left - 1))
    [ "$left" -gt 0 ] || return 1
    sleep 1
  done
}

# only_characters VARIABLE_NAME VALUE CHARACTERS: the values become part of commands. CHARACTERS is the inside of a bracket
# expression.
only_characters() {
  local allowed="^[$3]+\$"
  [[ $2 =~ $allowed ]] || fail "$1 is empty, or contains a character that is not allowed there"
}

# One member in a line, from this member's own copy: that works without a majority. etcdctl 3.5 cannot do it. etcd breaks
# connections of HTTP/2 there.
members() {
  curl -fsS --http1.1 --noproxy '*' --max-time 10 --cacert "$PKI/ca.crt" --cert "$PKI/healthcheck-client.crt" \
    --key "$PKI/healthcheck-client.key" "https://$NODE_IP:2380/members" | sed -e 's/},{/}\n{/g'
}

# A read that goes through a majority.
has_majority() {
  local container
  container=$(crictl ps --quiet --name '^etcd$' --state running | head -n 1)
  [ -n "$container" ] && crictl exec "$container" etcdctl --endpoints https://127.0.0.1:2379 --cacert "$PKI/ca.crt" \
    --cert "$PKI/healthcheck-client.crt" --key "$PKI/healthcheck-client.key" get health --consistency=l
}

# Two voters: this node, and the one that has never started. A member gets its name when it has started.
two_voters_are_listed() {
  local list
  list=$(members) || return 1
  [ "$(printf '%s\n' "$list" | grep -c '"id":')" = 2 ] &&
    ! printf '%s\n' "$list" | grep -q '"isLearner":true' &&
    printf '%s\n' "$list" | grep -F "\"https://$NODE_IP:2380\"" | grep -q '"name":"[^"]' &&
    printf '%s\n' "$list" | grep -F "\"https://$UNSTARTED_IP:2380\"" | grep -F "\"id\":$UNSTARTED_ID," | grep -qv '"name":"[^"]'
}

is_alone() {
  local list
  list=$(members) || return 1
  [ "$(printf '%s\n' "$list" | grep -c '"id":')" = 1 ] && printf '%s\n' "$list" | grep -qF "\"https://$NODE_IP:2380\"" && has_majority
}

is_flagged() { grep -q -e "^ *- $FLAG\$" "$MANIFEST"; }

# Three looks within a quarter of a minute: an etcd that has just started, or elects its leader, has no majority either.
is_stalled() {
  local look
  for look in 1 2 3; do
    [ "$look" = 1 ] || sleep 5
    ! has_majority > /dev/null 2>&1 || return 1
    two_voters_are_listed || try_later "the members of etcd are not this node and one that has never started: nothing was changed"
  done
}

# write_manifest < content. The disk has it before it gets its name: a power cut leaves the old manifest or the new one.
write_manifest() {
  cat > "$PART" && chmod 600 "$PART" && sync "$PART" && mv -f "$PART" "$MANIFEST" && sync "${MANIFEST%/*}" ||
    fail "cannot write $MANIFEST: is the disk full?"
}

add_flag() {
  awk -v flag="$FLAG" '{ print } !done && /^ *- etcd$/ { sub(/- etcd$/, "- " flag); print; done = 1 }' "$MANIFEST" > "$WORK/manifest" &&
    grep -q -e "^ *- $FLAG\$" "$WORK/manifest" || fail "$MANIFEST does not start etcd as kubeadm does: nothing was changed"
  write_manifest < "$WORK/manifest"
}

remove_flag() {
  grep -v -e "^ *- $FLAG\$" "$MANIFEST" > "$WORK/manifest"
  write_manifest < "$WORK/manifest"
}

# The arguments of the etcd that runs. The kubelet starts it anew some seconds after its manifest has changed.
runs_with_flag() { pgrep -x -a etcd | grep -q -e "$FLAG"; }

runs_without_flag() { pgrep -x etcd > /dev/null && ! runs_with_flag; }

is_forced() { runs_with_flag && is_alone; }

is_whole() { runs_without_flag && is_alone; }

api_server_is_ready() {
  kubectl --kubeconfig "$ADMIN_CONF" --request-timeout 5s --server "https://$NODE_IP:6443" get --raw /readyz
}

main() {
  only_characters NODE_IP "$NODE_IP" '0-9a-f.:'
  only_characters UNSTARTED_IP "$UNSTARTED_IP" '0-9a-f.:'
  only_characters UNSTARTED_ID "$UNSTARTED_ID" '0-9'
  [ -f "$MANIFEST" ] || fail "this node has no etcd"
  mkdir -p "$WORK" && chmod 700 "$WORK" || fail "cannot make $WORK"
  if [ ! -f "$MARK" ]; then
    is_stalled || try_later "etcd has a majority: nothing was changed"
    printf '%s %s\n' "$UNSTARTED_ID" "$UNSTARTED_IP" > "$MARK.part" && sync "$MARK.part" && mv "$MARK.part" "$MARK" && sync "$WORK" || fail "cannot write $MARK"
  fi
  if ! is_flagged && ! is_alone > /dev/null 2>&1; then
    say "etcd starts once with $FLAG: the member that has never started goes off the list"
    if ! is_stalled; then
      rm -f "$MARK"
      try_later "etcd has a majority again: nothing was changed"
    fi
    add_flag
  fi
  if is_flagged; then
    wait_for 240 is_forced || try_later "etcd is not alone yet, although it shall start with $FLAG"
    say "etcd is alone: its manifest gets its old content"
    remove_flag
  fi
  wait_for 240 is_whole || try_later "etcd does not run yet as its manifest says"
  rm -f "$MARK" "$WORK/manifest" && sync "$WORK"
  say "etcd has a majority again"
  # after minutes without etcd the kubelet starts the API server at long intervals only, until it starts itself
  wait_for 60 api_server_is_ready && exit 0
  systemctl restart kubelet
  wait_for 300 api_server_is_ready || try_later "the API server of this node is not ready yet"
}

main "$@"
