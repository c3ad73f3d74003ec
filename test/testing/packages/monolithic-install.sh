#!/bin/bash
# For tests: an install script of Tacker's contract, written anew. One call makes a node of a cluster. Like the scripts it stands
# for it traces its commands, goes on after failures, and cannot run twice on a node.
set -x

POD_NETWORK=192.168.0.0/16
SERVICE_NETWORK=10.96.0.0/12
KUBERNETES=1.26.8
CONTAINERD=1.7.11
RUNC=1.1.10
CILIUM=1.14.5
SOURCE=https://pkgs.k8s.io/core:/stable:/v1.26/deb

while getopts m:w:i:p:a:t:s:k: option; do
  case $option in
    m) MASTERS=(${OPTARG//,/ }) ;;
    w) WORKER=$OPTARG ;;
    i) CLUSTER_IP=$OPTARG ;;
    p) POD_NETWORK=$OPTARG ;;
    a) SERVICE_NETWORK=$OPTARG ;;
    t) TOKEN=$OPTARG ;;
    s) HASH=$OPTARG ;;
    k) KEY=$OPTARG ;;
    *) exit 2 ;;
  esac
done

own_address() {
  local address
  for address in $(ip -4 addr | grep -oP '(?<=inet\s)\d+(\.\d+){3}'); do
    if [[ ${address%.*} == "${1%.*}" ]]; then
      echo "$address"
      return
    fi
  done
}

# Leaves apt to the fewest words: the command is a variable, as in devstack.
with_apt() {
  local run="env DEBIAN_FRONTEND=noninteractive apt-get --assume-yes"
  $run "$@" < /dev/null
}

balance_load() {
  with_apt update
  with_apt install haproxy keepalived
  cat << CONFIGURATION | sudo tee /etc/haproxy/haproxy.cfg > /dev/null
global
    user haproxy
    group haproxy
    daemon
defaults
    mode tcp
    timeout connect 5s
    timeout client 1m
    timeout server 1m
frontend api
    bind *:16443
    default_backend api
backend api
    balance roundrobin
CONFIGURATION
  for address in "${MASTERS[@]}"; do
    echo "    server  master${address##*.}  $address:6443 check" | sudo tee -a /etc/haproxy/haproxy.cfg > /dev/null
  done
  sudo systemctl enable haproxy
  sudo systemctl restart haproxy
  local index=0 priority=100
  for address in "${MASTERS[@]}"; do
    if [[ $address == "$ADDRESS" ]]; then priority=$((103 - index)); fi
    index=$((index + 1))
  done
  cat << CONFIGURATION | sudo tee /etc/keepalived/keepalived.conf > /dev/null
vrrp_instance api {
    state MASTER
    interface $(ip a s | grep "inet $ADDRESS/" | awk '{ print $NF }')
    virtual_router_id 51
    priority $priority
    advert_int 1
    virtual_ipaddress {
        $CLUSTER_IP/24
    }
}
CONFIGURATION
  sudo systemctl enable keepalived
  sudo systemctl restart keepalived
}

install_software() {
  sudo swapoff -a
  sudo modprobe overlay
  sudo modprobe br_netfilter
  printf 'net.bridge.bridge-nf-call-iptables = 1\nnet.ipv4.ip_forward = 1\n' | sudo tee /etc/sysctl.d/k8s.conf
  sudo sysctl --system
  curl -OLsS "https://github.com/containerd/containerd/releases/download/v$CONTAINERD/containerd-$CONTAINERD-linux-amd64.tar.gz"
  sudo tar Cxzf /usr/local "containerd-$CONTAINERD-linux-amd64.tar.gz"
  sudo curl -sS https://raw.githubusercontent.com/containerd/containerd/main/containerd.service \
    -o /usr/local/lib/systemd/system/containerd.service --create-dirs
  curl -OLsS "https://github.com/opencontainers/runc/releases/download/v$RUNC/runc.amd64"
  sudo install -m 755 runc.amd64 /usr/local/sbin/runc
  sudo mkdir /etc/containerd
  containerd config default | sed -e 's/SystemdCgroup = false/SystemdCgroup = true/' | sudo tee /etc/containerd/config.toml > /dev/null
  sudo systemctl daemon-reload
  sudo systemctl enable --now containerd
  with_apt update
  with_apt install apt-transport-https
  curl -fsSL "$SOURCE/Release.key" | sudo gpg --dearmor -o /etc/apt/keyrings/kubernetes-apt-keyring.gpg || exit 1
  echo "deb [signed-by=/etc/apt/keyrings/kubernetes-apt-keyring.gpg] $SOURCE/ /" | sudo tee /etc/apt/sources.list.d/kubernetes.list
  with_apt update
  with_apt install kubelet=$KUBERNETES-1.1 kubeadm=$KUBERNETES-1.1 kubectl=$KUBERNETES-1.1
  sudo apt-mark hold kubelet kubeadm kubectl
}

start_cluster() {
  sudo kubeadm init --pod-network-cidr="$POD_NETWORK" --service-cidr="$SERVICE_NETWORK" \
    --control-plane-endpoint "$CLUSTER_IP:$PORT" --upload-certs
  mkdir -p "$HOME/.kube"
  cp -f /etc/kubernetes/admin.conf "$HOME/.kube/config"
  curl -OLsS https://github.com/cilium/cilium-cli/releases/download/v0.15.23/cilium-linux-amd64.tar.gz
  sudo tar xzfC cilium-linux-amd64.tar.gz /usr/local/bin
  cilium install --version "$CILIUM" --set ipam.operator.clusterPoolIPv4PodCIDRList="$POD_NETWORK"
  cilium status --wait
  clear
  echo "token:$(sudo kubeadm token create)"
  echo "server:https://$CLUSTER_IP:$PORT"
  cat /etc/kubernetes/pki/ca.crt
  echo "ssl_ca_cert_hash:$(openssl x509 -pubkey -in /etc/kubernetes/pki/ca.crt | openssl rsa -pubin -outform der 2> /dev/null | openssl dgst -sha256 -hex | sed 's/^.* //')"
  echo "certificate_key:$(sudo kubeadm init phase upload-certs --upload-certs 2> /dev/null | tail -n 1)"
}

PORT=6443
if [[ -n ${WORKER:-} ]]; then
  [[ ${ha_flag:-True} == False ]] || PORT=16443
  sudo hostnamectl set-hostname "worker${WORKER##*.}"
  install_software
  sudo kubeadm join "$CLUSTER_IP:$PORT" --token "$TOKEN" --discovery-token-ca-cert-hash "sha256:$HASH"
else
  ADDRESS=$(own_address "${MASTERS[0]}")
  sudo hostnamectl set-hostname "master${ADDRESS##*.}"
  if [[ ${#MASTERS[@]} -gt 1 ]]; then
    PORT=16443
    balance_load
  fi
  install_software
  if [[ $ADDRESS == "${MASTERS[0]}" ]]; then
    start_cluster
  else
    sudo kubeadm join "$CLUSTER_IP:$PORT" --token "$TOKEN" --discovery-token-ca-cert-hash "sha256:$HASH" \
      --control-plane --certificate-key "$KEY"
  fi
fi
echo "Install Success!"
exit 0
