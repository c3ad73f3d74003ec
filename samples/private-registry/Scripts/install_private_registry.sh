#!/bin/bash
# Installs a private registry of container images on one server: `bash install_private_registry.sh PHASE`, as root.
# Contract, variables and phases: docs/install-script.md of vnflow. Target: Ubuntu 22.04, Debian 12.
#
# Every phase looks before it acts, so each may be run again at any point.
# Exit codes: 0 done and checked; 75 try again later; any other: somebody must act. Reasons go to stderr.
# No `set -e` on purpose: each failure is met where it happens, with a sentence for the operator.
set -u
umask 022 # packages need readable files; secrets are made in a directory of mode 0700 and moved with their own mode

export LC_ALL=C PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
export DEBIAN_FRONTEND=noninteractive NEEDRESTART_SUSPEND=1

WORK=/var/lib/vnflow/private-registry   # 0700: nothing in it can be read by others, whatever its own mode
CONTAINER=private_registry
DATA=/private_registry                  # the images of the registry: on the disk of the server, or on a volume
ACCESS=$WORK/access                     # certificate, key and users; /access in the container

HTTP_PROXY=${HTTP_PROXY:-}
HTTPS_PROXY=${HTTPS_PROXY:-}
NO_PROXY=${NO_PROXY:-}
REGISTRY_IMAGE=${REGISTRY_IMAGE:-docker.io/library/registry:2.8.3@sha256:a3d8aaa63ed8681a604f1dea0aa03f100d5895b6a58ace528858a7b332415373}
REGISTRY_PORT=${REGISTRY_PORT:-5000}
REGISTRY_ARCHIVE=${REGISTRY_ARCHIVE:-}
REGISTRY_VOLUME=${REGISTRY_VOLUME:-}
REGISTRY_TLS_CERTIFICATE=${REGISTRY_TLS_CERTIFICATE:-}
REGISTRY_TLS_KEY=${REGISTRY_TLS_KEY:-}
REGISTRY_HTPASSWD=${REGISTRY_HTPASSWD:-}

# -- what every phase uses --------------------------------------------------------------------------------------------

say() { printf '%s\n' "$*"; }

# Somebody must act.
fail() { printf 'error: %s\n' "$*" >&2; exit 1; }

# The same phase may succeed a little later.
try_later() { printf 'not now: %s\n' "$*" >&2; exit 75; }

# only_characters VARIABLE_NAME VALUE CHARACTERS: these values end up in configuration files. CHARACTERS is the inside of
# a bracket expression. A newline is a character like others.
only_characters() {
  local allowed="^[$3]*\$"
  [[ $2 =~ $allowed ]] || fail "$1 contains a character that is not allowed there"
}

check_variables() {
  only_characters HTTP_PROXY "$HTTP_PROXY$HTTPS_PROXY" 'A-Za-z0-9.:/@_%~+-'
  only_characters NO_PROXY "$NO_PROXY" 'A-Za-z0-9.:,/*_-'
  only_characters REGISTRY_PORT "$REGISTRY_PORT" '0-9'
  only_characters REGISTRY_IMAGE "$REGISTRY_IMAGE" 'A-Za-z0-9./:@_-'
  only_characters REGISTRY_VOLUME "$REGISTRY_VOLUME" 'A-Za-z0-9-'
  only_characters REGISTRY_ARCHIVE "$REGISTRY_ARCHIVE" 'A-Za-z0-9./_-'
  [ -z "$REGISTRY_TLS_CERTIFICATE" ] || [ -n "$REGISTRY_TLS_KEY" ] || fail "REGISTRY_TLS_CERTIFICATE is set, and REGISTRY_TLS_KEY is not"
  [ -z "$REGISTRY_HTPASSWD" ] || [ -n "$REGISTRY_TLS_CERTIFICATE" ] || fail "REGISTRY_HTPASSWD needs TLS: a login over plain HTTP shows its password"
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

# Downloads go through the proxy. NO_PROXY names what is reached without it.
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

# -- packages ---------------------------------------------------------------------------------------------------------

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

# -- prepare ----------------------------------------------------------------------------------------------------------

wait_for_cloud_init() {
  command -v cloud-init > /dev/null 2>&1 || return 0
  cloud-init status --wait > /dev/null || say "cloud-init reports a problem (see /var/log/cloud-init.log); going on, each step checks what it needs"
}

phase_prepare() {
  wait_for_cloud_init
  configure_apt_proxy
  install_packages docker.io curl
  CHANGED=no
  configure_service_proxy docker
  if [ "$CHANGED" = yes ]; then
    systemctl daemon-reload || fail "systemctl daemon-reload failed"
    systemctl restart docker || fail "docker does not start: see journalctl -u docker"
  fi
  # enabled: docker starts the registry again when the server boots
  systemctl enable --now docker > /dev/null 2>&1 || fail "docker does not start: see journalctl -u docker"
  docker info > /dev/null || try_later "docker does not answer: see the reason above"
  say "docker runs"
}

# -- registry ---------------------------------------------------------------------------------------------------------

# Sets IMAGE: the reference of the image in docker.
load_image() {
  local own
  docker load --input "$REGISTRY_ARCHIVE" > "$WORK/load.out" 2> "$WORK/load.err" || {
    cat "$WORK/load.err" >&2
    ! grep -q 'no space left' "$WORK/load.err" || fail "the disk of the server is full"
    fail "docker load refuses the archive (image_path): make it with docker save"
  }
  sed -n -e 's/^Loaded image: //p' -e 's/^Loaded image ID: //p' "$WORK/load.out" > "$WORK/loaded"
  IMAGE=$(grep -m 1 registry "$WORK/loaded" || head -n 1 "$WORK/loaded")
  [ -n "$IMAGE" ] || fail "the archive (image_path) has no image"
  own=$(docker image inspect --format '{{.Architecture}}' "$IMAGE") || fail "docker does not know the image $IMAGE that it loaded"
  [ "$own" = "$(dpkg --print-architecture)" ] || fail "the image $IMAGE (image_path) is for $own, and this server is $(dpkg --print-architecture)"
  say "loaded $IMAGE"
}

pull_image() {
  IMAGE=$REGISTRY_IMAGE
  docker pull --quiet "$IMAGE" 2> "$WORK/pull.err" && return 0
  cat "$WORK/pull.err" >&2
  ! grep -q 'Proxy Authentication Required' "$WORK/pull.err" || proxy_refuses_login
  ! grep -Eq 'manifest unknown|invalid reference format' "$WORK/pull.err" || fail "there is no image $IMAGE"
  ! grep -q 'no space left' "$WORK/pull.err" || fail "the disk of the server is full"
  try_later "cannot pull $IMAGE"
}

# Sets DEVICE: the volume as udev names it. Its serial number is the first 20 characters of its id.
find_device() {
  for DEVICE in /dev/disk/by-id/*"${REGISTRY_VOLUME:0:20}"*; do
    case "$DEVICE" in *-part[0-9]*) continue ;; esac
    [ ! -e "$DEVICE" ] || return 0
  done
  return 1
}

# A new volume gets a file system. A volume on which anything at all is found is never formatted.
make_filesystem() {
  local found code
  head -c 65536 "$DEVICE" 2> "$WORK/volume.err" > /dev/null || {
    cat "$WORK/volume.err" >&2
    try_later "the volume $REGISTRY_VOLUME cannot be read"
  }
  found=$(blkid -p "$DEVICE" 2> "$WORK/volume.err")
  code=$?
  case "$code" in
    0) ;;
    2)
      say "making a file system on the new volume $REGISTRY_VOLUME"
      mkfs.ext4 -q -L registry "$DEVICE" < /dev/null > "$WORK/volume.err" 2>&1 && return 0
      cat "$WORK/volume.err" >&2
      fail "cannot make a file system on the volume $REGISTRY_VOLUME: see the reason above"
      ;;
    *)
      cat "$WORK/volume.err" >&2
      fail "what the volume $REGISTRY_VOLUME holds cannot be told (blkid: $code); it was not changed"
      ;;
  esac
  case "$found" in
    *TYPE=\"ext[234]\"* | *TYPE=\"xfs\"* | *TYPE=\"btrfs\"*) return 0 ;;
    *) fail "the volume $REGISTRY_VOLUME holds no file system for the images, and was not changed: $found" ;;
  esac
}

# Without the volume docker must not start: the registry would seem empty, and would fill the disk of the server.
mount_volume() {
  [ -n "$REGISTRY_VOLUME" ] || return 0
  if mountpoint -q "$DATA"; then return 0; fi
  wait_for 60 find_device || try_later "the volume $REGISTRY_VOLUME is not attached to the server"
  find_device
  make_filesystem
  mkdir -p "$DATA" || fail "cannot make $DATA"
  {
    grep -v " $DATA " /etc/fstab
    printf '%s %s auto defaults,nofail,x-systemd.device-timeout=30s 0 2\n' "$DEVICE" "$DATA"
  } > "$WORK/fstab"
  put /etc/fstab 0644 < "$WORK/fstab"
  put /etc/systemd/system/docker.service.d/registry-volume.conf 0644 << UNIT
[Unit]
RequiresMountsFor=$DATA
UNIT
  systemctl daemon-reload || fail "systemctl daemon-reload failed"
  mount "$DATA" 2> "$WORK/volume.err" || {
    cat "$WORK/volume.err" >&2
    fail "cannot mount the volume $REGISTRY_VOLUME; it was not changed"
  }
  say "mounted the volume $REGISTRY_VOLUME on $DATA"
}

# Sets VERSION: a digest of the files by which the registry proves what it is and knows its users.
write_access() {
  mkdir -p "$ACCESS" || fail "cannot make $ACCESS"
  put_access registry.crt "$REGISTRY_TLS_CERTIFICATE"
  put_access registry.key "$REGISTRY_TLS_KEY"
  put_access htpasswd "$REGISTRY_HTPASSWD"
  VERSION=$(printf '%s\n' "$REGISTRY_TLS_CERTIFICATE" "$REGISTRY_TLS_KEY" "$REGISTRY_HTPASSWD" | sha256sum | cut -c1-16)
}

# put_access NAME CONTENT: a file for root only. Without content there is no file.
put_access() {
  if [ -n "$2" ]; then printf '%s\n' "$2" | put "$ACCESS/$1" 0600 || exit 1; else rm -f "$ACCESS/$1"; fi
}

# The container as this phase makes it; labels say on which port, and with which files.
registry_runs() {
  [ -n "$(docker ps --quiet --filter "name=^$CONTAINER\$" --filter "label=vnflow.port=$REGISTRY_PORT" --filter "label=vnflow.access=$VERSION" --filter status=running)" ]
}

run_registry() {
  docker rm --force "$CONTAINER" > /dev/null 2>&1
  mkdir -p "$DATA" || fail "cannot make $DATA"
  set --
  [ -z "$REGISTRY_TLS_CERTIFICATE" ] || set -- --volume "$ACCESS:/access:ro" \
    --env REGISTRY_HTTP_TLS_CERTIFICATE=/access/registry.crt --env REGISTRY_HTTP_TLS_KEY=/access/registry.key
  [ -z "$REGISTRY_HTPASSWD" ] || set -- "$@" --env REGISTRY_AUTH=htpasswd \
    --env REGISTRY_AUTH_HTPASSWD_REALM=registry --env REGISTRY_AUTH_HTPASSWD_PATH=/access/htpasswd
  docker run --detach --restart always --name "$CONTAINER" --label "vnflow.port=$REGISTRY_PORT" \
    --label "vnflow.access=$VERSION" "$@" --publish "$REGISTRY_PORT:5000" --volume "$DATA:/var/lib/registry" "$IMAGE" > /dev/null 2> "$WORK/run.err" && return 0
  cat "$WORK/run.err" >&2
  ! grep -Eq 'port is already allocated|address already in use' "$WORK/run.err" || fail "port $REGISTRY_PORT of the server is taken: choose another port_no"
  fail "cannot start the registry: see the reason above"
}

# One that asks for a login answers, too. Its certificate is not for 127.0.0.1: vnflow checks it afterwards.
registry_answers() {
  local scheme
  scheme=http
  [ -z "$REGISTRY_TLS_CERTIFICATE" ] || scheme=https
  case "$(curl -ksS --noproxy '*' --max-time 5 -o /dev/null -w '%{http_code}' "$scheme://127.0.0.1:$REGISTRY_PORT/v2/")" in
    200 | 401) return 0 ;;
    *) return 1 ;;
  esac
}

phase_registry() {
  mount_volume
  write_access
  if registry_runs; then
    say "the registry runs already"
  else
    if [ -n "$REGISTRY_ARCHIVE" ]; then load_image; else pull_image; fi
    run_registry
  fi
  wait_for 60 registry_answers || try_later "the registry does not answer on port $REGISTRY_PORT: see docker logs $CONTAINER"
  say "the registry answers on port $REGISTRY_PORT"
}

main() {
  check_variables
  make_work_directory
  use_proxy
  case "${1:-}" in
    prepare) phase_prepare ;;
    registry) phase_registry ;;
    *) fail "unknown phase '${1:-}': prepare or registry" ;;
  esac
}

main "$@"
