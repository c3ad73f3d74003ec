# vnflow has KubernetesClusterUserData built in and never runs this file. It is here because requests name it.
