#!/bin/bash
# Installs and looks after one node of a Kubernetes cluster: `bash install_k8s_cluster.sh PHASE`, as root.
# Contract, variables and phases: docs/install-script.md of vnflow. Target: Ubuntu 22.04.
#
# Every phase looks before it acts, so each may be run again at any point.
# Exit codes: 0 done and checked; 75 try again later; any other: somebody must act. Reasons go to stderr.
# No `set -e` on purpose: each failure is met where it happens, with a sentence for the operator.
set -u
umask 022 # packages need readable files; secrets are made in a directory of mode 0700 and moved with their own mode

export LC_ALL=C PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
export DEBIAN_FRONTEND=noninteractive NEEDRESTART_SUSPEND=1

ADMIN_CONF=/etc/kubernetes/admin.conf
KUBELET_CONF=/etc/kubernetes/kubelet.conf
CRI_SOCKET=unix:///run/containerd/containerd.sock
ETCD_DATA=/var/lib/etcd
ENCRYPTION_FILE=/etc/kubernetes/pki/encryption.yaml   # below pki, which kubeadm shows to the API server
AUDIT_POLICY_FILE=/etc/kubernetes/audit-policy.yaml
AUDIT_LOGS=/var/log/kubernetes/audit
WORK=/var/lib/vnflow/kubernetes   # 0700: nothing in it can be read by others, whatever its own mode

# The parameters that a request (install_parameters) or the package (install_parameters.yaml) may set, with their forms.
#@ parameter KUBERNETES_VERSION version
#@ parameter KUBERNETES_CNI_VERSION version
#@ parameter CONTAINERD_VERSION version
#@ parameter CONTAINERD_SHA256 sha256
#@ parameter RUNC_VERSION version
#@ parameter RUNC_SHA256 sha256
#@ parameter ETCDUTL_VERSION version
#@ parameter ETCDUTL_SHA256 sha256
#@ parameter CILIUM_CLI_VERSION version
#@ parameter CILIUM_CLI_SHA256 sha256
#@ parameter CILIUM_VERSION version
#@ parameter CILIUM_CHART_URL url
#@ parameter CILIUM_IMAGE_REPOSITORY repository
#@ parameter CILIUM_MASK_SIZE 24|25|26|27|28
#@ parameter CNI_WAIT duration
#@ parameter ENCRYPT_SECRETS off|secretbox|aescbc
#@ parameter AUDIT_POLICY off|metadata
#@ parameter DOWNLOAD_URL url
#@ parameter IMAGE_REPOSITORY repository
#@ parameter KUBERNETES_APT_URL url
#@ parameter KUBERNETES_APT_FINGERPRINT fingerprint
#@ parameter REGISTRY_IMAGE image
#@ parameter REGISTRY_PORT port

NODE_NAME=${NODE_NAME:-}
NODE_IP=${NODE_IP:-}
CLUSTER_ENDPOINT=${CLUSTER_ENDPOINT:-}
KUBERNETES_VERSION=${KUBERNETES_VERSION:-1.36.4}
CONTAINERD_VERSION=${CONTAINERD_VERSION:-2.3.4}
RUNC_VERSION=${RUNC_VERSION:-1.4.3}
CILIUM_CLI_VERSION=${CILIUM_CLI_VERSION:-0.19.7}
CILIUM_VERSION=${CILIUM_VERSION:-1.19.8}
ETCDUTL_VERSION=${ETCDUTL_VERSION:-3.6.14}
ETCDUTL_VERSION=${ETCDUTL_VERSION#v}
ETCDUTL_SHA256=${ETCDUTL_SHA256:-}
KUBERNETES_VERSION=${KUBERNETES_VERSION#v}
CONTAINERD_VERSION=${CONTAINERD_VERSION#v}
RUNC_VERSION=${RUNC_VERSION#v}
CILIUM_CLI_VERSION=${CILIUM_CLI_VERSION#v}
CILIUM_VERSION=${CILIUM_VERSION#v}
KUBERNETES_CNI_VERSION=${KUBERNETES_CNI_VERSION:-}
KUBERNETES_CNI_VERSION=${KUBERNETES_CNI_VERSION#v}
CONTAINERD_SHA256=${CONTAINERD_SHA256:-}
RUNC_SHA256=${RUNC_SHA256:-}
CILIUM_CLI_SHA256=${CILIUM_CLI_SHA256:-}
CILIUM_CHART_URL=${CILIUM_CHART_URL:-}
CILIUM_IMAGE_REPOSITORY=${CILIUM_IMAGE_REPOSITORY:-}
CILIUM_MASK_SIZE=${CILIUM_MASK_SIZE:-}
JOIN_TOKEN=${JOIN_TOKEN:-}
CA_CERT_HASH=${CA_CERT_HASH:-}
CERTIFICATE_KEY=${CERTIFICATE_KEY:-}
ENCRYPTION_CONFIG=${ENCRYPTION_CONFIG:-}
ENCRYPT_SECRETS=${ENCRYPT_SECRETS:-off}
AUDIT_POLICY=${AUDIT_POLICY:-off}
CERT_SANS=${CERT_SANS:-}
CONTROL_PLANES=${CONTROL_PLANES:-}
OTHER_NODES=${OTHER_NODES:-}
VIRTUAL_IP=${VIRTUAL_IP:-}
VRRP_PASSWORD=${VRRP_PASSWORD:-}
LOGIN_USER=${LOGIN_USER:-}
HTTP_PROXY=${HTTP_PROXY:-}
HTTPS_PROXY=${HTTPS_PROXY:-}
NO_PROXY=${NO_PROXY:-}
VNFLOW_SECRET_OUTPUT=${VNFLOW_SECRET_OUTPUT:-}
VNFLOW_OUTPUT=${VNFLOW_OUTPUT:-/dev/null}
VRRP_ROUTER_ID=${VRRP_ROUTER_ID:-51}
VRRP_PRIORITY=${VRRP_PRIORITY:-100}
CNI_WAIT=${CNI_WAIT:-10m}
POD_CIDR=${POD_CIDR:-10.0.0.0/8}
SERVICE_CIDR=${SERVICE_CIDR:-10.96.0.0/12}
IMAGE_REPOSITORY=${IMAGE_REPOSITORY:-registry.k8s.io}
DOWNLOAD_URL=${DOWNLOAD_URL:-https://github.com}
KUBERNETES_APT_URL=${KUBERNETES_APT_URL:-https://pkgs.k8s.io/core:/stable:}
KUBERNETES_APT_FINGERPRINT=${KUBERNETES_APT_FINGERPRINT:-DE15B14486CD377B9E876E1A234654DA9A296436}
REGISTRY_IMAGE=${REGISTRY_IMAGE:-docker.io/library/registry:2.8.3@sha256:a3d8aaa63ed8681a604f1dea0aa03f100d5895b6a58ace528858a7b332415373}
REGISTRY_PORT=${REGISTRY_PORT:-5000}
BACKUP_FILE=${BACKUP_FILE:-}
BACKUP_ID=${BACKUP_ID:-}
BACKUP_REVISION=${BACKUP_REVISION:-}
RESTORE_ID=${RESTORE_ID:-}

# -- what every phase uses --------------------------------------------------------------------------------------------

say() { printf '%s\n' "$*"; }

# Somebody must act.
fail() { printf 'error: %s\n' "$*" >&2; exit 1; }

# The same phase may succeed a little later.
try_later() { printf 'not now: %s\n' "$*" >&2; exit 75; }

need() {
  local name
  for name in "$@"; do
    case "$name" in
      NODE_NAME) [ -n "$NODE_NAME" ] || fail "NODE_NAME is not set: the phase needs the name of the node" ;;
      NODE_IP) [ -n "$NODE_IP" ] || fail "NODE_IP is not set: the phase needs the address of the node" ;;
      CLUSTER_ENDPOINT) [ -n "$CLUSTER_ENDPOINT" ] || fail "CLUSTER_ENDPOINT is not set: the phase needs host:port of the API server" ;;
      JOIN_TOKEN) [ -n "$JOIN_TOKEN" ] || fail "JOIN_TOKEN is not set: make one with the phase credentials" ;;
      CA_CERT_HASH) [ -n "$CA_CERT_HASH" ] || fail "CA_CERT_HASH is not set: the phase init prints it" ;;
      CERTIFICATE_KEY) [ -n "$CERTIFICATE_KEY" ] || fail "CERTIFICATE_KEY is not set: make one with the phase credentials" ;;
      BACKUP_FILE) [ -n "$BACKUP_FILE" ] && [ -n "$BACKUP_ID" ] || fail "BACKUP_FILE or BACKUP_ID is not set: the phase needs the backup to restore" ;;
      CONTROL_PLANES) [ -n "$CONTROL_PLANES" ] || fail "CONTROL_PLANES is not set: the phase needs name=address of every control-plane node" ;;
    esac
  done
}

# only_characters VARIABLE_NAME VALUE CHARACTERS: these values end up in configuration files. CHARACTERS is the inside of
# a bracket expression. A newline is a character like others.
only_characters() {
  local allowed="^[$3]*\$"
  [[ $2 =~ $allowed ]] || fail "$1 contains a character that is not allowed there"
}

check_variables() {
  only_characters NODE_NAME "$NODE_NAME" 'a-z0-9.-'
  only_characters NODE_IP "$NODE_IP" '0-9a-f.:'
  only_characters CLUSTER_ENDPOINT "$CLUSTER_ENDPOINT" 'A-Za-z0-9.:-'
  only_characters POD_CIDR "$POD_CIDR" '0-9a-f./:'
  only_characters SERVICE_CIDR "$SERVICE_CIDR" '0-9a-f./:'
  only_characters IMAGE_REPOSITORY "$IMAGE_REPOSITORY" 'A-Za-z0-9./:_-'
  only_characters CERT_SANS "$CERT_SANS" 'A-Za-z0-9.:,*-'
  only_characters JOIN_TOKEN "$JOIN_TOKEN" 'a-z0-9.'
  only_characters CA_CERT_HASH "$CA_CERT_HASH" 'a-z0-9:'
  only_characters CERTIFICATE_KEY "$CERTIFICATE_KEY" 'a-f0-9'
  only_characters ENCRYPTION_CONFIG "$ENCRYPTION_CONFIG" 'A-Za-z0-9+/='
  only_characters "ENCRYPT_SECRETS or AUDIT_POLICY" "$ENCRYPT_SECRETS$AUDIT_POLICY" 'a-z'
  only_characters CONTROL_PLANES "$CONTROL_PLANES" 'a-z0-9.:,=-'
  only_characters VIRTUAL_IP "$VIRTUAL_IP" '0-9a-f.:'
  only_characters VRRP_ROUTER_ID "$VRRP_ROUTER_ID" '0-9'
  only_characters VRRP_PRIORITY "$VRRP_PRIORITY" '0-9'
  only_characters VRRP_PASSWORD "$VRRP_PASSWORD" 'A-Za-z0-9'
  only_characters LOGIN_USER "$LOGIN_USER" 'a-z0-9_-'
  only_characters HTTP_PROXY "$HTTP_PROXY$HTTPS_PROXY" 'A-Za-z0-9.:/@_%~+-'
  only_characters NO_PROXY "$NO_PROXY" 'A-Za-z0-9.:,/*_-'
  only_characters REGISTRY_PORT "$REGISTRY_PORT" '0-9'
  only_characters REGISTRY_IMAGE "$REGISTRY_IMAGE" 'A-Za-z0-9./:@_-'
  only_characters BACKUP_FILE "$BACKUP_FILE" 'A-Za-z0-9./_-'
  only_characters BACKUP_ID "$BACKUP_ID$RESTORE_ID" 'A-Za-z0-9-'
  only_characters BACKUP_REVISION "$BACKUP_REVISION" '0-9'
  only_characters versions "$KUBERNETES_VERSION$CONTAINERD_VERSION$RUNC_VERSION$CILIUM_CLI_VERSION$CILIUM_VERSION$KUBERNETES_CNI_VERSION$ETCDUTL_VERSION" 'A-Za-z0-9.+-'
  only_characters checksums "$CONTAINERD_SHA256$RUNC_SHA256$CILIUM_CLI_SHA256$ETCDUTL_SHA256" 'a-f0-9,'
  only_characters mirrors "$DOWNLOAD_URL$KUBERNETES_APT_URL$CILIUM_CHART_URL" 'A-Za-z0-9.:/_~-'
  only_characters CILIUM_IMAGE_REPOSITORY "$CILIUM_IMAGE_REPOSITORY" 'A-Za-z0-9./:_-'
  only_characters CILIUM_MASK_SIZE "$CILIUM_MASK_SIZE" '0-9'
  only_characters KUBERNETES_APT_FINGERPRINT "$KUBERNETES_APT_FINGERPRINT" 'A-F0-9'
}

make_work_directory() {
  mkdir -p "$WORK" || fail "cannot make $WORK"
  chmod 700 "$WORK" || fail "cannot close $WORK to others"
}

# put FILE MODE < content: replaces FILE at once, only if its content differs. Says so in CHANGED (not from within a pipe).
put() {
  local part
  part="$WORK/put"
  cat > "$part" || fail "cannot write $part: is the disk full?"
  if [ -f "$1" ] && [ "$(cat "$1")" = "$(cat "$part")" ]; then
    rm -f "$part"
    chmod "$2" "$1"
    return 0
  fi
  [ -d "${1%/*}" ] || mkdir -p "${1%/*}" || fail "cannot make the directory of $1"
  chmod "$2" "$part" || fail "cannot set the mode of $1"
  mv -f "$part" "$1" || fail "cannot write $1: is the disk full?"
  CHANGED=yes
}

# empty_directory DIRECTORY: it may be a mount, which cannot be removed.
empty_directory() {
  [ -d "$1" ] || return 0
  find "$1" -mindepth 1 -delete || fail "cannot empty $1"
}

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

output() { printf '%s=%s\n' "$1" "$2" >> "$VNFLOW_OUTPUT" || fail "cannot write the output $1"; }

secret_output() {
  local file
  file=$VNFLOW_SECRET_OUTPUT
  [ -n "$file" ] || fail "VNFLOW_SECRET_OUTPUT is not set: there is no safe place for the output $1"
  [ -f "$file" ] || : > "$file" || fail "cannot write the output $1"
  chmod 600 "$file" || fail "cannot close $file to others"
  printf '%s=%s\n' "$1" "$2" >> "$file" || fail "cannot write the output $1"
}

# Downloads go through the proxy. NO_PROXY names all that belongs to the cluster.
use_proxy() {
  [ -n "$HTTP_PROXY$HTTPS_PROXY" ] || return 0
  HTTPS_PROXY=${HTTPS_PROXY:-$HTTP_PROXY}
  export HTTP_PROXY HTTPS_PROXY NO_PROXY
  export http_proxy="$HTTP_PROXY" https_proxy="$HTTPS_PROXY" no_proxy="$NO_PROXY"
}

# For every apt of this node, also after this script. A file that others cannot read is a mere warning to their apt.
configure_apt_proxy() {
  [ -n "$HTTP_PROXY$HTTPS_PROXY" ] || return 0
  {
    [ -z "$HTTP_PROXY" ] || printf 'Acquire::http::Proxy "%s";\n' "$HTTP_PROXY"
    printf 'Acquire::https::Proxy "%s";\n' "$HTTPS_PROXY"
    # names only: addresses may be thousands, and a repository has a name
    printf '%s\n' "$NO_PROXY" | tr ',' '\n' | grep -E '^[A-Za-z0-9][A-Za-z0-9.-]*[A-Za-z][A-Za-z0-9.-]*$' |
      sed -E -e 's/.*/Acquire::http::Proxy::& "DIRECT";/p' -e 's/http/https/'
  } > "$WORK/apt-proxy"
  put /etc/apt/apt.conf.d/95vnflow-proxy 0600 < "$WORK/apt-proxy"
  rm -f "$WORK/apt-proxy"
}

# configure_service_proxy SERVICE: through an environment file, because systemd shows Environment= to every user.
configure_service_proxy() {
  [ -n "$HTTP_PROXY$HTTPS_PROXY" ] || return 0
  put /etc/vnflow/proxy.env 0600 << ENVIRONMENT
HTTP_PROXY=$HTTP_PROXY
HTTPS_PROXY=$HTTPS_PROXY
NO_PROXY=$NO_PROXY
ENVIRONMENT
  put "/etc/systemd/system/$1.service.d/proxy.conf" 0644 << 'DROPIN'
[Service]
EnvironmentFile=/etc/vnflow/proxy.env
DROPIN
}

proxy_refuses_login() { fail "the proxy refuses its user name or password (407): correct proxy in the request"; }

# -- packages and downloads -------------------------------------------------------------------------------------------

# installed PACKAGE VERSION_PREFIX
installed() {
  # shellcheck disable=SC2016  # dpkg-query's own placeholders
  case "$(dpkg-query -W -f='${Status} ${Version}' "$1" 2> /dev/null)" in
    "install ok installed $2"* | "hold ok installed $2"*) return 0 ;; # a held package wants hold, not install
    *) return 1 ;;
  esac
}

# apt_get VERB ARGUMENT…: waits for the lock, repeats what the network spoiled.
apt_get() {
  local verb attempt
  verb=$1
  shift
  attempt=1
  until apt-get "$verb" -y -q -o DPkg::Lock::Timeout=300 -o Acquire::Retries=3 -o Dpkg::Options::=--force-confold "$@" 2> "$WORK/apt.err"; do
    cat "$WORK/apt.err" >&2
    ! grep -q 'Proxy Authentication Required' "$WORK/apt.err" || proxy_refuses_login
    if grep -Eq 'Unable to locate package|has no installation candidate|Version .* was not found|not signed|NO_PUBKEY|EXPKEYSIG|No space left' "$WORK/apt.err"; then
      fail "apt-get $verb cannot succeed: correct the version, the repository or the disk named above"
    fi
    if grep -q 'dpkg was interrupted' "$WORK/apt.err"; then
      dpkg --configure -a --force-confold || try_later "dpkg --configure -a failed after an interrupted installation"
    fi
    [ "$attempt" -lt 3 ] || try_later "apt-get $verb failed three times: package mirror down or package database locked"
    attempt=$((attempt + 1))
    sleep 5
  done
  # to apt-get update a repository behind https that it cannot reach is a mere warning
  if grep -q 'Proxy Authentication Required' "$WORK/apt.err"; then
    cat "$WORK/apt.err" >&2
    proxy_refuses_login
  fi
}

# install_packages PACKAGE[=VERSION_PREFIX*]…: those that are missing.
install_packages() {
  local spec prefix
  for spec in "$@"; do
    shift
    prefix=''
    case "$spec" in *=*) prefix=${spec#*=} ;; esac
    installed "${spec%%=*}" "${prefix%\*}" || set -- "$@" "$spec"
  done
  [ $# -gt 0 ] || return 0
  say "installing $*"
  apt_get update
  apt_get install --no-install-recommends "$@"
}

# The sha256 of the default versions, and of those of Tacker's guide, as the projects published them; per architecture.
known_sha256() {
  case "$1" in
    containerd-2.3.4-linux-amd64.tar.gz) echo 9d68969855fbf676cdb8ed758e420fb048d61f984f61de3e53eddfebe484d168 ;;
    containerd-2.3.4-linux-arm64.tar.gz) echo a985fbb7e18fc0362d31a055338f5d7b0e087a3e27f14c70d1c5965399a29f95 ;;
    runc-1.4.3-amd64) echo f6ae8efc0fa40079e1475e97cbe9d1bd3f106a28d6af78a11d9f1bd565515e60 ;;
    runc-1.4.3-arm64) echo 633301e2e32f8a5ad54031aab4901eb00308bec677dd15faa2751e8f9dab5ca4 ;;
    cilium-cli-0.19.7-amd64) echo cd15e0983bf0acc7946cd05d453d1e58376ea92dec2642e745212df2b07d8852 ;;
    cilium-cli-0.19.7-arm64) echo 9482937f14061fb239f2dbb2f97f4103de1b101f5d5defbff319f294f9bd540f ;;
    etcdutl-3.6.14-amd64) echo ffe840ff9295808e88cce2794a18a5ac87f12a5203c8314d0bf6aa119b41bac5 ;;
    etcdutl-3.6.14-arm64) echo fa1b80565ee6fc2df1ae6f57a508b221f3ecc7d591c317c581cd8281b0842b3e ;;
    containerd-1.7.11-linux-amd64.tar.gz) echo d66161d54546fad502fd50a13fcb79efff033fcd895adc9c44762680dcde4e69 ;;
    containerd-1.7.11-linux-arm64.tar.gz) echo 5eae27cce38a14be5390d4035127aa11416bc5ae592a9ff25b11870872ce1159 ;;
    runc-1.1.10-amd64) echo 81f73a59be3d122ab484d7dfe9ddc81030f595cc59968f61c113a9a38a2c113a ;;
    runc-1.1.10-arm64) echo 4830afd426bdeacbdf9cb8729524aa2ed51790b8c4b28786995925593708f1c8 ;;
    cilium-cli-0.15.23-amd64) echo cda3f1c40ae2191a250a7cea9e2c3987eaa81cb657dda54cd8ce25f856c384da ;;
    cilium-cli-0.15.23-arm64) echo 9aa37d99a15e72bbcb555d7ed5b88c2ae3a7e6fbc478f9ee402a835ba6b41175 ;;
  esac
}

# pinned_sha256 NAME: that of the parameters, which may be several (one for each architecture), or the known one.
pinned_sha256() {
  local given
  case "$1" in
    containerd-*) given=$CONTAINERD_SHA256 ;;
    runc-*) given=$RUNC_SHA256 ;;
    etcdutl-*) given=$ETCDUTL_SHA256 ;;
    *) given=$CILIUM_CLI_SHA256 ;;
  esac
  if [ -n "$given" ]; then printf '%s' "$given"; else known_sha256 "$1"; fi
}

# has_sha256 FILE SUM[,SUM…]: is one of them the file's?
has_sha256() {
  local sum
  [ -f "$1" ] || return 1
  for sum in $(printf '%s' "$2" | tr ',' ' '); do
    if printf '%s  %s\n' "$sum" "$1" | sha256sum -c - > /dev/null 2>&1; then return 0; fi
  done
  return 1
}

# fetch URL FILE
fetch() {
  local code
  code=$(curl -fsSL --retry 3 --retry-connrefused --connect-timeout 20 --max-time 900 -o "$2" -w '%{http_code} %{http_connect}' "$1" 2> "$WORK/curl.err") && return 0
  cat "$WORK/curl.err" >&2
  case "$code" in
    *407*) proxy_refuses_login ;;
    "000 403") fail "the proxy does not let this node read $1 (403)" ;;
    400* | 401* | 403* | 404* | 410*) fail "$1 answered ${code% *}: is the version right, may this node read there?" ;;
    *) try_later "cannot download $1" ;;
  esac
}

# download NAME URL SUMS_URL FILE: NAME as in known_sha256; other versions are checked against the published sums.
download() {
  local sum
  sum=$(pinned_sha256 "$1")
  if [ -z "$sum" ]; then
    fetch "$3" "$WORK/sums"
    sum=$(sed -n -e "s#^\([0-9a-f]\{64\}\)[ *]*${2##*/}\$#\1#p" "$WORK/sums")
    [ -n "$sum" ] || fail "$3 names no sha256 of ${2##*/}: nothing unchecked is installed"
  fi
  if ! has_sha256 "$4" "$sum"; then
    say "downloading $2"
    fetch "$2" "$4" # what is cut off on the way fails here: curl compares the length
  fi
  if ! has_sha256 "$4" "$sum"; then
    rm -f "$4"
    fail "$2 does not have the sha256 $sum: it is not the file it should be, and nothing of it is installed"
  fi
}

# -- prepare ----------------------------------------------------------------------------------------------------------

wait_for_cloud_init() {
  command -v cloud-init > /dev/null 2>&1 || return 0
  cloud-init status --wait > /dev/null || say "cloud-init reports a problem (see /var/log/cloud-init.log); going on, each step checks what it needs"
}

set_host_name() {
  if [ "$(hostname)" != "$NODE_NAME" ]; then
    hostnamectl set-hostname "$NODE_NAME" || fail "cannot set the host name to $NODE_NAME"
  fi
  {
    sed '/^# nodes of the cluster, by vnflow$/,/^# end of the nodes of the cluster$/d' /etc/hosts | grep -v " $NODE_NAME\$"
    printf '%s %s\n' "$NODE_IP" "$NODE_NAME"
    if [ -n "$OTHER_NODES" ]; then
      printf '# nodes of the cluster, by vnflow\n%s\n# end of the nodes of the cluster\n' "$OTHER_NODES"
    fi
  } | put /etc/hosts 0644 || exit
}

set_kernel() {
  swapoff -a || fail "cannot switch swap off: the kubelet does not start with swap"
  if grep -Eq '^[^#].*[[:space:]]swap[[:space:]]' /etc/fstab 2> /dev/null; then
    sed -E -e '/^[^#].*[[:space:]]swap[[:space:]]/s/^/#/' /etc/fstab | put /etc/fstab 0644 || exit
  fi
  printf 'overlay\nbr_netfilter\n' | put /etc/modules-load.d/kubernetes.conf 0644 || exit
  modprobe -a overlay br_netfilter || fail "the kernel lacks the module overlay or br_netfilter"
  put /etc/sysctl.d/99-kubernetes.conf 0644 << 'SYSCTL'
net.bridge.bridge-nf-call-iptables = 1
net.bridge.bridge-nf-call-ip6tables = 1
net.ipv4.ip_forward = 1
SYSCTL
  sysctl --system > /dev/null || fail "sysctl refused /etc/sysctl.d/99-kubernetes.conf"
  [ "$(sysctl -n net.ipv4.ip_forward)" = 1 ] || fail "net.ipv4.ip_forward stays 0: another file in /etc/sysctl.d forbids it"
}

# Sets BINARIES: whether containerd is another program now.
install_containerd() {
  local name
  BINARIES=kept
  case "$(containerd --version 2> /dev/null)" in
    *" v$CONTAINERD_VERSION" | *" v$CONTAINERD_VERSION "*) ;;
    *)
      name="containerd-$CONTAINERD_VERSION-linux-$ARCHITECTURE.tar.gz"
      download "$name" "$DOWNLOAD_URL/containerd/containerd/releases/download/v$CONTAINERD_VERSION/$name" \
        "$DOWNLOAD_URL/containerd/containerd/releases/download/v$CONTAINERD_VERSION/$name.sha256sum" "$WORK/$name"
      tar -C /usr/local -xzf "$WORK/$name" || fail "cannot unpack containerd: is the disk full?"
      rm -f "$WORK/$name"
      BINARIES=changed
      ;;
  esac
  case "$(runc --version 2> /dev/null)" in
    *"version $RUNC_VERSION"*) ;;
    *)
      download "runc-$RUNC_VERSION-$ARCHITECTURE" "$DOWNLOAD_URL/opencontainers/runc/releases/download/v$RUNC_VERSION/runc.$ARCHITECTURE" \
        "$DOWNLOAD_URL/opencontainers/runc/releases/download/v$RUNC_VERSION/runc.sha256sum" "$WORK/runc"
      chmod 755 "$WORK/runc" || fail "cannot make runc executable"
      mv -f "$WORK/runc" /usr/local/sbin/runc || fail "cannot install runc: is the disk full?"
      ;;
  esac
}

run_containerd() {
  CHANGED=no
  configure_containerd
  systemctl enable containerd > /dev/null 2>&1 || fail "cannot enable containerd.service"
  if [ "$CHANGED" = yes ] || [ "$BINARIES" = changed ] || ! systemctl is-active --quiet containerd; then
    systemctl daemon-reload || fail "systemctl daemon-reload failed"
    systemctl restart containerd || fail "containerd does not start: see journalctl -u containerd"
  fi
}

configure_containerd() {
  put /etc/systemd/system/containerd.service 0644 << 'UNIT'
[Unit]
Description=containerd container runtime
Documentation=https://containerd.io
After=network.target local-fs.target

[Service]
ExecStartPre=-/sbin/modprobe overlay
ExecStart=/usr/local/bin/containerd
Type=notify
Delegate=yes
KillMode=process
Restart=always
RestartSec=5
LimitNPROC=infinity
LimitCORE=infinity
LimitNOFILE=infinity
TasksMax=infinity
OOMScoreAdjust=-999

[Install]
WantedBy=multi-user.target
UNIT
  configure_service_proxy containerd
  local pause
  pause=$(kubernetes_images | grep '/pause:') || fail "kubeadm names no pause image of Kubernetes $KUBERNETES_VERSION"
  containerd config default > "$WORK/containerd.toml" || fail "containerd cannot print its default configuration"
  # containerd 1 has sandbox_image = "…" and config_path = "", containerd 2 sandbox = '…' and a config_path of several places
  sed -E -e 's/SystemdCgroup = false/SystemdCgroup = true/' \
    -e "s#^( *sandbox(_image)? = ).*#\\1\"$pause\"#" \
    -e 's#^( *config_path = ).*#\1"/etc/containerd/certs.d"#' "$WORK/containerd.toml" > "$WORK/config.toml" ||
    fail "cannot write $WORK/config.toml: is the disk full?"
  put /etc/containerd/config.toml 0644 < "$WORK/config.toml"
  printf 'runtime-endpoint: %s\n' "$CRI_SOCKET" | put /etc/crictl.yaml 0644 || exit
}

# has_only_pinned_key FILE: does it contain the key of KUBERNETES_APT_FINGERPRINT, and no other one?
has_only_pinned_key() {
  local keys
  [ -f "$1" ] || return 1
  # the line after "pub" is the fingerprint of the key itself; others are those of subkeys
  keys=$(gpg --show-keys --with-colons "$1" 2> /dev/null | awk -F: '$1 == "pub" { own = 1 } $1 == "fpr" && own { print $10; own = 0 }')
  [ "$keys" = "$KUBERNETES_APT_FINGERPRINT" ]
}

# export_pinned_key FILE FILE: takes the pinned key out of a file that may contain others.
export_pinned_key() {
  rm -rf "$WORK/gnupg"
  mkdir -p "$WORK/gnupg" && chmod 700 "$WORK/gnupg" || fail "cannot make $WORK/gnupg"
  gpg --homedir "$WORK/gnupg" --batch --quiet --import "$1" 2> "$WORK/gpg.err"
  gpg --homedir "$WORK/gnupg" --batch --armor --export "$KUBERNETES_APT_FINGERPRINT" > "$2" 2>> "$WORK/gpg.err"
  rm -rf "$WORK/gnupg"
}

add_kubernetes_repository() {
  local minor key
  minor=$(printf '%s' "$1" | cut -d. -f1,2)
  key=/etc/apt/keyrings/kubernetes-apt-keyring.asc
  if ! has_only_pinned_key "$key"; then
    fetch "$KUBERNETES_APT_URL/v$minor/deb/Release.key" "$WORK/Release.key"
    export_pinned_key "$WORK/Release.key" "$WORK/pinned.key"
    has_only_pinned_key "$WORK/pinned.key" ||
      fail "the key $KUBERNETES_APT_FINGERPRINT is not in $KUBERNETES_APT_URL/v$minor/deb/Release.key: no other key is trusted"
    put "$key" 0644 < "$WORK/pinned.key"
  fi
  put /etc/apt/sources.list.d/kubernetes.list 0644 << LIST
deb [signed-by=$key] $KUBERNETES_APT_URL/v$minor/deb/ /
LIST
}

# install_kubernetes PACKAGE…: of KUBERNETES_VERSION, held there.
install_kubernetes() {
  local package
  for package in "$@"; do
    shift
    installed "$package" "$KUBERNETES_VERSION-" || set -- "$@" "$package=$KUBERNETES_VERSION-*"
  done
  if [ -n "$KUBERNETES_CNI_VERSION" ] && ! installed kubernetes-cni "$KUBERNETES_CNI_VERSION-"; then
    set -- "$@" "kubernetes-cni=$KUBERNETES_CNI_VERSION-*"
  fi
  [ $# -gt 0 ] || return 0
  add_kubernetes_repository "$KUBERNETES_VERSION"
  apt-mark unhold kubelet kubeadm kubectl > /dev/null 2>&1
  install_packages "$@"
  apt-mark hold kubelet kubeadm kubectl > /dev/null || fail "cannot hold the Kubernetes packages at $KUBERNETES_VERSION"
}

containerd_answers() { crictl info; }

image_is_there() { crictl inspecti -q "$1" > /dev/null 2>&1; }

kubernetes_images() {
  kubeadm config images list --kubernetes-version "v$KUBERNETES_VERSION" --image-repository "$IMAGE_REPOSITORY"
}

# etcdctl of etcd 3.6 does not work with files of snapshots any more, and its image may lack etcdutl, which does.
install_etcdutl() {
  local etcd name
  case ",$CONTROL_PLANES," in *",$NODE_NAME="*) ;; *) return 0 ;; esac
  etcd=$(kubernetes_images | sed -n -e 's#^.*/etcd:\([0-9][0-9]*\.[0-9][0-9]*\)\..*$#\1#p')
  case "$etcd" in '' | 3.[0-5]) return 0 ;; esac
  case "$(etcdutl version 2> /dev/null)" in *"etcdutl version: $ETCDUTL_VERSION"*) return 0 ;; esac
  name="etcd-v$ETCDUTL_VERSION-linux-$ARCHITECTURE"
  download "etcdutl-$ETCDUTL_VERSION-$ARCHITECTURE" "$DOWNLOAD_URL/etcd-io/etcd/releases/download/v$ETCDUTL_VERSION/$name.tar.gz" \
    "$DOWNLOAD_URL/etcd-io/etcd/releases/download/v$ETCDUTL_VERSION/SHA256SUMS" "$WORK/$name.tar.gz"
  tar -C "$WORK" -xzf "$WORK/$name.tar.gz" "$name/etcdutl" || fail "cannot unpack etcdutl: is the disk full?"
  mv -f "$WORK/$name/etcdutl" /usr/local/bin/etcdutl || fail "cannot install etcdutl: is the disk full?"
  rm -rf "$WORK/$name.tar.gz" "${WORK:?}/$name"
}

pull_images() {
  local images image missing
  images=$(kubernetes_images) || fail "kubeadm knows no images of Kubernetes $KUBERNETES_VERSION"
  missing=''
  for image in $images; do
    image_is_there "$image" || missing="$missing $image"
  done
  [ -n "$missing" ] || return 0
  run_kubeadm config images pull --kubernetes-version "v$KUBERNETES_VERSION" --image-repository "$IMAGE_REPOSITORY" --cri-socket "$CRI_SOCKET"
}

phase_prepare() {
  need NODE_NAME NODE_IP
  wait_for_cloud_init
  configure_apt_proxy
  set_host_name
  set_kernel
  if ! command -v curl > /dev/null 2>&1 || ! command -v gpg > /dev/null 2>&1; then
    install_packages ca-certificates curl gpg
  fi
  ARCHITECTURE=$(dpkg --print-architecture) || fail "cannot find out the architecture of this machine"
  install_containerd
  install_kubernetes kubelet kubeadm kubectl
  run_containerd
  systemctl enable kubelet > /dev/null 2>&1 || fail "cannot enable kubelet.service"
  install_etcdutl
  wait_for 60 containerd_answers || try_later "containerd does not answer on $CRI_SOCKET: see journalctl -u containerd"
  pull_images
  say "$NODE_NAME is prepared: Kubernetes $KUBERNETES_VERSION, containerd $CONTAINERD_VERSION, runc $RUNC_VERSION"
}

# -- load balancer ----------------------------------------------------------------------------------------------------

# The lines "name address" of CONTROL_PLANES.
control_planes() { printf '%s\n' "$CONTROL_PLANES" | tr ',' '\n' | sed -n -e 's/^\(..*\)=\(..*\)$/\1 \2/p'; }

haproxy_configuration() {
  cat << 'HAPROXY'
global
    log /dev/log local0
    maxconn 8192
    user haproxy
    group haproxy
    stats socket /run/haproxy/admin.sock mode 600 level admin expose-fd listeners
defaults
    log global
    mode tcp
    option tcplog
    option dontlognull
    option redispatch
    retries 3
    timeout connect 5s
    timeout check 5s
    timeout client 4h
    timeout server 4h
HAPROXY
  printf 'frontend kube-apiserver\n    bind *:%s\n    default_backend kube-apiserver\n' "${CLUSTER_ENDPOINT##*:}"
  cat << 'HAPROXY'
backend kube-apiserver
    balance roundrobin
    option httpchk
    http-check connect ssl
    http-check send meth GET uri /readyz
    http-check expect status 200
    default-server inter 3s downinter 5s fall 3 rise 2 verify none slowstart 10s on-marked-down shutdown-sessions
HAPROXY
  control_planes | while read -r name address; do
    printf '    server %s %s:6443 check\n' "$name" "$address"
  done
}

keepalived_configuration() {
  local interface
  interface=$(ip -o -4 addr show | awk -v address="$NODE_IP" '{ split($4, part, "/"); if (part[1] == address) print $2 }' | head -n 1)
  [ -n "$interface" ] || fail "no network interface of this node has the address $NODE_IP"
  cat << KEEPALIVED
global_defs {
    enable_script_security
    script_user root
}
vrrp_script haproxy_runs {
    script "/usr/bin/pgrep -x haproxy"
    interval 2
    fall 3
    rise 2
}
vrrp_instance kube_apiserver {
    state BACKUP
    nopreempt
    interface $interface
    advert_int 1
    priority $VRRP_PRIORITY
    virtual_router_id $VRRP_ROUTER_ID
    unicast_src_ip $NODE_IP
    unicast_peer {
KEEPALIVED
  control_planes | while read -r _ address; do
    [ "$address" = "$NODE_IP" ] || printf '        %s\n' "$address"
  done
  cat << KEEPALIVED
    }
    authentication {
        auth_type PASS
        auth_pass $VRRP_PASSWORD
    }
    virtual_ipaddress {
        $VIRTUAL_IP/32 dev $interface
    }
    track_script {
        haproxy_runs
    }
}
KEEPALIVED
}

# What the running HAProxy balances over, by its own word: the file may be newer than the last reload.
haproxy_servers() {
  printf 'show servers state kube-apiserver\n' | socat - UNIX-CONNECT:/run/haproxy/admin.sock |
    awk '$2 == "kube-apiserver" { print $4, $5 }' | sort
}

haproxy_is_current() { [ "$(haproxy_servers 2> /dev/null)" = "$(control_planes | sort)" ]; }

phase_load_balancer() {
  need NODE_NAME NODE_IP CLUSTER_ENDPOINT CONTROL_PLANES
  case "$CLUSTER_ENDPOINT" in *:*[0-9]) ;; *) fail "CLUSTER_ENDPOINT must be host:port" ;; esac
  [ "${CLUSTER_ENDPOINT##*:}" != 6443 ] || fail "CLUSTER_ENDPOINT must not use port 6443: the API server of this node listens there"
  # in one go: the package tool is most of this phase's time
  if [ -n "$VIRTUAL_IP" ]; then install_packages haproxy socat keepalived; else install_packages haproxy socat; fi
  haproxy_configuration > "$WORK/haproxy.cfg"
  haproxy -c -q -f "$WORK/haproxy.cfg" || fail "haproxy refuses its configuration $WORK/haproxy.cfg"
  CHANGED=no
  put /etc/haproxy/haproxy.cfg 0644 < "$WORK/haproxy.cfg"
  systemctl enable haproxy > /dev/null 2>&1 || fail "cannot enable haproxy.service"
  if [ "$CHANGED" = yes ] || ! haproxy_is_current; then
    systemctl reload-or-restart haproxy || fail "haproxy does not start: see journalctl -u haproxy"
  fi
  wait_for 30 haproxy_is_current || fail "haproxy does not stay up with the servers it should have: see journalctl -u haproxy"
  [ -z "$VIRTUAL_IP" ] || run_keepalived
  say "$NODE_NAME balances port ${CLUSTER_ENDPOINT##*:} over the control-plane nodes"
}

run_keepalived() {
  [ "${#VRRP_PASSWORD}" -eq 8 ] || fail "VRRP_PASSWORD must have eight characters: keepalived cuts longer ones off"
  keepalived_configuration > "$WORK/keepalived.conf"
  keepalived -t -f "$WORK/keepalived.conf" || fail "keepalived refuses its configuration $WORK/keepalived.conf"
  CHANGED=no
  put /etc/keepalived/keepalived.conf 0600 < "$WORK/keepalived.conf"
  rm -f "$WORK/keepalived.conf"
  systemctl enable keepalived > /dev/null 2>&1 || fail "cannot enable keepalived.service"
  if [ "$CHANGED" = yes ] || ! systemctl is-active --quiet keepalived; then
    systemctl reload-or-restart keepalived || fail "keepalived does not start: see journalctl -u keepalived"
  fi
}

# -- kubeadm ----------------------------------------------------------------------------------------------------------

# run_kubeadm ARGUMENT…: tells a cause that passes by from one that needs somebody.
run_kubeadm() {
  local code reason
  # without the proxy: kubeadm downloads nothing itself (containerd does), and would write the proxy with its password
  # into the manifests of the control plane and into the DaemonSet of kube-proxy
  (
    unset HTTP_PROXY HTTPS_PROXY NO_PROXY http_proxy https_proxy no_proxy
    kubeadm "$@"
  ) 2> "$WORK/kubeadm.err"
  code=$?
  rm -f "$WORK"/kubeadm-*.yaml # they may name a token and a key
  [ "$code" -ne 0 ] || return 0
  cat "$WORK/kubeadm.err" >&2
  reason=$(sed -n -e 's/^error execution phase //p' "$WORK/kubeadm.err" | tail -n 1)
  # a join that was cut off: the cluster takes the node for Ready until it has missed its kubelet for 40 s
  if grep -q 'status "Ready" already exists in the cluster' "$WORK/kubeadm.err"; then
    sleep 45
    try_later "the cluster took $NODE_NAME for Ready: this node was until its reset, or another machine has its name"
  fi
  # first what never passes by, although kubeadm wraps it in words that sound as if
  if grep -Eq 'none of the public keys|version skew|unsupported|No space left|manifest unknown|unauthorized|Proxy Authentication Required' "$WORK/kubeadm.err"; then
    fail "kubeadm $1 failed: ${reason:-see the reason above}"
  fi
  if grep -Eiq 'connection refused|was refused|unable to connect to the server|request canceled|connection reset|no route to host|i/o timeout|timed out|deadline exceeded|TLS handshake|EOF|too many requests|internal error|service unavailable|bad gateway|name resolution|etcdserver:|etcd cluster is not healthy|JWS signature|kubeadm-certs. was not found|failed to pull image' "$WORK/kubeadm.err"; then
    try_later "kubeadm $1 failed for a reason that may pass by: ${reason:-see above}"
  fi
  fail "kubeadm $1 failed: ${reason:-see the reason above}"
}

# The version of kubeadm's configuration: v1beta4 is there since 1.31, and v1beta3 is deprecated since then.
kubeadm_api() {
  case "$KUBERNETES_VERSION" in 1.2[0-9].* | 1.30.*) echo kubeadm.k8s.io/v1beta3 ;; *) echo kubeadm.k8s.io/v1beta4 ;; esac
}

# Arguments of the kubelet: a map in v1beta3, a list in v1beta4.
kubelet_arguments() {
  case "$(kubeadm_api)" in
    */v1beta3) printf '  kubeletExtraArgs:\n    node-ip: "%s"\n' "$NODE_IP" ;;
    *) printf '  kubeletExtraArgs:\n  - name: node-ip\n    value: "%s"\n' "$NODE_IP" ;;
  esac
}

# The audit policy is on every control-plane node, whether the API server reads it or not: a node that joins need not know.
# Bodies of requests are never recorded: they may hold secrets.
write_audit_policy() {
  put "$AUDIT_POLICY_FILE" 0644 << 'POLICY'
apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
- level: Metadata
  resources:
  - group: ""
    resources: [secrets, serviceaccounts/token]
- level: None
  nonResourceURLs: ["/healthz*", "/livez*", "/readyz*", "/version"]
- level: None # what components and nodes do all the time by themselves
  verbs: [get, list, watch]
  users: ["system:apiserver", "system:kube-controller-manager", "system:kube-scheduler"]
- level: None
  verbs: [get, list, watch]
  userGroups: ["system:nodes", "system:serviceaccounts:kube-system"]
- level: None
  resources:
  - group: coordination.k8s.io
    resources: [leases]
- level: Metadata
POLICY
}

# Makes the key with which the API server encrypts Secrets in etcd, unless there is one. "identity" lets it read what was
# written before.
make_encryption_key() {
  [ "$ENCRYPT_SECRETS" != off ] && [ ! -f "$ENCRYPTION_FILE" ] || return 0
  local key
  key=$(openssl rand -base64 32) && [ -n "$key" ] || fail "openssl cannot make a key"
  put "$ENCRYPTION_FILE" 0600 << CONFIGURATION
apiVersion: apiserver.config.k8s.io/v1
kind: EncryptionConfiguration
resources:
- resources: [secrets]
  providers:
  - $ENCRYPT_SECRETS:
      keys:
      - name: vnflow-1
        secret: $key
  - identity: {}
CONFIGURATION
}

# What the API server of a control-plane node that joins reads: kubeadm's upload of certificates does not bring it.
prepare_api_server() {
  write_audit_policy
  [ -n "$ENCRYPTION_CONFIG" ] || return 0
  printf '%s' "$ENCRYPTION_CONFIG" | base64 -d > "$WORK/encryption" || fail "ENCRYPTION_CONFIG is not in base64"
  put "$ENCRYPTION_FILE" 0600 < "$WORK/encryption"
  rm -f "$WORK/encryption"
}

# The encryption goes with its key, whatever the parameter says: an API server without it could not read the Secrets.
api_server_arguments() {
  [ ! -f "$ENCRYPTION_FILE" ] || printf 'encryption-provider-config %s\n' "$ENCRYPTION_FILE"
  [ "$AUDIT_POLICY" != off ] || return 0
  printf '%s\n' "audit-policy-file $AUDIT_POLICY_FILE" "audit-log-path $AUDIT_LOGS/audit.log" \
    'audit-log-maxage 30' 'audit-log-maxbackup 10' 'audit-log-maxsize 100'
}

# Arguments and volumes of the API server: arguments are a map in v1beta3, a list in v1beta4.
api_server_configuration() {
  local arguments
  arguments=$(api_server_arguments)
  [ -n "$arguments" ] || return 0
  printf '  extraArgs:\n'
  case "$(kubeadm_api)" in
    */v1beta3) printf '%s\n' "$arguments" | sed -e 's/^\([^ ]*\) \(.*\)$/    \1: "\2"/' ;;
    *) printf '%s\n' "$arguments" | sed -e 's/^\([^ ]*\) \(.*\)$/  - name: \1\n    value: "\2"/' ;;
  esac
  [ "$AUDIT_POLICY" != off ] || return 0
  cat << CONFIGURATION
  extraVolumes:
  - name: audit-policy
    hostPath: $AUDIT_POLICY_FILE
    mountPath: $AUDIT_POLICY_FILE
    readOnly: true
    pathType: File
  - name: audit-logs
    hostPath: $AUDIT_LOGS
    mountPath: $AUDIT_LOGS
    pathType: DirectoryOrCreate
CONFIGURATION
}

# Goes to a file only: it may name a token and a certificate key.
init_configuration() {
  cat << CONFIGURATION
apiVersion: $(kubeadm_api)
kind: InitConfiguration
bootstrapTokens:
- token: "$1"
  ttl: 2h0m0s
  usages: [signing, authentication]
  groups: ["system:bootstrappers:kubeadm:default-node-token"]
certificateKey: "$2"
localAPIEndpoint:
  advertiseAddress: "$NODE_IP"
  bindPort: 6443
nodeRegistration:
  name: "$NODE_NAME"
  criSocket: "$CRI_SOCKET"
  imagePullPolicy: IfNotPresent
$(kubelet_arguments)
---
apiVersion: $(kubeadm_api)
kind: ClusterConfiguration
kubernetesVersion: "v$KUBERNETES_VERSION"
controlPlaneEndpoint: "$CLUSTER_ENDPOINT"
imageRepository: "$IMAGE_REPOSITORY"
networking:
  podSubnet: "$POD_CIDR"
  serviceSubnet: "$SERVICE_CIDR"
  dnsDomain: cluster.local
apiServer:
  certSANs:
  - "$NODE_IP"
CONFIGURATION
  printf '%s\n' "$CERT_SANS" | tr ',' '\n' | sed -n -e 's/^\(..*\)$/  - "\1"/p'
  api_server_configuration
  cat << 'CONFIGURATION'
etcd:
  local:
    dataDir: /var/lib/etcd
---
apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
cgroupDriver: systemd
CONFIGURATION
}

# The beginning of the section "discovery", with its limit of two minutes.
discovery_timeout() {
  case "$(kubeadm_api)" in
    */v1beta3) printf 'discovery:\n  timeout: 2m0s\n' ;;
    *) printf 'timeouts:\n  discovery: 2m0s\ndiscovery:\n' ;;
  esac
}

join_configuration() {
  cat << CONFIGURATION
apiVersion: $(kubeadm_api)
kind: JoinConfiguration
$(discovery_timeout)
  bootstrapToken:
    apiServerEndpoint: "$CLUSTER_ENDPOINT"
    token: "$JOIN_TOKEN"
    caCertHashes: ["$CA_CERT_HASH"]
nodeRegistration:
  name: "$NODE_NAME"
  criSocket: "$CRI_SOCKET"
  imagePullPolicy: IfNotPresent
$(kubelet_arguments)
CONFIGURATION
  [ "$1" = control-plane ] || return 0
  cat << CONFIGURATION
controlPlane:
  certificateKey: "$CERTIFICATE_KEY"
  localAPIEndpoint:
    advertiseAddress: "$NODE_IP"
    bindPort: 6443
CONFIGURATION
}

admin_kubectl() { kubectl --kubeconfig "$ADMIN_CONF" --request-timeout 5s "$@"; }

# Of this node's own API server, not of one behind the load balancer.
api_server_is_ready() { admin_kubectl --server "https://$NODE_IP:6443" get --raw /readyz; }

cluster_answers() { admin_kubectl get --raw /readyz; }

# kubeadm's last step of init makes kube-proxy: what has it is complete.
cluster_is_complete() {
  cluster_answers > /dev/null 2>&1 &&
    admin_kubectl --namespace kube-system get configmap kubeadm-config > /dev/null 2>&1 &&
    admin_kubectl --namespace kube-system get daemonset kube-proxy > /dev/null 2>&1
}

ca_cert_hash() {
  local sum
  sum=$(openssl x509 -pubkey -noout -in /etc/kubernetes/pki/ca.crt 2> /dev/null | openssl pkey -pubin -outform der 2> /dev/null | sha256sum | cut -d' ' -f1)
  # the sum of nothing: one of the commands before failed
  case "$sum" in
    '' | e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855) fail "cannot read the cluster CA in /etc/kubernetes/pki/ca.crt" ;;
  esac
  printf 'sha256:%s' "$sum"
}

# The person who logs in as LOGIN_USER (and root) finds kubectl ready.
give_kubeconfig() {
  local home user
  for user in root $LOGIN_USER; do
    home=$(getent passwd "$user" | cut -d: -f6)
    [ -n "$home" ] || fail "LOGIN_USER $user does not exist on this node"
    CHANGED=no
    put "$home/.kube/config" 0600 < "$ADMIN_CONF"
    chmod 700 "$home/.kube"
    chown -R "$user:" "$home/.kube" || fail "cannot give $home/.kube to $user"
  done
}

# give_join_credentials TOKEN KEY
give_join_credentials() {
  local hash
  hash=$(ca_cert_hash) || exit
  output CA_CERT_HASH "$hash"
  secret_output JOIN_TOKEN "$1"
  secret_output CERTIFICATE_KEY "$2"
  [ ! -f "$ENCRYPTION_FILE" ] || secret_output ENCRYPTION_CONFIG "$(base64 "$ENCRYPTION_FILE" | tr -d '\n')"
}

phase_init() {
  need NODE_NAME NODE_IP CLUSTER_ENDPOINT
  if [ -f "$WORK/init.begun" ]; then
    say "an earlier kubeadm init did not end"
    if ! cluster_is_complete; then clean_node; fi
    rm -f "$WORK/init.begun"
  fi
  if [ -f "$ADMIN_CONF" ]; then
    grep -q "server: https://$CLUSTER_ENDPOINT\$" "$ADMIN_CONF" || fail "this node belongs to a cluster with another endpoint than $CLUSTER_ENDPOINT: run the phase reset first"
    wait_for 120 cluster_answers || try_later "the API server of the cluster on this node does not answer"
    cluster_is_complete || fail "the cluster on this node was not made by this script: run the phase reset first"
    say "the cluster is already there"
    give_kubeconfig
    phase_credentials
    return 0
  fi
  local token key
  token=${JOIN_TOKEN:-$(kubeadm token generate)}
  key=${CERTIFICATE_KEY:-$(kubeadm certs certificate-key)}
  [ -n "$token" ] && [ -n "$key" ] || fail "kubeadm cannot make a token and a certificate key"
  make_encryption_key
  write_audit_policy
  init_configuration "$token" "$key" | put "$WORK/kubeadm-init.yaml" 0600 || exit
  : > "$WORK/init.begun"
  # no phase may print the token or the key: the output is the job's log
  run_kubeadm init --config "$WORK/kubeadm-init.yaml" --upload-certs --skip-token-print --skip-certificate-key-print
  wait_for 120 cluster_answers || try_later "the new API server does not answer at $CLUSTER_ENDPOINT"
  rm -f "$WORK/init.begun"
  give_kubeconfig
  give_join_credentials "$token" "$key"
  say "the control plane runs on $NODE_NAME"
}

phase_credentials() {
  need NODE_NAME NODE_IP CLUSTER_ENDPOINT
  [ -f "$ADMIN_CONF" ] || fail "this node has no control plane: run the phase on a control-plane node"
  wait_for 60 cluster_answers || try_later "the API server does not answer at $CLUSTER_ENDPOINT"
  local token key
  token=$(kubeadm token create --ttl 2h --kubeconfig "$ADMIN_CONF" 2> "$WORK/kubeadm.err") || {
    cat "$WORK/kubeadm.err" >&2
    try_later "cannot make a bootstrap token"
  }
  key=$(kubeadm certs certificate-key) || fail "kubeadm cannot make a certificate key"
  init_configuration "$token" "$key" | put "$WORK/kubeadm-certs.yaml" 0600 || exit
  run_kubeadm init phase upload-certs --upload-certs --skip-certificate-key-print --config "$WORK/kubeadm-certs.yaml" > /dev/null
  give_join_credentials "$token" "$key"
  say "new join credentials, good for two hours"
}

# -- restore ----------------------------------------------------------------------------------------------------------

# What kubeadm cannot make again: without these the cluster would be another one for its nodes and its users.
BACKUP_KEYS="ca.crt ca.key sa.key sa.pub front-proxy-ca.crt front-proxy-ca.key etcd/ca.crt etcd/ca.key"

# The backup: etcd.db, as etcdctl snapshot save made it, and pki/…
unpack_backup() {
  local name mode
  rm -rf "$WORK/backup"
  mkdir -p "$WORK/backup" && chmod 700 "$WORK/backup" || fail "cannot make $WORK/backup"
  tar -C "$WORK/backup" -xzf "$BACKUP_FILE" || fail "the backup $BACKUP_FILE cannot be unpacked"
  [ -s "$WORK/backup/etcd.db" ] || fail "the backup holds no etcd.db"
  mkdir -p /etc/kubernetes/pki/etcd || fail "cannot make /etc/kubernetes/pki"
  for name in $BACKUP_KEYS; do
    [ -s "$WORK/backup/pki/$name" ] || fail "the backup holds no pki/$name"
    case "$name" in *.key) mode=0600 ;; *) mode=0644 ;; esac
    put "/etc/kubernetes/pki/$name" "$mode" < "$WORK/backup/pki/$name"
  done
  # of a cluster that encrypts its Secrets
  [ ! -s "$WORK/backup/pki/encryption.yaml" ] || put "$ENCRYPTION_FILE" 0600 < "$WORK/backup/pki/encryption.yaml"
}

# etcd's tool for files: etcdutl where the machine has it (etcd 3.6 knows it only there), else etcdctl, which is in etcd's image only.
snapshot_tool() {
  local image
  if command -v etcdutl > /dev/null 2>&1; then
    etcdutl "$@"
    return
  fi
  image=$(kubernetes_images | grep '/etcd:')
  [ -n "$image" ] && image_is_there "$image" || fail "the image of etcd is not on this node: run the phase prepare first"
  ctr --namespace k8s.io run --rm --mount "type=bind,src=$WORK/backup,dst=$WORK/backup,options=rbind:ro" \
    --mount "type=bind,src=$ETCD_DATA,dst=$ETCD_DATA,options=rbind:rw" "$image" "vnflow-restore-$$" etcdctl "$@"
}

# A restore that was cut off may have left a container, which still writes.
remove_containers() {
  local name
  for name in $(ctr --namespace k8s.io containers list -q 2> /dev/null | grep '^vnflow-restore-'); do
    ctr --namespace k8s.io tasks kill --signal SIGKILL "$name" > /dev/null 2>&1
    ctr --namespace k8s.io tasks delete --force "$name" > /dev/null 2>&1
    ctr --namespace k8s.io containers delete "$name" > /dev/null 2>&1 || try_later "the container $name of an earlier restore does not go away"
  done
}

# revision_in FILE: of a snapshot, or of a database that no etcd has open.
revision_in() { snapshot_tool snapshot status "$1" -w json 2> "$WORK/etcd.err" | sed -n -e 's/^.*"revision":\([0-9][0-9]*\).*$/\1/p'; }

# etcd makes a member's id of its peer address and of the cluster's token: with a token of this restore's own, no other data has this id.
restored_member() {
  printf '%s' "https://$NODE_IP:2380$RESTORE_TOKEN" | sha1sum | cut -c1-16 | sed -e 's/^0*//'
}

# etcd's data with this node as its only member. The data directory may be a mount of its own: it stays, its content is replaced.
restore_etcd() {
  local revision
  remove_containers
  empty_directory "$ETCD_DATA"
  mkdir -p "$ETCD_DATA" && chmod 700 "$ETCD_DATA" || fail "cannot make $ETCD_DATA"
  revision=$(revision_in "$WORK/backup/etcd.db")
  if [ -z "$revision" ]; then
    cat "$WORK/etcd.err" >&2
    fail "etcd cannot read the snapshot of the backup: see the reason above"
  fi
  [ -z "$BACKUP_REVISION" ] || [ "$revision" = "$BACKUP_REVISION" ] ||
    fail "the snapshot is at revision $revision, the backup $BACKUP_ID was taken at $BACKUP_REVISION: it is another one"
  snapshot_tool snapshot restore "$WORK/backup/etcd.db" --name "$NODE_NAME" --data-dir "$ETCD_DATA/vnflow-restore" \
    --initial-cluster "$NODE_NAME=https://$NODE_IP:2380" --initial-advertise-peer-urls "https://$NODE_IP:2380" \
    --initial-cluster-token "$RESTORE_TOKEN" || fail "etcd refuses the snapshot: see the reason above"
  mv "$ETCD_DATA/vnflow-restore/member" "$ETCD_DATA/member" || fail "cannot move etcd's data to $ETCD_DATA"
  rm -rf "$ETCD_DATA/vnflow-restore"
  check_data "$revision"
}

# check_data REVISION: what etcd will find where it looks is the backup, as this restore placed it. Before anything starts on it.
check_data() {
  local revision
  grep -rq "$(restored_member)" "$ETCD_DATA/member/snap" ||
    fail "the data in $ETCD_DATA is not what was restored: etcd would start another cluster"
  revision=$(revision_in "$ETCD_DATA/member/snap/db")
  [ "$revision" = "$1" ] || fail "the data in $ETCD_DATA is at revision '$revision', the backup at $1: no API server is started on it"
}

# Does etcd run with what was restored, by its own word? A member of that id is in this restore's cluster only.
etcd_is_restored() {
  local container status
  container=$(crictl ps --quiet --name '^etcd$' --state running 2> /dev/null | head -n 1)
  [ -n "$container" ] || return 1
  status=$(crictl exec "$container" etcdctl --endpoints https://127.0.0.1:2379 --cacert /etc/kubernetes/pki/etcd/ca.crt \
    --cert /etc/kubernetes/pki/etcd/healthcheck-client.crt --key /etc/kubernetes/pki/etcd/healthcheck-client.key member list 2> /dev/null)
  case "$status" in "$(restored_member), started, $NODE_NAME, "*) return 0 ;; *) return 1 ;; esac
}

# The snapshot remembers control-plane nodes that are no members any more; a join would ask their etcd.
forget_other_control_planes() {
  local node
  for node in $(admin_kubectl get nodes --selector node-role.kubernetes.io/control-plane --output name); do
    [ "$node" != "node/$NODE_NAME" ] || continue
    admin_kubectl delete "$node" --ignore-not-found || try_later "cannot delete $node of the restored cluster"
    admin_kubectl --namespace kube-system delete pods --selector tier=control-plane \
      --field-selector "spec.nodeName=${node#node/}" --grace-period 0 --force --ignore-not-found ||
      try_later "cannot delete the pods of $node of the restored cluster"
  done
}

# restore_is WHAT: has this very restore begun, been started (kubeadm has ended), ended? Another one's mark says nothing.
restore_is() { [ -f "$WORK/restore.$1" ] && [ "$(cat "$WORK/restore.$1")" = "$RESTORE_TOKEN" ]; }

mark_restore() { printf '%s\n' "$RESTORE_TOKEN" | put "$WORK/restore.$1" 0600 || exit; }

# The cluster of a backup with this node as its only control-plane node: same CA, same keys, same objects.
# Cut off before kubeadm has ended, it begins anew: nothing but itself has written to the cluster. After that it goes on. Once it has
# ended, others may have joined: nothing is thrown away any more.
phase_restore() {
  need NODE_NAME NODE_IP CLUSTER_ENDPOINT BACKUP_FILE
  RESTORE_TOKEN="vnflow-$RESTORE_ID-$BACKUP_ID"
  if restore_is ended; then
    wait_for 120 cluster_is_complete || try_later "the restored API server does not answer at $CLUSTER_ENDPOINT"
  else
    restore_is started || restore_control_plane
    # a start that came to nothing is not waited for again
    if ! wait_for 120 cluster_is_complete; then
      rm -f "$WORK/restore.started"
      try_later "the restored API server does not answer at $CLUSTER_ENDPOINT: the next attempt restores again"
    fi
    if ! etcd_is_restored; then
      rm -f "$WORK/restore.started"
      fail "etcd does not run with the data of the backup: the next attempt restores again"
    fi
    forget_other_control_planes
    give_kubeconfig
  fi
  phase_credentials
  mark_restore ended
  rm -rf "$BACKUP_FILE" "$WORK/backup" "$WORK/restore.begun" "$WORK/restore.started"
  say "the cluster is restored on $NODE_NAME"
}

restore_control_plane() {
  local token key
  if ! restore_is begun && [ -f "$ADMIN_CONF" ] && wait_for 10 api_server_is_ready; then
    fail "the control plane on this node works: it is not overwritten by a backup"
  fi
  [ -s "$BACKUP_FILE" ] || try_later "there is no backup $BACKUP_FILE on this node"
  mark_restore begun # before the first thing that cannot be taken back
  clean_node
  unpack_backup
  write_audit_policy
  restore_etcd
  token=$(kubeadm token generate)
  key=$(kubeadm certs certificate-key)
  [ -n "$token" ] && [ -n "$key" ] || fail "kubeadm cannot make a token and a certificate key"
  init_configuration "$token" "$key" | put "$WORK/kubeadm-init.yaml" 0600 || exit
  # the add-ons are in the snapshot, as they were configured
  run_kubeadm init --config "$WORK/kubeadm-init.yaml" --ignore-preflight-errors DirAvailable--var-lib-etcd \
    --skip-phases addon --skip-token-print --skip-certificate-key-print
  mark_restore started
}

# -- join -------------------------------------------------------------------------------------------------------------

own_node() { kubectl --kubeconfig "$KUBELET_CONF" --request-timeout 5s get node "$NODE_NAME" --output name; }

same_cluster() {
  local hash
  hash=$(ca_cert_hash) || exit
  [ "$hash" = "$CA_CERT_HASH" ] || fail "this node belongs to another cluster: run the phase reset first"
}

# joined: 0 the API server knows this node; 1 there is nothing, or a half that must be cleaned away; ends if that cannot be told.
joined() {
  [ -f "$KUBELET_CONF" ] || return 1
  [ -f /etc/kubernetes/pki/ca.crt ] || return 1
  same_cluster
  wait_for 10 own_node && return 0
  own_node > /dev/null 2> "$WORK/kubectl.err" && return 0
  grep -Eiq 'NotFound|not found|Unauthorized|must be logged in|x509|no such file|invalid configuration' "$WORK/kubectl.err" && return 1
  cat "$WORK/kubectl.err" >&2
  try_later "cannot tell whether this node has joined: the API server does not answer"
}

# join KIND: the act itself, on a node without leftovers.
join() {
  if [ -f "$WORK/join.begun" ] || [ -f "$KUBELET_CONF" ] || [ -f /etc/kubernetes/bootstrap-kubelet.conf ] || [ -f /etc/kubernetes/pki/ca.crt ]; then
    # where etcd has no majority, a member that is thrown away never leaves the list: the others would wait for it for ever
    [ ! -f /etc/kubernetes/manifests/etcd.yaml ] || joined || say "the cluster does not know this node"
    say "an earlier join did not end: cleaning it away"
    clean_node
  fi
  join_configuration "$1" | put "$WORK/kubeadm-join.yaml" 0600 || exit
  : > "$WORK/join.begun"
  [ "$1" != control-plane ] || prepare_api_server
  run_kubeadm join --config "$WORK/kubeadm-join.yaml"
}

phase_join_worker() {
  need NODE_NAME NODE_IP CLUSTER_ENDPOINT JOIN_TOKEN CA_CERT_HASH
  if joined; then
    say "$NODE_NAME has joined already"
  else
    join worker
  fi
  wait_for 60 own_node || try_later "the API server does not know the node $NODE_NAME yet"
  rm -f "$WORK/join.begun" /etc/kubernetes/bootstrap-kubelet.conf
  say "$NODE_NAME is a node of the cluster"
}

# The line of this node in etcd's member list: id, state, name, peer, client, is learner.
etcd_member() {
  admin_kubectl --namespace kube-system exec "etcd-$NODE_NAME" -- etcdctl --endpoints https://127.0.0.1:2379 \
    --cacert /etc/kubernetes/pki/etcd/ca.crt --cert /etc/kubernetes/pki/etcd/healthcheck-client.crt \
    --key /etc/kubernetes/pki/etcd/healthcheck-client.key member list 2> /dev/null | grep ", started, $NODE_NAME, "
}

etcd_member_votes() { case "$(etcd_member)" in *', false') return 0 ;; *) return 1 ;; esac; }

control_plane_is_complete() { [ -f "$ADMIN_CONF" ] && api_server_is_ready > /dev/null 2>&1 && etcd_member_votes; }

control_plane_is_marked() {
  case "$(admin_kubectl get node "$NODE_NAME" --show-labels 2> /dev/null)" in
    *node-role.kubernetes.io/control-plane*) return 0 ;;
    *) return 1 ;;
  esac
}

# The last step of `kubeadm join`, for a join that was cut off before it (kubeadm join phase control-plane-join mark-control-plane).
mark_control_plane() {
  admin_kubectl label node "$NODE_NAME" --overwrite node-role.kubernetes.io/control-plane= \
    node.kubernetes.io/exclude-from-external-load-balancers= &&
    admin_kubectl taint node "$NODE_NAME" --overwrite node-role.kubernetes.io/control-plane:NoSchedule ||
    try_later "cannot mark $NODE_NAME as a control-plane node"
}

# After a power cut a member that has joined needs a while; one that has no manifest was never added.
control_plane_comes_up() {
  if [ -f /etc/kubernetes/manifests/etcd.yaml ]; then wait_for 120 control_plane_is_complete; else control_plane_is_complete; fi
}

phase_join_control_plane() {
  need NODE_NAME NODE_IP CLUSTER_ENDPOINT JOIN_TOKEN CA_CERT_HASH CERTIFICATE_KEY
  if [ -f /etc/kubernetes/manifests/kube-apiserver.yaml ] && [ ! -f "$WORK/join.begun" ]; then
    same_cluster
    # a member that once was complete is never thrown away because it is slow today
    wait_for 120 control_plane_is_complete || try_later "$NODE_NAME is a control-plane node, but its API server or etcd is not ready"
    say "$NODE_NAME has joined already"
  elif [ -f "$WORK/join.begun" ] && control_plane_comes_up; then
    # its member votes: a reset could take the majority away from etcd
    control_plane_is_marked || mark_control_plane
    say "$NODE_NAME has joined already"
  else
    join control-plane
  fi
  wait_for 240 control_plane_is_complete || try_later "the API server and the etcd member of $NODE_NAME are not ready yet"
  wait_for 30 control_plane_is_marked || try_later "$NODE_NAME is not marked as a control-plane node yet"
  rm -f "$WORK/join.begun"
  give_kubeconfig
  say "$NODE_NAME is a control-plane node of the cluster"
}

# -- network, reset, upgrade, registry --------------------------------------------------------------------------------

install_cilium_cli() {
  local release
  case "$(cilium version --client 2> /dev/null)" in *"v$CILIUM_CLI_VERSION "*) return 0 ;; esac
  ARCHITECTURE=$(dpkg --print-architecture) || fail "cannot find out the architecture of this machine"
  release="$DOWNLOAD_URL/cilium/cilium-cli/releases/download/v$CILIUM_CLI_VERSION/cilium-linux-$ARCHITECTURE.tar.gz"
  download "cilium-cli-$CILIUM_CLI_VERSION-$ARCHITECTURE" "$release" "$release.sha256sum" "$WORK/cilium.tar.gz"
  tar -C /usr/local/bin -xzf "$WORK/cilium.tar.gz" cilium || fail "cannot unpack the cilium command: is the disk full?"
  rm -f "$WORK/cilium.tar.gz"
}

# The state helm keeps of Cilium: deployed, failed, pending-install …; nothing: not there.
cilium_release() {
  admin_kubectl --namespace kube-system get secret --selector owner=helm,name=cilium --output 'jsonpath={.items[*].metadata.labels.status}'
}

# Each node gets a block of POD_CIDR for its pods, and a node without a block never becomes Ready. This prints the prefix of the
# blocks. A node runs 110 pods at most (maxPods of the kubelet), for which a /25 is enough: a /16 gives 512 nodes one, a /21
# gives 16. Smaller networks still serve 16 nodes, so blocks shrink: a /24 gives them a /28, which is 12 pods, because Cilium
# needs two addresses itself. Networks above a /16 have enough of Cilium's default, a /24.
cilium_mask_size() {
  local prefix size
  prefix=${POD_CIDR##*/}
  size=$((prefix + 4))
  [ "$size" -ge 25 ] || size=25
  [ "$prefix" -ge 16 ] || size=24
  printf '%s' "${CILIUM_MASK_SIZE:-$size}"
}

# install_cilium OPTION…: with the mirrors of the parameters.
install_cilium() {
  [ -z "$CILIUM_CHART_URL" ] || set -- "$@" --repository "$CILIUM_CHART_URL"
  [ -z "$CILIUM_IMAGE_REPOSITORY" ] || set -- "$@" --set "image.repository=$CILIUM_IMAGE_REPOSITORY/cilium" \
    --set "operator.image.repository=$CILIUM_IMAGE_REPOSITORY/operator" \
    --set "envoy.image.repository=$CILIUM_IMAGE_REPOSITORY/cilium-envoy"
  cilium install "$@"
}

phase_cni() {
  [ -f "$ADMIN_CONF" ] || fail "this node has no control plane: run the phase on a control-plane node"
  export KUBECONFIG=$ADMIN_CONF
  install_cilium_cli
  local release
  # a control-plane node that joins beside this may leave etcd without a majority for a while
  wait_for 120 cluster_answers || try_later "the API server does not answer"
  release=$(cilium_release) || try_later "the API server does not answer"
  case "$release" in
    *deployed*) say "Cilium is already there" ;;
    *)
      if [ -n "$release" ]; then
        say "an earlier installation of Cilium did not end: removing it"
        cilium uninstall || try_later "cannot remove the unfinished Cilium"
      fi
      # only here: the blocks of a cluster that has Cilium already stay as they are, because its nodes use them
      install_cilium --version "$CILIUM_VERSION" --set "ipam.operator.clusterPoolIPv4PodCIDRList={$POD_CIDR}" \
        --set "ipam.operator.clusterPoolIPv4MaskSize=$(cilium_mask_size)" ||
        try_later "cilium install failed: see the reason above"
      ;;
  esac
  cilium status --wait --wait-duration "$CNI_WAIT" || try_later "Cilium is not healthy: see the status above"
  say "Cilium $CILIUM_VERSION is healthy"
}

# Takes Kubernetes away from this node, as far as it is there. Packages and images stay.
clean_node() {
  if command -v kubeadm > /dev/null 2>&1; then
    kubeadm reset --force --cri-socket "$CRI_SOCKET" || try_later "kubeadm reset failed: see the reason above"
  fi
  rm -rf /etc/cni/net.d /var/lib/cni /var/run/cilium /etc/kubernetes/pki /etc/kubernetes/manifests
  empty_directory "$ETCD_DATA"
  # a restore that has begun stays begun: it cleans before it starts
  rm -f /etc/kubernetes/*.conf /root/.kube/config "$WORK/init.begun" "$WORK/join.begun" "$WORK"/kubeadm-*.yaml "$WORK/restore.started" "$WORK/restore.ended"
  mkdir -p /etc/kubernetes/manifests
  local link
  for link in cilium_vxlan cilium_host cilium_net; do
    ip link delete "$link" > /dev/null 2>&1
  done
  ! systemctl is-active --quiet containerd || systemctl restart containerd || fail "containerd does not start: see journalctl -u containerd"
}

phase_reset() {
  clean_node
  rm -rf "$WORK/restore.begun" "$WORK/backup"
  [ ! -f "$KUBELET_CONF" ] && [ ! -f "$ADMIN_CONF" ] || fail "something of the cluster is left in /etc/kubernetes"
  say "this node belongs to no cluster"
}

cluster_version() {
  admin_kubectl --namespace kube-system get configmap kubeadm-config --output 'jsonpath={.data.ClusterConfiguration}' |
    sed -n -e 's/^kubernetesVersion: v//p'
}

kubelet_runs() { systemctl is-active --quiet kubelet; }

# One node after another, control-plane nodes first; the caller drains the node before.
phase_upgrade() {
  need NODE_NAME NODE_IP
  install_kubernetes kubeadm
  if [ -f /etc/kubernetes/manifests/kube-apiserver.yaml ]; then
    wait_for 60 cluster_answers || try_later "the API server does not answer"
    if [ "$(cluster_version)" != "$KUBERNETES_VERSION" ]; then
      run_kubeadm upgrade apply --yes "v$KUBERNETES_VERSION"
    else
      run_kubeadm upgrade node
    fi
  else
    run_kubeadm upgrade node
  fi
  if ! installed kubelet "$KUBERNETES_VERSION-" || ! installed kubectl "$KUBERNETES_VERSION-"; then
    install_kubernetes kubelet kubectl
    systemctl daemon-reload || fail "systemctl daemon-reload failed"
    systemctl restart kubelet || fail "the kubelet does not start: see journalctl -u kubelet"
  fi
  wait_for 60 kubelet_runs || fail "the kubelet does not stay up: see journalctl -u kubelet"
  [ ! -f /etc/kubernetes/manifests/kube-apiserver.yaml ] || wait_for 240 api_server_is_ready || try_later "the API server of $NODE_NAME is not ready yet"
  say "$NODE_NAME runs Kubernetes $KUBERNETES_VERSION"
}

registry_answers() { curl -fsS --noproxy '*' --max-time 5 -o /dev/null "http://127.0.0.1:$REGISTRY_PORT/v2/"; }

phase_registry() {
  wait_for_cloud_init
  configure_apt_proxy
  install_packages docker.io
  CHANGED=no
  configure_service_proxy docker
  if [ "$CHANGED" = yes ]; then
    systemctl daemon-reload || fail "systemctl daemon-reload failed"
    systemctl restart docker || fail "docker does not start: see journalctl -u docker"
  fi
  systemctl enable --now docker > /dev/null 2>&1 || fail "docker does not start: see journalctl -u docker"
  if [ "$(docker inspect --format '{{.State.Running}}' registry 2> /dev/null)" != true ]; then
    docker rm --force registry > /dev/null 2>&1
    docker pull --quiet "$REGISTRY_IMAGE" || try_later "cannot pull $REGISTRY_IMAGE"
    mkdir -p /var/lib/registry || fail "cannot make /var/lib/registry"
    docker run --detach --restart always --name registry --publish "$REGISTRY_PORT:5000" \
      --volume /var/lib/registry:/var/lib/registry "$REGISTRY_IMAGE" > /dev/null || fail "cannot start the registry: see the reason above"
  fi
  wait_for 60 registry_answers || try_later "the registry does not answer on port $REGISTRY_PORT"
  say "the registry answers on port $REGISTRY_PORT"
}

main() {
  check_variables
  make_work_directory
  use_proxy
  case "${1:-}" in
    prepare) phase_prepare ;;
    load-balancer) phase_load_balancer ;;
    init) phase_init ;;
    credentials) phase_credentials ;;
    restore) phase_restore ;;
    join-control-plane) phase_join_control_plane ;;
    join-worker) phase_join_worker ;;
    cni) phase_cni ;;
    reset) phase_reset ;;
    upgrade) phase_upgrade ;;
    registry) phase_registry ;;
    *) fail "unknown phase '${1:-}': prepare, load-balancer, init, credentials, restore, join-control-plane, join-worker, cni, reset, upgrade or registry" ;;
  esac
}

main "$@"
