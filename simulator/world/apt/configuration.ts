import type { SimNode } from '../world.ts';

/**
 * Reads apt's configuration: `Name::Of::Option "value";`, also in the form with braces.
 * @param given settings of the command line, as `-o` has them
 * @returns values by the names of the options in lower case
 */
export function aptConfiguration({ root }: SimNode, given: readonly string[]): ReadonlyMap<string, string> {
  const directory = '/etc/apt/apt.conf.d';
  const parts = root.exists(directory) ? root.list(directory).filter((name) => /^[\w-]+(\.conf)?$/.test(name)) : [];
  const files = [...parts.map((name) => `${directory}/${name}`), '/etc/apt/apt.conf'];
  const settings = new Map(files.filter((path) => root.exists(path)).flatMap((path) => read(root.readText(path))));
  for (const setting of given) {
    const at = setting.indexOf('=');
    if (at > 0) settings.set(setting.slice(0, at).toLowerCase(), setting.slice(at + 1));
  }
  return settings;
}

function read(text: string): readonly (readonly [string, string])[] {
  const found: [string, string][] = [];
  const scopes: string[] = [];
  let name = '';
  const words = text.replaceAll(/^\s*(#|\/\/).*$/gm, '').matchAll(/"([^"]*)"|([{};])|([^\s"{};]+)/g);
  for (const [, value, mark, word] of words) {
    if (value !== undefined) found.push([[...scopes, name].join('::').toLowerCase(), value]);
    else if (mark === '{') scopes.push(name);
    else if (mark === '}') scopes.pop();
    else if (word !== undefined) name = word;
  }
  return found;
}
