#!/bin/bash
# Makes the phases of docs/install-script.md out of a script of Tacker's contract (docs/tacker-packages.md), which does
# everything on a node in one call. `bash ADAPTER PHASE`, as root; vnflow appends the script as lines "#= BASE64".
#
# The script cannot be cut off and run again. So a mark says that it has begun: when it did not end, this node is reset
# before the script runs once more.
# Exit codes: 0 done and checked; 75 try again later; 69 a package repository is gone; any other: somebody must act.
set -u
umask 022 # files that the script writes must be readable for apt; everything with a secret is in a directory of mode 0700

export LC_ALL=C HOME=/root PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
export DEBIAN_FRONTEND=noninteractive NEEDRESTART_SUSPEND=1
unset TERM # clear then writes nothing

ADMIN_CONF=/etc/kubernetes/admin.conf
KUBELET_CONF=/etc/kubernetes/kubelet.conf
HAPROXY_CONF=/etc/haproxy/haproxy.cfg
WORK=/var/lib/vnflow/monolith
PRINTED=/run/vnflow-monolith # in memory: the output of the script has secrets
ADAPTER=$0

NODE_NAME=${NODE_NAME:-}
NODE_IP=${NODE_IP:-}
CLUSTER_ENDPOINT=${CLUSTER_ENDPOINT:-}
CONTROL_PLANES=${CONTROL_PLANES:-}
OTHER_NODES=${OTHER_NODES:-}
POD_CIDR=${POD_CIDR:-10.0.0.0/8}
SERVICE_CIDR=${SERVICE_CIDR:-10.96.0.0/12}
JOIN_TOKEN=${JOIN_TOKEN:-}
CA_CERT_HASH=${CA_CERT_HASH:-}
CERTIFICATE_KEY=${CERTIFICATE_KEY:-}
LOGIN_USER=${LOGIN_USER:-}
CNI_WAIT=${CNI_WAIT:-10m}
HTTP_PROXY=${HTTP_PROXY:-}
HTTPS_PROXY=${HTTPS_PROXY:-}
NO_PROXY=${NO_PROXY:-}
HTTP_PRIVATE_REGISTRIES=${HTTP_PRIVATE_REGISTRIES:-}
VNFLOW_OUTPUT=${VNFLOW_OUTPUT:-/dev/null}
VNFLOW_SECRET_OUTPUT=${VNFLOW_SECRET_OUTPUT:-}

say() { printf '%s\n' "$*"; }
fail() { printf 'error: %s\n' "$*" >&2; exit 1; }
source_gone() { printf 'error: %s\n' "$*" >&2; exit 69; }
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

# only_characters VARIABLE_NAME VALUE CHARACTERS: these values become arguments, and lines of configuration files.
only_characters() {
  local allowed="^[$3]*\$"
  [[ $2 =~ $allowed ]] || fail "$1 contains a character that is not allowed there"
}

check_variables() {
  only_characters NODE_NAME "$NODE_NAME" 'a-z0-9.-'
  only_characters NODE_IP "$NODE_IP" '0-9.'
  only_characters CLUSTER_ENDPOINT "$CLUSTER_ENDPOINT" '0-9.:'
  only_characters CONTROL_PLANES "$CONTROL_PLANES" 'a-z0-9.,=-'
  only_characters POD_CIDR "$POD_CIDR" '0-9./'
  only_characters SERVICE_CIDR "$SERVICE_CIDR" '0-9./'
  only_characters JOIN_TOKEN "$JOIN_TOKEN" 'a-z0-9.'
  only_characters CA_CERT_HASH "$CA_CERT_HASH" 'a-f0-9sh:'
  only_characters CERTIFICATE_KEY "$CERTIFICATE_KEY" 'a-f0-9'
  only_characters HTTP_PRIVATE_REGISTRIES "$HTTP_PRIVATE_REGISTRIES" 'A-Za-z0-9.:,"-'
  only_characters LOGIN_USER "$LOGIN_USER" 'a-z0-9_-'
  [ -n "$NODE_NAME" ] && [ -n "$NODE_IP" ] || fail "NODE_NAME or NODE_IP is not set"
}

make_directories() {
  mkdir -p "$WORK/run" "$PRINTED" && chmod 700 "$WORK" "$PRINTED" || fail "cannot make $WORK and $PRINTED"
  rm -f "$PRINTED/output" "$PRINTED/code" # of a run that was cut off
  sed -n -e 's/^#= //p' "$ADAPTER" | base64 -d > "$WORK/script" || fail "cannot write $WORK/script: is the disk full?"
}

output() { printf '%s=%s\n' "$1" "$2" >> "$VNFLOW_OUTPUT" || fail "cannot write the output $1"; }

secret_output() {
  local file
  file=$VNFLOW_SECRET_OUTPUT
  [ -n "$file" ] || fail "VNFLOW_SECRET_OUTPUT is not set: there is no safe place for the output $1"
  [ -f "$file" ] || : > "$file" || fail "cannot write the output $1"
  chmod 600 "$file" || fail "cannot close $file to others"
  printf '%s=%s\n' "$1" "$2" >> "$file" || fail "cannot write the output $1"
}

# -- the script of the package ----------------------------------------------------------------------------------------

# Tokens, keys and hashes by their form: the script prints them, and traces commands that have them as arguments.
without_secrets() { sed -u -E -e 's/[a-z0-9]{6}\.[a-z0-9]{16}/***/g' -e 's/[0-9a-fA-F]{64}/***/g'; }

# Colours and the like, which stand before lines that are read; and zero bytes, with which grep takes all for no text.
without_escapes() {
  local escape
  escape=$(printf '\033')
  sed -u -E -e "s/$escape\\[[0-9;?]*[A-Za-z]//g" -e 's/\x00//g'
}

use_proxy() {
  [ -n "$HTTP_PROXY$HTTPS_PROXY" ] || return 0
  export http_proxy="$HTTP_PROXY" https_proxy="${HTTPS_PROXY:-$HTTP_PROXY}" no_proxy="$NO_PROXY"
}

# run_script OPTION…: its output goes to the log without secrets, and into memory as it is.
run_script() {
  : > "$PRINTED/output" && chmod 600 "$PRINTED/output" || fail "cannot write $PRINTED/output"
  : > "$WORK/begun" || fail "cannot write $WORK/begun: is the disk full?"
  use_proxy
  export HTTP_PRIVATE_REGISTRIES # the inside of a list in docker's daemon.json
  if [ "${CLUSTER_ENDPOINT##*:}" = 6443 ]; then export ha_flag=False; else export ha_flag=True; fi
  {
    (cd "$WORK/run" && bash "$WORK/script" "$@" < /dev/null 2>&1)
    printf '%s\n' "$?" > "$PRINTED/code"
  } | without_escapes | tee "$PRINTED/output" | without_secrets
}

# The first line that names a cause: the script goes on after a failure, and what follows are consequences.
first_error() {
  grep -v '^+' "$PRINTED/output" |
    grep -E -m 1 '^(E: |curl: |error |error: |fatal|\[ERROR |.*\[ERROR |Job for .* failed|.*: command not found|.*: No space left on device)' |
    without_secrets | cut -c 1-200
}

# script_failed WHAT: ends with the reason. Some scripts end with 0 although they have failed, so WHAT says what is missing.
script_failed() {
  local code reason
  code=$(cat "$PRINTED/code" 2> /dev/null)
  reason=$(first_error)
  if grep -v '^+' "$PRINTED/output" | grep -Eq 'apt\.kubernetes\.io.*(404|does not have a Release file|no longer has a Release file)'; then
    rm -f "$PRINTED/output"
    repository_is_gone
  fi
  if grep -v '^+' "$PRINTED/output" | grep -Eq 'Temporary failure resolving|Could not resolve host|Connection timed out|Could not get lock|TLS handshake timeout|i/o timeout|Service Unavailable|failed to pull image'; then
    rm -f "$PRINTED/output"
    try_later "the install script ended with ${code:-no code}, and $1: ${reason:-the network or a mirror failed}"
  fi
  rm -f "$PRINTED/output"
  fail "the install script ended with ${code:-no code}, and $1: ${reason:-see its output above}"
}

repository_is_gone() {
  source_gone "the install script takes Kubernetes from apt.kubernetes.io, which does not exist any more (the project closed it in March 2024; the packages are at pkgs.k8s.io)"
}

# -- prepare ----------------------------------------------------------------------------------------------------------

wait_for_cloud_init() {
  command -v cloud-init > /dev/null 2>&1 || return 0
  cloud-init status --wait > /dev/null || say "cloud-init reports a problem (see /var/log/cloud-init.log)"
}

# The script gives the node a name of its role and the last part of its address.
check_name() {
  local own
  own=${NODE_NAME%%[0-9]*}${NODE_IP##*.}
  [ "$NODE_NAME" = "$own" ] || fail "the install script would name this node $own, and vnflow names it $NODE_NAME: such a script needs a subnet of 256 addresses or fewer"
}

# A script whose repository is gone would go on without the packages, and some wait for them for ever.
check_repository() {
  local code
  grep -Eq '^[^#]*deb[^#]*https?://apt\.kubernetes\.io' "$WORK/script" || return 0
  use_proxy
  code=$(curl -s -L -o /dev/null -w '%{http_code}' --max-time 60 https://apt.kubernetes.io/dists/kubernetes-xenial/Release)
  case "$code" in
    2*) ;;
    403 | 404 | 410) repository_is_gone ;;
    *) try_later "apt.kubernetes.io, which the install script needs, does not answer (HTTP code $code)" ;;
  esac
}

# The hosts file with the nodes of the cluster.
list_nodes() {
  sed -e '/^# nodes of the cluster, by vnflow$/,/^# end of the nodes of the cluster$/d' /etc/hosts | grep -v " $NODE_NAME\$"
  printf '%s %s\n' "$NODE_IP" "$NODE_NAME"
  [ -n "$OTHER_NODES" ] || return 0
  printf '# nodes of the cluster, by vnflow\n%s\n# end of the nodes of the cluster\n' "$OTHER_NODES"
}

phase_prepare() {
  wait_for_cloud_init
  check_name
  check_repository
  list_nodes > "$WORK/hosts" && cp "$WORK/hosts" /etc/hosts || fail "cannot write /etc/hosts: is the disk full?"
  say "$NODE_NAME is ready for the install script, which does the rest when the node joins"
}

# -- load balancer ----------------------------------------------------------------------------------------------------

haproxy_servers() { printf '%s\n' "$CONTROL_PLANES" | tr ',' '\n' | sed -n -e 's/^\(..*\)=\(..*\)$/    server  \1  \2:6443 check/p'; }

# The configuration with the control-plane nodes of now: the first line of a server is replaced by all, the others go.
new_haproxy_configuration() {
  local line placed
  placed=no
  while IFS= read -r line; do
    if [[ $line =~ ^[[:space:]]*server[[:space:]].*:6443([[:space:]]|$) ]]; then
      [ "$placed" = yes ] || haproxy_servers
      placed=yes
    else
      printf '%s\n' "$line"
    fi
  done < "$HAPROXY_CONF"
  [ "$placed" = yes ]
}

phase_load_balancer() {
  [ -n "$CONTROL_PLANES" ] || fail "CONTROL_PLANES is not set: the phase needs name=address of every control-plane node"
  if [ ! -f "$HAPROXY_CONF" ] || [ ! -f "$KUBELET_CONF" ]; then
    say "the install script sets up HAProxy and keepalived when this node joins"
    return 0
  fi
  new_haproxy_configuration > "$WORK/haproxy.cfg" || fail "$HAPROXY_CONF has no line of a server at port 6443: the install script did not write it"
  if [ "$(cat "$WORK/haproxy.cfg")" != "$(cat "$HAPROXY_CONF")" ]; then
    haproxy -c -q -f "$WORK/haproxy.cfg" || fail "haproxy refuses its configuration $WORK/haproxy.cfg"
    cp "$WORK/haproxy.cfg" "$HAPROXY_CONF" || fail "cannot write $HAPROXY_CONF: is the disk full?"
    systemctl reload-or-restart haproxy || fail "haproxy does not start: see journalctl -u haproxy"
  fi
  systemctl is-active --quiet haproxy || systemctl restart haproxy || fail "haproxy does not start: see journalctl -u haproxy"
  say "$NODE_NAME balances port ${CLUSTER_ENDPOINT##*:} over the control-plane nodes"
}

# -- the cluster ------------------------------------------------------------------------------------------------------

admin_kubectl() { kubectl --kubeconfig "$ADMIN_CONF" --request-timeout 5s "$@"; }
cluster_answers() { admin_kubectl get --raw /readyz; }
own_node() { kubectl --kubeconfig "$KUBELET_CONF" --request-timeout 5s get node "$NODE_NAME" --output name; }
api_server_is_ready() { admin_kubectl --server "https://$NODE_IP:6443" get --raw /readyz; }

etcd_member_votes() {
  case "$(admin_kubectl --namespace kube-system exec "etcd-$NODE_NAME" -- etcdctl --endpoints https://127.0.0.1:2379 \
    --cacert /etc/kubernetes/pki/etcd/ca.crt --cert /etc/kubernetes/pki/etcd/healthcheck-client.crt \
    --key /etc/kubernetes/pki/etcd/healthcheck-client.key member list 2> /dev/null | grep ", started, $NODE_NAME, ")" in
    *', false') return 0 ;;
    *) return 1 ;;
  esac
}

control_plane_is_complete() { [ -f "$ADMIN_CONF" ] && api_server_is_ready > /dev/null 2>&1 && etcd_member_votes; }

# What a run that did not end leaves behind, as far as the next run would stumble over it.
clean_node() {
  local joined
  joined=no
  [ ! -f "$KUBELET_CONF" ] || joined=yes
  if command -v kubeadm > /dev/null 2>&1; then
    kubeadm reset --force || try_later "kubeadm reset failed: see the reason above"
  fi
  rm -rf /etc/cni/net.d /var/lib/cni /var/run/cilium /etc/kubernetes/pki /etc/kubernetes/manifests "$WORK/run"
  [ ! -d /var/lib/etcd ] || find /var/lib/etcd -mindepth 1 -delete || fail "cannot empty /var/lib/etcd"
  rm -f /etc/kubernetes/*.conf /root/.kube/config /tmp/installed "$WORK/begun"
  rm -f /etc/apt/keyrings/kubernetes-apt-keyring.gpg # gpg --dearmor does not replace a file
  mkdir -p /etc/kubernetes/manifests "$WORK/run"
  # the cluster takes the node for Ready until it has missed its kubelet for 40 s, and refuses another of its name
  if [ "$joined" = yes ]; then sleep 45; fi
}

# The person who logs in as LOGIN_USER (and root) finds kubectl ready.
give_kubeconfig() {
  local home user
  for user in root $LOGIN_USER; do
    home=$(getent passwd "$user" | cut -d: -f6)
    [ -n "$home" ] || fail "LOGIN_USER $user does not exist on this node"
    mkdir -p "$home/.kube" && chmod 700 "$home/.kube" || fail "cannot make $home/.kube"
    cp "$ADMIN_CONF" "$home/.kube/config" && chmod 600 "$home/.kube/config" || fail "cannot write $home/.kube/config"
    chown -R "$user:" "$home/.kube" || fail "cannot give $home/.kube to $user"
  done
}

cluster_ip() { printf '%s' "${CLUSTER_ENDPOINT%:*}"; }

# Addresses of the control-plane nodes. The script starts a cluster where the first address is the node's own, so a node
# that joins is not the first.
# addresses first|joining
addresses() {
  local all own others
  all=$(printf '%s\n' "$CONTROL_PLANES" | tr ',' '\n' | sed -n -e 's/^..*=\(..*\)$/\1/p')
  others=$(printf '%s\n' "$all" | grep -vxF "$NODE_IP")
  own=$(printf '%s\n' "$all" | grep -xF "$NODE_IP")
  if [ "$1" = first ]; then all=$(printf '%s\n%s\n' "$own" "$others"); elif [ "$(printf '%s\n' "$all" | head -n 1)" = "$NODE_IP" ]; then
    all=$(printf '%s\n%s\n' "$others" "$own")
  fi
  printf '%s\n' "$all" | grep . | tr '\n' ',' | sed -e 's/,$//'
}

# What the script printed on the first control-plane node: the last line of each name that has the right form.
# printed NAME FORM
printed() { grep -v '^+' "$PRINTED/output" | sed -n -e "s/^.*$1:[[:space:]]*//p" | grep -Ex "$2" | tail -n 1; }

# A key may stand on a line of its own after its name, because the script prints all that kubeadm says.
printed_key() {
  local key
  key=$(printed certificate_key '[0-9a-f]{64}')
  [ -n "$key" ] || key=$(sed -n -e '/^certificate_key:/,$p' "$PRINTED/output" | grep -Ex '[0-9a-f]{64}' | head -n 1)
  printf '%s' "$key"
}

phase_init() {
  [ -n "$CLUSTER_ENDPOINT" ] && [ -n "$CONTROL_PLANES" ] || fail "CLUSTER_ENDPOINT or CONTROL_PLANES is not set"
  if [ -f "$WORK/begun" ]; then
    say "an earlier run of the install script did not end: resetting this node"
    if [ -f "$ADMIN_CONF" ] && admin_kubectl get nodes --output name 2> /dev/null | grep -vqxF "node/$NODE_NAME"; then
      fail "other nodes have joined the cluster of this node: it is not reset"
    fi
    clean_node
  elif [ -f "$ADMIN_CONF" ]; then
    wait_for 120 cluster_answers || try_later "the API server of the cluster on this node does not answer"
    say "the cluster is already there"
    phase_credentials
    return 0
  fi
  run_script -m "$(addresses first)" -i "$(cluster_ip)" -p "$POD_CIDR" -a "$SERVICE_CIDR"
  { [ -f "$ADMIN_CONF" ] && wait_for 120 cluster_answers; } || script_failed "there is no API server on this node"
  local token hash key missing
  token=$(printed token '[a-z0-9]{6}\.[a-z0-9]{16}')
  hash=$(printed ssl_ca_cert_hash '[0-9a-f]{64}')
  key=$(printed_key)
  missing=''
  [ -n "$token" ] || missing="$missing token"
  [ -n "$hash" ] || missing="$missing ssl_ca_cert_hash"
  [ -n "$key" ] || missing="$missing certificate_key"
  [ -z "$missing" ] || script_failed "it did not print$missing in the right form"
  rm -f "$PRINTED/output"
  give_kubeconfig
  output CA_CERT_HASH "sha256:$hash"
  secret_output JOIN_TOKEN "$token"
  secret_output CERTIFICATE_KEY "$key"
  rm -f "$WORK/begun"
  say "the control plane runs on $NODE_NAME"
}

# The script prints credentials once. Later ones come from kubeadm, as Tacker's driver gets them.
phase_credentials() {
  [ -f "$ADMIN_CONF" ] || fail "this node has no control plane: run the phase on a control-plane node"
  wait_for 60 cluster_answers || try_later "the API server does not answer"
  local token hash key
  token=$(kubeadm token create --ttl 2h --kubeconfig "$ADMIN_CONF" 2> "$WORK/kubeadm.err" | tail -n 1)
  key=$(kubeadm init phase upload-certs --upload-certs 2>> "$WORK/kubeadm.err" | tail -n 1)
  hash=$(openssl x509 -pubkey -noout -in /etc/kubernetes/pki/ca.crt 2> /dev/null | openssl pkey -pubin -outform der 2> /dev/null | sha256sum | cut -c 1-64)
  if [ -z "$token" ] || [ "${#key}" -ne 64 ]; then
    without_secrets < "$WORK/kubeadm.err" >&2
    try_later "kubeadm makes no token or uploads no certificates"
  fi
  give_kubeconfig
  output CA_CERT_HASH "sha256:$hash"
  secret_output JOIN_TOKEN "$token"
  secret_output CERTIFICATE_KEY "$key"
  say "new join credentials, good for two hours"
}

phase_cni() {
  admin_kubectl wait --for=condition=Ready "node/$NODE_NAME" "--timeout=$CNI_WAIT" --request-timeout 0 ||
    try_later "$NODE_NAME does not become Ready: the install script should have installed the network"
  say "the network of the cluster works"
}

need_credentials() {
  [ -n "$CLUSTER_ENDPOINT" ] && [ -n "$JOIN_TOKEN" ] && [ -n "$CA_CERT_HASH" ] ||
    fail "CLUSTER_ENDPOINT, JOIN_TOKEN or CA_CERT_HASH is not set"
}

phase_join_worker() {
  need_credentials
  if [ -f "$WORK/begun" ]; then
    say "an earlier run of the install script did not end: resetting this node"
    clean_node
  elif [ -f "$KUBELET_CONF" ]; then
    wait_for 60 own_node || try_later "cannot tell whether this node has joined: the API server does not answer"
    say "$NODE_NAME has joined already"
    return 0
  fi
  run_script -w "$NODE_IP" -i "$(cluster_ip)" -t "$JOIN_TOKEN" -s "${CA_CERT_HASH#sha256:}"
  { [ -f "$KUBELET_CONF" ] && wait_for 60 own_node; } || script_failed "the API server does not know the node $NODE_NAME"
  rm -f "$PRINTED/output" "$WORK/begun"
  say "$NODE_NAME is a node of the cluster"
}

# After a power cut a member that has joined needs a while; a member that votes is never thrown away.
control_plane_comes_up() {
  if [ -f /etc/kubernetes/manifests/etcd.yaml ]; then wait_for 120 control_plane_is_complete; else control_plane_is_complete; fi
}

phase_join_control_plane() {
  need_credentials
  [ -n "$CERTIFICATE_KEY" ] && [ -n "$CONTROL_PLANES" ] || fail "CERTIFICATE_KEY or CONTROL_PLANES is not set"
  if [ -f "$WORK/begun" ] && ! control_plane_comes_up; then
    say "an earlier run of the install script did not end: resetting this node"
    clean_node
  fi
  if [ -f "$ADMIN_CONF" ]; then
    wait_for 120 control_plane_is_complete || try_later "$NODE_NAME is a control-plane node, but its API server or etcd is not ready"
    say "$NODE_NAME has joined already"
  else
    run_script -m "$(addresses joining)" -i "$(cluster_ip)" -p "$POD_CIDR" -a "$SERVICE_CIDR" \
      -t "$JOIN_TOKEN" -s "${CA_CERT_HASH#sha256:}" -k "$CERTIFICATE_KEY"
    { [ -f "$ADMIN_CONF" ] && wait_for 240 control_plane_is_complete; } || script_failed "$NODE_NAME is no complete control-plane node"
  fi
  give_kubeconfig
  rm -f "$PRINTED/output" "$WORK/begun"
  say "$NODE_NAME is a control-plane node of the cluster"
}

phase_reset() {
  clean_node
  [ ! -f "$KUBELET_CONF" ] && [ ! -f "$ADMIN_CONF" ] || fail "something of the cluster is left in /etc/kubernetes"
  say "this node belongs to no cluster"
}

[ "$(id -u)" = 0 ] || fail "the phases need root"
check_variables
make_directories
case "${1:-}" in
  prepare) phase_prepare ;;
  load-balancer) phase_load_balancer ;;
  init) phase_init ;;
  credentials) phase_credentials ;;
  cni) phase_cni ;;
  join-control-plane) phase_join_control_plane ;;
  join-worker) phase_join_worker ;;
  reset) phase_reset ;;
  *) fail "an install script of Tacker's contract has no phase ${1:-}" ;;
esac
exit 0
