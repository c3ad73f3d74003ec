import type { ServerChannel, Session } from 'ssh2';
import { toBytes } from '../../world/files/bytes.ts';
import { homeOf, loginEnv } from '../../world/shell/login.ts';
import type { InputSource, ShellResult } from '../../world/shell/request.ts';
import type { SimNode } from '../../world/world.ts';

interface SessionOptions {
  readonly session: Session;
  /** Cuts the TCP connection without a closing handshake, as a firewall does. */
  readonly cut: () => void;
  /** Called when the channel is closed and its process has ended; sshd counts the session until then. */
  readonly onEnd: () => void;
}

/** Serves one session channel of a login: a command, or lines typed at a prompt. */
export function serveSession(node: SimNode, user: string, { session, cut, onEnd }: SessionOptions): void {
  const env: Record<string, string> = { ...loginEnv(user), SSH_CONNECTION: '10.0.0.1 50000 10.0.0.2 22' };
  let pty = false;
  session.on('env', (accept, _, info: { key: string; val: string }) => {
    // Ubuntu's sshd_config has: AcceptEnv LANG LC_*
    if (/^(LANG|LC_\w+)$/.test(info.key)) env[info.key] = info.val;
    accept?.();
  });
  session.on('pty', (accept) => {
    pty = true;
    env['TERM'] = 'xterm-256color';
    accept?.();
  });
  session.on('window-change', (accept) => accept?.());
  session.on('signal', (accept) => accept?.());
  session.on('exec', (accept, _, { command }) => {
    const channel = accept();
    const fault = node.world.faults.take('ssh-reset', node.state, ({ commandPrefix }) =>
      command.startsWith(commandPrefix ?? ''),
    );
    if (fault) {
      node.world.clock
        .sleep(fault.afterSeconds ?? 0)
        .then(cut)
        .catch(() => {});
    }
    const closed = new Promise((resolve) => channel.once('close', resolve));
    serveCommand(node, user, { channel, command, env })
      .catch(() => channel.destroy())
      .then(() => closed)
      .then(onEnd, onEnd);
  });
  session.on('shell', (accept) => {
    const channel = accept();
    channel.once('close', onEnd);
    servePrompt(node, user, { channel, env, pty });
  });
  session.on('sftp', (_, reject) => reject?.());
}

interface ChannelOptions {
  readonly channel: ServerChannel;
  readonly env: Readonly<Record<string, string>>;
}

async function serveCommand(
  node: SimNode,
  user: string,
  { channel, command, env }: ChannelOptions & { readonly command: string },
): Promise<void> {
  channel.on('error', () => {});
  const gone = new AbortController();
  channel.on('close', () => gone.abort());
  const pid = node.nextPid++;
  const argv = ['bash', '-c', command];
  // bash replaces itself by a single command, so the shell has no process of its own
  if (!node.world.shells.isOneCommand(command)) {
    node.world.ledger.record({
      kind: 'command',
      where: node.label(),
      what: argv.join(' '),
      detail: { server: node.id },
    });
  }
  node.processes.set(pid, { pid, ppid: 612, user, argv, startedAt: node.world.clock.elapsed() });
  const result = await node.world.shells.run(node, {
    user,
    text: command,
    env,
    cwd: homeOf(user),
    input: channelInput(channel),
    pid,
    // when the client disconnects, sshd sends SIGHUP; only detached processes survive
    signal: gone.signal,
  });
  node.processes.delete(pid);
  if (node.power.signal.aborted || channel.destroyed) return;
  node.save();
  finish(channel, result);
}

function finish(channel: ServerChannel, result: ShellResult): void {
  if (result.stderr !== '') channel.stderr.write(Buffer.from(result.stderr, 'latin1'));
  const close = () => {
    channel.exit(result.exitCode);
    channel.end();
    channel.close();
  };
  if (result.stdout === '') close();
  else channel.write(Buffer.from(result.stdout, 'latin1'), close);
}

/** Collects everything that the client sends until it closes its side. */
function channelInput(channel: ServerChannel): InputSource {
  const chunks: Buffer[] = [];
  let consumed = false;
  channel.on('data', (chunk: Buffer) => chunks.push(chunk));
  const ended = new Promise<void>((resolve) => {
    channel.once('end', () => resolve());
    channel.once('close', () => resolve());
  });
  return {
    live: true,
    read: async () => {
      await ended;
      if (consumed) return '';
      consumed = true;
      return Buffer.concat(chunks).toString('latin1');
    },
  };
}

/** Serves a login without a command: runs lines one after the other. `cd` and variables hold for the session. */
function servePrompt(
  node: SimNode,
  user: string,
  { channel, env, pty }: ChannelOptions & { readonly pty: boolean },
): void {
  channel.on('error', () => {});
  let cwd = homeOf(user);
  let line = '';
  let work = Promise.resolve();
  const newline = pty ? '\r\n' : '\n';
  const say = (bytes: string) => channel.write(Buffer.from(pty ? bytes.replaceAll('\n', '\r\n') : bytes, 'latin1'));
  const prompt = () => {
    if (!pty) return;
    const where = cwd === homeOf(user) ? '~' : cwd;
    say(`${user}@${node.state.hostname}:${where}${user === 'root' ? '#' : '$'} `);
  };
  const leave = (code: number) => {
    node.save();
    channel.exit(code);
    channel.end();
  };
  const run = async (text: string): Promise<void> => {
    if (/^\s*(exit|logout)\b/.test(text)) return leave(0);
    const pid = node.nextPid++;
    const marker = `__cwd_${pid}`;
    const result = await node.world.shells.run(node, { user, text: `${text}\necho "${marker} $PWD"`, env, cwd, pid });
    const at = result.stdout.lastIndexOf(`${marker} `);
    if (at >= 0) cwd = result.stdout.slice(at + marker.length + 1).trimEnd();
    say((at >= 0 ? result.stdout.slice(0, at) : result.stdout) + result.stderr);
    prompt();
  };
  if (pty) say(toBytes(`Welcome to Ubuntu 22.04.4 LTS (GNU/Linux 5.15.0-101-generic x86_64)\n\n`));
  prompt();
  channel.on('data', (chunk: Buffer) => {
    for (const character of chunk.toString('latin1')) {
      if (character === '\r' || character === '\n') {
        if (pty) channel.write(newline);
        const text = line;
        line = '';
        work = work.then(() => run(text)).catch(() => {});
      } else if (character === '\u0003') {
        line = '';
        channel.write(`^C${newline}`);
        prompt();
      } else if (character === '\u0004' && line === '') leave(0);
      else if (character === '\u007f') {
        if (line !== '') channel.write('\b \b');
        line = line.slice(0, -1);
      } else {
        line += character;
        if (pty) channel.write(Buffer.from(character, 'latin1'));
      }
    }
  });
  channel.on('end', () => {
    work = work.then(() => leave(0)).catch(() => {});
  });
}
