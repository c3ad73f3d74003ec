import { reachApi } from '../world/cluster/endpoints.ts';
import { checkHaproxy, haproxyConfig, isResolvable } from '../world/cluster/haproxy.ts';
import { checkKeepalived } from '../world/cluster/keepalived.ts';
import { toText } from '../world/files/bytes.ts';
import { activeState } from '../world/systemd/services.ts';
import { type CommandContext, type CommandTable, failure, type Output, ok, parseArguments } from './shell/command.ts';

function haproxy(args: readonly string[], { node, files, path, pid }: CommandContext): Output {
  const parsed = parseArguments(args, new Set(['-f', '-p', '-L', '-x', '-m', '-n']));
  if (parsed.has('-v')) return ok('HAProxy version 2.4.24-0ubuntu0.22.04.1 2023/10/31 - https://haproxy.org/\n');
  const file = parsed.value('-f') ?? '';
  if (!parsed.has('-c')) return failure(1, 'haproxy: start it with systemctl');
  const notice = `[NOTICE]   (${pid}) : haproxy version is 2.4.24-0ubuntu0.22.04.1\n[NOTICE]   (${pid}) : path to executable is /usr/sbin/haproxy\n`;
  if (!files.exists(path(file))) {
    return failure(
      1,
      `${notice}[ALERT]    (${pid}) : Cannot open configuration file/directory ${file} : No such file or directory`,
    );
  }
  const check = checkHaproxy(files.readText(path(file)), file, isResolvable(node));
  if (check.exitCode === 0) return ok(parsed.has('-q') ? '' : 'Configuration file is valid\n');
  if (check.exitCode === 2) {
    return failure(2, '', 'Configuration file has no error but will not start (no listener) => exit(2).\n');
  }
  return failure(
    1,
    notice +
      check.alerts
        .map(
          (alert) =>
            `[ALERT]    (${pid}) : ${alert.startsWith('Fatal') || alert.startsWith('parsing') || alert.startsWith('[') || alert.startsWith('Proxy') || alert.startsWith('Error') || alert.startsWith('Failed') ? `config : ${alert}` : alert}\n`,
        )
        .join(''),
  );
}

function keepalived(args: readonly string[], { files, path }: CommandContext): Output {
  const parsed = parseArguments(args, new Set(['-f', '--use-file']));
  if (parsed.has('-v', '--version')) return { stderr: 'Keepalived v2.2.4 (08/21,2021)\n', exitCode: 0 };
  const file = parsed.value('-f', '--use-file') ?? '/etc/keepalived/keepalived.conf';
  if (!parsed.has('-t', '--config-test')) return failure(1, 'keepalived: start it with systemctl');
  if (!files.exists(path(file))) return failure(4, `Unable to find configuration file ${file}`);
  const check = checkKeepalived(files.readText(path(file)));
  return failure(check.exitCode, check.messages.map((message) => `(Line 1) ${message}\n`).join(''));
}

/** Plays HAProxy's runtime API, which is reached through socat. */
async function socat(_: readonly string[], context: CommandContext): Promise<Output> {
  const { node } = context;
  if (activeState(node, 'haproxy') !== 'active') {
    return failure(1, 'socat[1] E connect(5, AF=1 "/run/haproxy/admin.sock", 26): No such file or directory');
  }
  const asked = toText(await context.stdin()).trim();
  const config = haproxyConfig(node);
  const rows = Object.entries(config?.backends ?? {}).flatMap(([backend, servers]) =>
    servers.map((server) => ({ backend, ...server, up: 'cluster' in reachApi(node, `${server.host}:${server.port}`) })),
  );
  if (asked.startsWith('show stat')) {
    const line = (proxy: string, name: string, status: string, check: string) =>
      `${proxy},${name},0,0,0,1,,0,0,0,,0,,0,0,0,0,${status},1,1,0,0,0,1,0,,1,3,1,,0,,2,0,,0,${check},,0,\n`;
    const lines = rows.map(({ backend, name, up }) => line(backend, name, up ? 'UP' : 'DOWN', up ? 'L7OK' : 'L4CON'));
    return ok(
      `# pxname,svname,qcur,qmax,scur,smax,slim,stot,bin,bout,dreq,dresp,ereq,econ,eresp,wretr,wredis,status,weight,act,bck,chkfail,chkdown,lastchg,downtime,qlimit,pid,iid,sid,throttle,lbtot,tracked,type,rate,rate_lim,rate_max,check_status,check_code,check_duration,\n${lines.join('')}\n`,
    );
  }
  if (asked.startsWith('show servers state')) {
    const lines = rows.map(
      ({ backend, name, host, port, up }, index) =>
        `3 ${backend} ${index + 1} ${name} ${host} ${up ? 2 : 0} 0 1 1 78 ${up ? '15 3 4 6' : '17 0 0 7'} 0 0 0 - ${port} - 0 0 - - 0\n`,
    );
    return ok(
      `1\n# be_id be_name srv_id srv_name srv_addr srv_op_state srv_admin_state srv_uweight srv_iweight srv_time_since_last_change srv_check_status srv_check_result srv_check_health srv_check_state srv_agent_state bk_f_forced_id srv_f_forced_id srv_fqdn srv_port srvrecord srv_use_ssl srv_check_port srv_check_addr srv_agent_addr srv_agent_port\n${lines.join('')}\n`,
    );
  }
  return ok('\n');
}

export const LOAD_BALANCER: CommandTable = {
  haproxy: { run: haproxy },
  keepalived: { run: keepalived },
  socat: { run: socat },
  conntrack: { run: () => ok() },
  ebtables: { run: () => ok() },
  ethtool: { run: () => ok() },
};
