import { foreignText } from './foreign-text.ts';

/**
 * The one catalogue of what can go wrong. A code never changes its meaning: people search for it, scripts test it.
 * HTTP, Temporal and the CLI each translate from here once; nothing else knows a status code.
 */
export interface ProblemKind {
  /** HTTP status when a person meets it in an answer or in `VnfLcmOpOcc.error`. */
  readonly status: number;
  readonly title: string;
  /**
   * Whether a repetition may succeed a little later without any change. Then Temporal's retry policy repeats the
   * attempt.
   */
  readonly retriable: boolean;
  /** What to do next, as a sentence. */
  readonly remedy: string;
}

export const PROBLEMS = {
  // -- requests ------------------------------------------------------------------------------------------------------
  BAD_REQUEST: {
    status: 400,
    title: 'Bad Request',
    retriable: false,
    remedy: 'Correct the named field and send the request again.',
  },
  VERSION_HEADER: { status: 400, title: 'Bad Request', retriable: false, remedy: 'Send the header "Version: 2.0.0".' },
  VERSION_NOT_SUPPORTED: {
    status: 406,
    title: 'Not Acceptable',
    retriable: false,
    remedy: 'Send the header "Version: 2.0.0".',
  },
  NOT_ACCEPTABLE: { status: 406, title: 'Not Acceptable', retriable: false, remedy: 'Accept application/json.' },
  VNFD_NOT_ACCEPTABLE: {
    status: 406,
    title: 'Not Acceptable',
    retriable: false,
    remedy: 'Send `Accept: application/zip`; or `Accept: text/plain`, if the VNFD is one file.',
  },
  BODY_TOO_SLOW: {
    status: 408,
    title: 'Request Timeout',
    retriable: true,
    remedy: 'Send the request again over a better line: the body must come with 1 KiB per second or more.',
  },
  UNSUPPORTED_MEDIA_TYPE: {
    status: 415,
    title: 'Unsupported Media Type',
    retriable: false,
    remedy: 'Send the body with the Content-Type that the detail names.',
  },
  UNAUTHORIZED: {
    status: 401,
    title: 'Unauthorized',
    retriable: false,
    remedy: 'Send a valid Keystone token as X-Auth-Token (`vnflow token` prints one).',
  },
  TOO_MANY_WRONG_TOKENS: {
    status: 429,
    title: 'Too Many Requests',
    retriable: true,
    remedy:
      'Get a new token (`vnflow token` prints one), and send the request again after the seconds that the answer names.',
  },
  HOST_NOT_ALLOWED: {
    status: 421,
    title: 'Misdirected Request',
    retriable: false,
    remedy:
      'Call the API by its address or as localhost. If it has another name, behind a proxy, let the operator of vnflow set VNFLOW_ENDPOINT to the URL with this name.',
  },
  FORBIDDEN: { status: 403, title: 'Forbidden', retriable: false, remedy: 'Ask for the member role in the project.' },
  NOT_FOUND: {
    status: 404,
    title: 'Not Found',
    retriable: false,
    remedy: 'Check the id; list the resources of your project.',
  },
  NOT_OFFERED: {
    status: 404,
    title: 'Not Found',
    retriable: false,
    remedy: 'See "What differs from Tacker" in docs/api.md for what vnflow does not offer.',
  },
  METHOD_NOT_ALLOWED: {
    status: 405,
    title: 'Method Not Allowed',
    retriable: false,
    remedy: 'Look up the methods of this resource in docs/api.md.',
  },
  CONFLICT: {
    status: 409,
    title: 'Conflict',
    retriable: false,
    remedy: 'Look at the present state of the resource first.',
  },
  RANGE_NOT_SATISFIABLE: {
    status: 416,
    title: 'Range Not Satisfiable',
    retriable: false,
    remedy: 'Ask for a range inside the content, or leave the Range header out.',
  },
  TOO_LARGE: { status: 413, title: 'Content Too Large', retriable: false, remedy: 'Send less.' },
  VNF_BUSY: {
    status: 409,
    title: 'Conflict',
    retriable: false,
    remedy: 'Wait for the running operation: `vnflow ops --vnf ID`.',
  },
  VNF_INSTANTIATED: { status: 409, title: 'Conflict', retriable: false, remedy: 'Terminate the instance first.' },
  VNF_NOT_INSTANTIATED: { status: 409, title: 'Conflict', retriable: false, remedy: 'Instantiate the instance first.' },
  VNF_LEFTOVERS: {
    status: 409,
    title: 'Conflict',
    retriable: false,
    remedy:
      'Delete the stack that the detail names (`openstack stack delete --wait STACK`) and then the instance; or instantiate the instance again, which takes the stack over, and terminate it.',
  },
  OPERATION_STATE: {
    status: 409,
    title: 'Conflict',
    retriable: false,
    remedy: 'Look at the operation: `vnflow watch OP_OCC`.',
  },
  STEP_STATE: {
    status: 409,
    title: 'Conflict',
    retriable: false,
    remedy: 'Look at the steps of the operation: `vnflow ops steps OP_OCC`.',
  },
  ROLLBACK_NOT_SUPPORTED: { status: 409, title: 'Conflict', retriable: false, remedy: 'Use retry or fail instead.' },
  VNFD_NOT_USABLE: {
    status: 422,
    title: 'Unprocessable Entity',
    retriable: false,
    remedy: 'Onboard and enable a VNF package with this vnfdId.',
  },
  FLAVOUR_UNKNOWN: { status: 400, title: 'Bad Request', retriable: false, remedy: "Use one of the VNFD's flavours." },
  CSAR_INVALID: {
    status: 400,
    title: 'Bad Request',
    retriable: false,
    remedy: 'Correct the package and upload it again; `vnflow pack DIR -o FILE.zip` makes a valid one.',
  },
  UPLOADS_BUSY: {
    status: 503,
    title: 'Service Unavailable',
    retriable: true,
    remedy:
      'Send the upload again a little later (the header of the answer says when): only a few are worked on at a time.',
  },
  PACKAGE_QUOTA: {
    status: 403,
    title: 'Quota exceeded',
    retriable: false,
    remedy:
      'Delete packages that are not needed any more, or ask the operator of vnflow for more (VNFLOW_PACKAGE_QUOTA_GB).',
  },
  PACKAGE_FETCH: {
    status: 422,
    title: 'Unprocessable Entity',
    retriable: false,
    remedy: 'See that the address serves the file to vnflow (200, no redirect), then send the request again.',
  },
  ENGINE_UNAVAILABLE: {
    status: 503,
    title: 'Service Unavailable',
    retriable: true,
    remedy: 'Repeat the request; if it lasts, see that the Temporal server runs, and a worker: `vnflow worker`.',
  },
  STORE_UNAVAILABLE: {
    status: 503,
    title: 'Service Unavailable',
    retriable: true,
    remedy:
      'Repeat the request; if it lasts, see that the PostgreSQL of DATABASE_URL runs, lets vnflow in and has room on its disk. Operations go on by themselves.',
  },
  KEYSTONE_UNAVAILABLE: {
    status: 503,
    title: 'Service Unavailable',
    retriable: true,
    remedy: 'Repeat the request; if it lasts, check the Keystone that vnflow validates tokens with.',
  },
  INTERNAL: {
    status: 500,
    title: 'Internal Server Error',
    retriable: false,
    remedy: 'This is a defect of vnflow: report it with the log of this moment.',
  },
  // -- the VIM -------------------------------------------------------------------------------------------------------
  VIM_UNREACHABLE: {
    status: 503,
    title: 'VIM not reachable',
    retriable: true,
    remedy:
      "Check the VIM's endpoint and the network between vnflow and it; a failed operation then goes on with `vnflow ops retry OP_OCC`.",
  },
  VIM_CREDENTIALS: {
    status: 422,
    title: 'VIM refused the credentials',
    retriable: false,
    remedy:
      'Correct user name, password, project and domains of the VIM connection and send the request again. If Keystone was wrong, a failed operation goes on with `vnflow ops retry OP_OCC`.',
  },
  VIM_ADDRESS: {
    status: 422,
    title: 'Address of the VIM is not allowed',
    retriable: false,
    remedy:
      'Give an address of the cloud that other machines reach. If this one is right, let the operator of vnflow name its host in VNFLOW_VIM_HOSTS (docs/security.md), and restart API and workers; a failed operation then goes on with `vnflow ops retry OP_OCC`.',
  },
  VIM_MISSING: {
    status: 422,
    title: 'No VIM connection',
    retriable: false,
    remedy: 'Name a VIM in vimConnectionInfo or register a default VIM.',
  },
  VIM_NAME_TAKEN: {
    status: 409,
    title: 'VIM name is taken',
    retriable: false,
    remedy:
      'Give another vim_name, or take the name away from that VIM: rename or delete it (PUT, DELETE /v1.0/vims/ID), or terminate the cluster that it stands for. A failed operation then goes on with `vnflow ops retry OP_OCC`.',
  },
  VIM_REGISTRATION: {
    status: 422,
    title: 'Cluster not registered as VIM',
    retriable: true,
    remedy:
      'The cluster itself is ready. Run the command of the detail on the node and see why it fails; then `vnflow ops retry OP_OCC`.',
  },
  VIM_BUSY: { status: 503, title: 'VIM busy', retriable: true, remedy: 'Nothing: the call is repeated.' },
  VIM_FORBIDDEN: {
    status: 422,
    title: 'VIM refused the call',
    retriable: false,
    remedy: 'Give the VIM user the role that the call needs (`openstack role add`), then `vnflow ops retry OP_OCC`.',
  },
  VIM_REJECTED: {
    status: 422,
    title: 'VIM rejected the call',
    retriable: false,
    remedy: "Read OpenStack's own words in the detail and remove the cause, then `vnflow ops retry OP_OCC`.",
  },
  VIM_NOT_FOUND: {
    status: 404,
    title: 'Not found in the VIM',
    retriable: false,
    remedy: 'Check whether somebody deleted it (`openstack stack list`), then `vnflow ops retry OP_OCC`, or roll back.',
  },
  VIM_PROTOCOL: {
    status: 502,
    title: 'VIM gave an answer that makes no sense',
    retriable: false,
    remedy: 'Check that the endpoint is an OpenStack API, then `vnflow ops retry OP_OCC`.',
  },
  STACK_CREATE_FAILED: {
    status: 422,
    title: 'Stack create failed',
    retriable: false,
    remedy: 'Remove the cause, then `vnflow ops retry OP_OCC`; or `vnflow ops rollback OP_OCC`.',
  },
  STACK_UPDATE_FAILED: {
    status: 422,
    title: 'Stack update failed',
    retriable: false,
    remedy: 'Remove the cause, then `vnflow ops retry OP_OCC`.',
  },
  STACK_DELETE_FAILED: {
    status: 422,
    title: 'Stack delete failed',
    retriable: false,
    remedy: 'Remove what holds the stack (`openstack stack resource list STACK`), then `vnflow ops retry OP_OCC`.',
  },
  STACK_STUCK: {
    status: 422,
    title: 'Stack does not finish',
    retriable: false,
    remedy:
      'Look at the stack (`openstack stack event list STACK`), then `vnflow ops retry OP_OCC`: it updates the stack.',
  },
  CAPACITY_MISSING: {
    status: 422,
    title: 'Cloud has no room',
    retriable: false,
    remedy:
      'Raise the quota of the project (`openstack quota set`), delete what is not needed, or add a compute host; then `vnflow ops retry OP_OCC`.',
  },
  SERVER_STUCK: {
    status: 422,
    title: 'Server is not deleted',
    retriable: true,
    remedy:
      'Look at the server (`openstack server show SERVER`): its compute host may hang. When it is gone: `vnflow ops retry OP_OCC`.',
  },
  VOLUME_STUCK: {
    status: 422,
    title: 'Volume is not deleted',
    retriable: true,
    remedy:
      'Look at the volume (`openstack volume show ID`), delete it (`openstack volume delete ID`, if need be with --force as admin), then `vnflow ops retry OP_OCC`.',
  },
  TEMPLATE_INVALID: {
    status: 422,
    title: 'HOT of the package cannot be used',
    retriable: false,
    remedy:
      'Correct the HOT in the VNF package; `vnflow ops rollback OP_OCC`, onboard the package under a new vnfdId and start again.',
  },
  COMPUTE_FLAVOR_MISSING: {
    status: 422,
    title: 'No flavor is large enough',
    retriable: false,
    remedy:
      'Let an admin create a flavor that is large enough (`openstack flavor create`), then `vnflow ops retry OP_OCC`; or name one in the VNFD (requested_additional_capability_name).',
  },
  IMAGE_MISSING: {
    status: 422,
    title: 'Image missing',
    retriable: false,
    remedy:
      'Register the image under this name (`openstack image create`), then `vnflow ops retry OP_OCC`; or correct sw_image_data in the VNFD.',
  },
  RESOURCE_MISSING: {
    status: 422,
    title: 'Stack lacks a resource',
    retriable: false,
    remedy:
      'Compare the *_cp_name parameters of the request with the HOT of the package; `vnflow ops rollback OP_OCC`, then send the corrected request.',
  },
  // -- nodes ---------------------------------------------------------------------------------------------------------
  NODE_UNREACHABLE: {
    status: 503,
    title: 'Node not reachable',
    retriable: true,
    remedy:
      'Check the node (`openstack console log show SERVER`), its security group and the bastion, then `vnflow ops retry OP_OCC`.',
  },
  NODE_NEVER_REACHED: {
    status: 503,
    title: 'New node not reachable',
    retriable: false,
    remedy:
      'Look at the server (`openstack console log show SERVER`), its security group, floating IP, router and the bastion, then `vnflow ops retry OP_OCC`. A longer limit is VNFLOW_BOOT_MINUTES.',
  },
  SERVER_MISSING: {
    status: 409,
    title: 'Server of the node is gone',
    retriable: false,
    remedy:
      'Something deleted the server in OpenStack. `vnflow ops rollback OP_OCC` (or fail), then heal its VNFC: `openstack vnflcm heal INSTANCE --vnfc-instance VNFC`.',
  },
  NODE_AUTH: {
    status: 422,
    title: 'Node refused the login',
    retriable: false,
    remedy:
      'If the node is wrong, give it this login, then `vnflow ops retry OP_OCC`. If the request is wrong: `vnflow ops rollback OP_OCC` (or fail), then send it again with the right username and password or key.',
  },
  NODE_HOST_KEY: {
    status: 422,
    title: 'Host key changed',
    retriable: false,
    remedy:
      'Find out why the key changed. If the system of the machine was installed anew on purpose, forget its key: `vnflow host-keys forget SERVER`, with the server of `vnflow host-keys list`. The next key is checked against its console and pinned. When the key is right: `vnflow ops retry OP_OCC`.',
  },
  BASTION_HOST_KEY: {
    status: 422,
    title: 'Host key of the bastion changed',
    retriable: false,
    remedy:
      'Compare the key of the detail with the one on the bastion (`ssh-keygen -lf /etc/ssh/ssh_host_ed25519_key.pub` there). If the bastion was rebuilt: set `VNFLOW_BASTION_HOST_KEY` to that fingerprint where it is set, or else `vnflow host-keys forget bastion` (role admin); then `vnflow ops retry OP_OCC`. If not, somebody is between.',
  },
  NODE_COMMAND_FAILED: {
    status: 422,
    title: 'Command failed on a node',
    retriable: false,
    remedy: 'Read the tail of the output, remove the cause, then `vnflow ops retry OP_OCC`.',
  },
  PACKAGE_SOURCE_GONE: {
    status: 422,
    title: 'Package repository exists no more',
    retriable: false,
    remedy:
      'Make a VNF package whose install script takes its packages from where they are now (Kubernetes: https://pkgs.k8s.io), onboard it, `vnflow ops rollback OP_OCC`, and instantiate an instance of the new package.',
  },
  NODE_COMMAND_TRANSIENT: {
    status: 422,
    title: 'Command failed on a node for the moment',
    retriable: true,
    remedy:
      'It is repeated by itself. If that was given up: read the tail of the output, remove the cause, then `vnflow ops retry OP_OCC`.',
  },
  NODE_DISK_FULL: {
    status: 422,
    title: 'Node out of disk',
    retriable: false,
    remedy: 'Make room on the node (`df -h`), then `vnflow ops retry OP_OCC`; or take a flavor with a larger disk.',
  },
  NODE_JOB_TIMEOUT: {
    status: 422,
    title: 'Command on a node took too long',
    retriable: false,
    remedy: 'Read the tail of the output, then `vnflow ops retry OP_OCC`.',
  },
  NODE_SUDO_TTY: {
    status: 422,
    title: 'sudo on the node wants a terminal',
    retriable: false,
    remedy:
      'Remove `requiretty` from the sudoers of the node, for example with `Defaults:USER !requiretty` in /etc/sudoers.d, then `vnflow ops retry OP_OCC`.',
  },
  NODE_KEY_UNREADABLE: {
    status: 422,
    title: 'Private key cannot be read',
    retriable: false,
    remedy:
      "Give a private key in PEM or OpenSSH form without a passphrase (`ssh-keygen -p -N '' -f KEY` removes one). Of a node: `vnflow ops rollback OP_OCC` (or fail), then send the request again. Of the bastion: correct the file of `VNFLOW_BASTION_KEY_FILE`, restart the workers, then `vnflow ops retry OP_OCC`.",
  },
  NODE_PROFILE: {
    status: 422,
    title: 'Login profile prints text',
    retriable: false,
    remedy:
      'Let the profile of the user on the node (`.bashrc`, `.profile`, /etc/profile.d) print nothing in shells without a terminal: put `[ -t 1 ] || return` before it. Then `vnflow ops retry OP_OCC`.',
  },
  NODE_PROTOCOL: {
    status: 422,
    title: 'Node gave an answer that makes no sense',
    retriable: false,
    remedy: 'Read what was seen, put the node right, then `vnflow ops retry OP_OCC`.',
  },
  CLUSTER_NOT_READY: {
    status: 422,
    title: 'Cluster not ready',
    retriable: true,
    remedy:
      'Look at `kubectl get node` and `cilium status` on the control-plane node; `allocator full` in `kubectl get ciliumnode -o yaml` means that the pod network has no block for one more node. Then `vnflow ops retry OP_OCC`.',
  },
  DRAIN_BLOCKED: {
    status: 422,
    title: 'Node could not be drained',
    retriable: false,
    remedy:
      'See which pods stay (`kubectl get pods -A -o wide`) and which budget holds them (`kubectl get pdb -A`); scale the workload up or relax the budget, then `vnflow ops retry OP_OCC`. `drain_timeout` in additionalParams is how long they may take.',
  },
  QUORUM_LOST: {
    status: 422,
    title: 'etcd has no majority, or would lose it',
    retriable: false,
    remedy:
      'Bring control-plane nodes that are down back first (`openstack server start`, `openstack server reboot`), then heal again. If they are lost: heal all that are down with `"additionalParams": {"allow_restore": true}`.',
  },
  QUORUM_INCOMPLETE: {
    status: 422,
    title: 'Another etcd member is down',
    retriable: false,
    remedy: 'Heal the control-plane nodes that are down first, or together with these.',
  },
  CONTROL_PLANE_UNKNOWN: {
    status: 422,
    title: 'State of a control-plane node is unknown',
    retriable: false,
    remedy:
      'Make the nodes of the detail reachable over SSH again (network, security groups, bastion) and see that etcd runs there. If a node is lost, stop its server (`openstack server stop SERVER`): then it counts as dead. Then `vnflow ops retry OP_OCC`.',
  },
  CONTROL_PLANE_CHANGED: {
    status: 422,
    title: 'Control plane is not as it was when the plan was made',
    retriable: false,
    remedy:
      'Look at the control plane (`sudo crictl ps --name etcd`, `kubectl get node`). If it is as it was: `vnflow ops retry OP_OCC`. If not: end the operation (`vnflow ops fail OP_OCC`) and heal again what still needs it: the plan is then made anew.',
  },
  // -- code of VNF packages ------------------------------------------------------------------------------------------
  PACKAGE_CODE_DISABLED: {
    status: 422,
    title: 'Code of the VNF package is not allowed',
    retriable: false,
    remedy:
      'Name built-in user data (StandardUserData, DefaultUserData, KubernetesClusterUserData). Or, if you trust the author of the package as much as a user of this machine, start API and workers with `VNFLOW_ALLOW_PACKAGE_CODE=1` (docs/package-code.md), then send the request again.',
  },
  PACKAGE_CODE_FAILED: {
    status: 422,
    title: 'Code of the VNF package failed',
    retriable: false,
    remedy:
      'Read the end of what it said. If the cause is outside of the package: `vnflow ops retry OP_OCC`. Otherwise `vnflow ops rollback OP_OCC` (or fail), and onboard a corrected package.',
  },
  PACKAGE_CODE_UNAVAILABLE: {
    status: 422,
    title: 'Code of the VNF package cannot run here',
    retriable: false,
    remedy:
      'Give every worker what the detail names (a Python 3, util-linux, the rights of root), then `vnflow ops retry OP_OCC`.',
  },
  // -- backups -------------------------------------------------------------------------------------------------------
  SNAPSHOT_FAILED: {
    status: 503,
    title: 'No backup of the cluster',
    retriable: true,
    remedy:
      'Look at etcd on the control-plane node (`sudo crictl ps --all --name etcd`, `df -h /var/lib`), then `vnflow ops retry OP_OCC`.',
  },
  BACKUP_MISSING: {
    status: 422,
    title: 'No backup to restore',
    retriable: false,
    remedy:
      'Bring a control-plane node back (`openstack server start`) and heal again. If none comes back the cluster is lost: heal with `"all": true` and no vnfcInstanceId makes a new one.',
  },
  BACKUP_UNREADABLE: {
    status: 422,
    title: 'Backup cannot be opened',
    retriable: false,
    remedy:
      'Start the workers with the master key that the backup was sealed under (`VNFLOW_MASTER_KEY`, or the key file), then `vnflow ops retry OP_OCC`.',
  },
  BACKUP_UNKNOWN: {
    status: 422,
    title: 'No such backup',
    retriable: false,
    remedy:
      'Take the id of one that is there (`GET /vnflow/v1/vnf_instances/ID/backups`), or leave `backup_id` out: then it is the newest state there is.',
  },
  CONTENT_LOSS: {
    status: 422,
    title: 'Content would be lost',
    retriable: false,
    remedy:
      'Bring the server and its registry back, so that vnflow can copy the images (`openstack server start`, `docker start private_registry`), and heal again. If nobody needs the images, send the heal with `"accept_content_loss": true` in `additionalParams`.',
  },
  CONTENT_TOO_LARGE: {
    status: 422,
    title: 'Content is too large for a copy in the store',
    retriable: false,
    remedy:
      'Send the heal again with `"content_copy_container": "NAME"` in `additionalParams`: the copy is kept in that container of Swift, in the project of the VIM. Or raise `VNFLOW_REGISTRY_COPY_MIB` of the workers.',
  },
  COPY_DAMAGED: {
    status: 422,
    title: 'Copy of the content is damaged',
    retriable: false,
    remedy:
      'Bring the named content back into the place of the copy (a backup of the store, the container of Swift), then `vnflow ops retry OP_OCC`. Or push the images anew, and `vnflow ops fail OP_OCC`.',
  },
  CONTENT_UNREADABLE: {
    status: 422,
    title: 'Content cannot be copied',
    retriable: false,
    remedy:
      'Push the image anew or delete its tag, then `vnflow ops retry OP_OCC`. Or fail the operation, and heal with `"accept_content_loss": true` in `additionalParams`: images that cannot be read are lost, and the log names them.',
  },
  REGISTRY_NOT_READY: {
    status: 422,
    title: 'Registry not ready',
    retriable: true,
    remedy:
      'Look at `docker ps --all` and `docker logs` on the server of the registry, then `vnflow ops retry OP_OCC`.',
  },
  REGISTRY_UNREACHABLE: {
    status: 422,
    title: 'Private registry not reachable from a node',
    retriable: false,
    remedy:
      'See that the registry runs, and that the node reaches it: `curl -v https://REGISTRY/v2/` there (network, security groups, `hosts_string`, `proxy.no_proxy`, connection_type). Then `vnflow ops retry OP_OCC`.',
  },
  REGISTRY_UNTRUSTED: {
    status: 422,
    title: 'Certificate of a private registry is not trusted',
    retriable: false,
    remedy:
      "Compare the registry's certificate with the authority in the package, and its names with `server`: `openssl s_client -connect REGISTRY`. When the registry has the right certificate: `vnflow ops retry OP_OCC`.",
  },
  REGISTRY_CERTIFICATE_EXPIRED: {
    status: 422,
    title: 'Certificate of a private registry has expired',
    retriable: false,
    remedy: 'Renew the certificate of the registry and restart it, then `vnflow ops retry OP_OCC`.',
  },
  REGISTRY_LOGIN: {
    status: 422,
    title: 'Private registry refused the login',
    retriable: false,
    remedy:
      'If the registry is wrong, give it this user and password, then `vnflow ops retry OP_OCC`. If the request is wrong: `vnflow ops rollback OP_OCC` (or fail), then send it again with the right ones. Those of a running cluster are changed by a PATCH of `vnfConfigurableProperties`.',
  },
  BACKUP_NOT_NEEDED: {
    status: 422,
    title: 'Nothing would be restored',
    retriable: false,
    remedy:
      'Leave `backup_id` out. A backup is for the only control-plane node, or for several without a majority together with `"allow_restore": true`.',
  },
  SERVER_NOT_STOPPED: {
    status: 422,
    title: 'Server of a control-plane node does not stop',
    retriable: false,
    remedy:
      'A member of the old cluster must not run beside the restored one. See why it runs on (`openstack server show SERVER`, a lock, its compute host); stop or delete it (`openstack server stop`, `openstack server delete`; on a compute host that is dead: power the host off first), then `vnflow ops retry OP_OCC`.',
  },
  RESTORE_ENDPOINT_CHANGED: {
    status: 422,
    title: 'Cluster would have another address',
    retriable: false,
    remedy:
      'Give the port of the control plane its old address back (`openstack port set --fixed-ip`), then `vnflow ops retry OP_OCC`; or heal with `"all": true` and no vnfcInstanceId, which makes a new cluster.',
  },
  RESTORE_NOT_POSSIBLE: {
    status: 409,
    title: 'Cluster cannot be restored',
    retriable: false,
    remedy:
      'Heal with `"all": true` and no vnfcInstanceId: everything anew, without the contents of the cluster. A package with a script of vnflow\'s own contract (docs/install-script.md) can be restored.',
  },
  BACKUP_TOO_LARGE: {
    status: 422,
    title: 'Backup of the cluster is too large',
    retriable: false,
    remedy:
      'Remove what the cluster does not need (`kubectl get events -A`), compact and defragment etcd, then `vnflow ops retry OP_OCC`.',
  },
  // -- operations ----------------------------------------------------------------------------------------------------
  ENGINE_LOST: {
    status: 500,
    title: 'Workflow of the operation is gone',
    retriable: false,
    remedy:
      '`vnflow ops retry OP_OCC` hands the operation to a new workflow, which goes on where it stopped; or `vnflow ops rollback OP_OCC`, or `vnflow ops fail OP_OCC`.',
  },
  NAMESPACE_TAKEN: {
    status: 503,
    title: 'Temporal namespace of another vnflow',
    retriable: false,
    remedy:
      'Give each vnflow a namespace of its own (`TEMPORAL_NAMESPACE`, deploy/temporal-namespace.sh). If the other store exists no more: `temporal operator namespace update --namespace NAMESPACE --data vnflow.store=`, then start again.',
  },
  ENGINE_DEFECT: {
    status: 503,
    title: 'This build cannot continue the operation',
    retriable: false,
    remedy:
      'Start workers of the build that began the operation again: it goes on by itself (docs/upgrading.md). Or `vnflow ops retry OP_OCC` hands it to a new workflow of the present build, which goes on where it stopped; or `vnflow ops rollback OP_OCC`, or `vnflow ops fail OP_OCC`.',
  },
  OPERATION_CANCELLED: {
    status: 422,
    title: 'Operation cancelled',
    retriable: false,
    remedy:
      '`vnflow ops retry OP_OCC` goes on where it stopped, `vnflow ops rollback OP_OCC` undoes what was done, `vnflow ops fail OP_OCC` leaves it as it is.',
  },
  STEP_DEADLINE: {
    status: 422,
    title: 'Step took too long',
    retriable: false,
    remedy: 'Look at the step (`vnflow watch OP_OCC`), then `vnflow ops retry OP_OCC`.',
  },
} as const satisfies Record<string, ProblemKind>;

export type ProblemCode = keyof typeof PROBLEMS;

export interface ProblemFacts {
  /** One sentence: what happened, where, why. Goes to people. No secrets. */
  readonly detail: string;
  /** The evidence, for example the tail of an output. No secrets. */
  readonly seen?: string;
  /** After how many seconds a repetition makes sense (Retry-After of a remote). */
  readonly retryAfterSeconds?: number;
  readonly cause?: unknown;
}

/** The only error that vnflow throws on purpose. */
export class VnflowError extends Error {
  readonly code: ProblemCode;
  readonly seen: string | undefined;
  readonly retryAfterSeconds: number | undefined;

  constructor(code: ProblemCode, facts: ProblemFacts) {
    super(foreignText(facts.detail), { cause: facts.cause });
    this.name = 'VnflowError';
    this.code = code;
    this.seen = facts.seen === undefined ? undefined : foreignText(facts.seen);
    this.retryAfterSeconds = facts.retryAfterSeconds;
  }

  get kind(): ProblemKind {
    return PROBLEMS[this.code];
  }
}

/**
 * RFC 9457 as Tacker emits it (`status`, `title`, `detail`), plus our stable `code`, what was seen and what to do next.
 */
export interface ProblemDetails {
  readonly status: number;
  readonly title: string;
  readonly detail: string;
  readonly code: ProblemCode;
  readonly remedy: string;
  readonly seen?: string;
}

export function problemDetails(code: ProblemCode, facts: Pick<ProblemFacts, 'detail' | 'seen'>): ProblemDetails {
  const { status, title, remedy } = PROBLEMS[code];
  return { status, title, detail: facts.detail, code, remedy, ...(facts.seen ? { seen: facts.seen } : {}) };
}

export function isProblemCode(text: string): text is ProblemCode {
  return Object.hasOwn(PROBLEMS, text);
}
