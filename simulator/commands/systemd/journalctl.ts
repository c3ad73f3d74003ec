import { activeState, baseName, kubeletProblem } from '../../world/systemd/services.ts';
import { type CommandContext, type Output, ok, parseArguments } from '../shell/command.ts';

export function journalctl(args: readonly string[], { node }: CommandContext): Output {
  const parsed = parseArguments(
    args,
    new Set(['-u', '--unit', '-n', '--lines', '-o', '--output', '-S', '--since', '-p', '-t']),
  );
  const unit = parsed.value('-u', '--unit');
  const shown = node.state.journal.filter((entry) => unit === undefined || entry.unit === `${baseName(unit)}.service`);
  const rows = [...shown];
  if (unit !== undefined && baseName(unit) === 'kubelet' && activeState(node, unit) === 'activating') {
    rows.push({
      at: new Date().toISOString(),
      unit: 'kubelet.service',
      text: `"command failed" err="${kubeletProblem(node) ?? ''}"`,
    });
  }
  const count = Number(parsed.value('-n', '--lines') ?? rows.length);
  const cat = parsed.value('-o', '--output') === 'cat';
  const lines = rows
    .slice(-count)
    .map(({ at, unit: from, text }) =>
      cat ? text : `${at.slice(0, 19)} ${node.state.hostname} ${baseName(from)}[1]: ${text}`,
    );
  return ok(lines.length === 0 ? '-- No entries --\n' : `${lines.join('\n')}\n`);
}
