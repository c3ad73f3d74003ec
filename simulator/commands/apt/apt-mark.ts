import { installedNames, installedVersion, isHeld, listOffered } from '../../world/apt/installed.ts';
import { type CommandContext, type CommandTable, failure, type Output, ok } from '../shell/command.ts';
import { DPKG_LOCK } from './lock.ts';

function aptMark(args: readonly string[], { node, isRoot }: CommandContext): Output {
  const [verb = '', ...names] = args.filter((argument) => !argument.startsWith('-'));
  if (verb === 'showhold')
    return ok(
      installedNames(node)
        .filter((name) => isHeld(node, name))
        .map((name) => `${name}\n`)
        .join(''),
    );
  if (verb === 'showmanual' || verb === 'showauto') return ok();
  if (!['hold', 'unhold', 'auto', 'manual'].includes(verb)) return failure(100, `E: Invalid operation ${verb}`);
  if (!isRoot)
    return failure(
      100,
      `E: Could not open lock file ${DPKG_LOCK} - open (13: Permission denied)\nE: Unable to acquire the dpkg frontend lock (${DPKG_LOCK}), are you root?`,
    );
  const unknown = names.filter(
    (name) => installedVersion(node, name) === undefined && listOffered(node, name).length === 0,
  );
  if (unknown.length > 0) {
    const words = unknown.map((name) => `E: Unable to locate package ${name}\n`).join('');
    return failure(100, `${words}${unknown.length === names.length ? 'E: No packages found\n' : ''}`);
  }
  const held = verb === 'hold';
  const lines = names.map((name) => {
    const version = installedVersion(node, name);
    if (verb === 'auto' || verb === 'manual')
      return `${name} set to ${verb === 'auto' ? 'automatically' : 'manually'} installed.\n`;
    if (isHeld(node, name) === held) return `${name} was already ${held ? 'set on' : 'not on'} hold.\n`;
    if (version !== undefined) node.state.packages[name] = { version, held };
    return held ? `${name} set on hold.\n` : `Canceled hold on ${name}.\n`;
  });
  node.changed();
  return ok(lines.join(''));
}

function aptCache(args: readonly string[], { node }: CommandContext): Output {
  const [verb = '', ...names] = args.filter((argument) => !argument.startsWith('-'));
  const [name = ''] = names;
  const offers = listOffered(node, name);
  switch (verb) {
    case 'madison':
      return ok(
        offers
          .map(({ found, from }) => `${name.padStart(10)} | ${found.version.padStart(10)} | ${from} Packages\n`)
          .join(''),
      );
    case 'policy': {
      if (installedVersion(node, name) === undefined && offers.length === 0)
        return failure(0, `N: Unable to locate package ${name}`);
      const table = offers
        .map(({ found, from }) => `     ${found.version} 500\n        500 ${from} Packages\n`)
        .join('');
      return ok(
        `${name}:\n  Installed: ${installedVersion(node, name) ?? '(none)'}\n  Candidate: ${offers[0]?.found.version ?? installedVersion(node, name) ?? '(none)'}\n  Version table:\n${table}`,
      );
    }
    case 'show':
    case 'search':
    case 'depends': {
      const [best] = offers;
      if (!best) return failure(100, 'E: No packages found');
      return ok(
        `Package: ${name}\nVersion: ${best.found.version}\nArchitecture: amd64\nDepends: ${(best.found.depends ?? []).join(', ')}\n`,
      );
    }
    default:
      return failure(100, `E: Invalid operation ${verb}`);
  }
}

export const APT_MARK: CommandTable = { 'apt-mark': { run: aptMark }, 'apt-cache': { run: aptCache } };
