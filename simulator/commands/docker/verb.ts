import type { CommandContext, Output } from '../shell/command.ts';

/** A command of docker: it gets the words after its name. */
export type Verb = (args: readonly string[], context: CommandContext) => Output | Promise<Output>;

export function daemonError(reason: string): string {
  return `Error response from daemon: ${reason}`;
}

/** Fills a Go template with the fields of a value: `{{.State.Running}}`. Functions are not supported. */
export function fillTemplate(template: string, value: unknown): string {
  return template.replaceAll(/\{\{\s*\.([\w.]+)\s*\}\}/g, (_, path: string) => fieldOf(value, path));
}

function fieldOf(value: unknown, path: string): string {
  let at = value;
  for (const key of path.split('.')) {
    at = typeof at === 'object' && at !== null ? (at as Readonly<Record<string, unknown>>)[key] : undefined;
  }
  return at === undefined ? '<no value>' : String(at);
}
