import type { Command } from 'commander';
import { foreignText } from '../../domain/foreign-text.ts';
import { localTime } from '../local-time.ts';
import { table } from '../table.ts';
import { createVnfm, type Vnfm } from '../vnfm/client.ts';
import { connectionFrom } from '../vnfm/connection.ts';
import { AuditEntries, type AuditEntry, AuditVerification } from '../vnfm/contract.ts';
import { dataOption } from './options.ts';

const PAGE = 500;

interface Options {
  readonly data: string;
}

/** Adds the commands that read the audit trail of the project. */
export function addAuditCommand(program: Command): void {
  const audit = program
    .command('audit')
    .description('list who did what in the project: every request that wrote')
    .addOption(dataOption())
    .action(async ({ data }: Options) => {
      const entries = await readAll(createVnfm(connectionFrom(process.env, data)));
      print(table(['SEQ', 'TIME', 'WHO', 'FROM', 'STATUS', 'ACTION', 'RESOURCE'], entries.map(rowOf)));
    });
  const vnfm = () => createVnfm(connectionFrom(process.env, audit.opts<Options>().data));
  audit
    .command('verify')
    .description('compute the chain of all entries anew; exit code 1: an entry was changed, or is missing')
    .action(async () => {
      const answer = await vnfm().request({ method: 'GET', path: '/vnflow/v1/audit/verify' });
      const { ok, entries, last, brokenAt } = answer.read(AuditVerification);
      if (ok && entries === undefined)
        return print(['The chain is intact. Number and hash of its last entry are for the role admin.']);
      if (ok)
        return print([
          `${entries} entries, the chain is intact. The last one: ${last?.seq ?? 0} ${last?.hash ?? ''}`.trim(),
        ]);
      const place = brokenAt === undefined ? '' : ` at entry ${brokenAt}`;
      print([`The chain is broken${place}: an entry was changed, or the one before it is missing.`]);
      process.exitCode = 1;
    });
  audit
    .command('export')
    .description('print all entries of the project as lines of JSON')
    .action(async () => print((await readAll(vnfm())).map((entry) => JSON.stringify(entry))));
}

async function readAll(vnfm: Vnfm): Promise<AuditEntry[]> {
  const all: AuditEntry[] = [];
  for (let after = 0; ; ) {
    const params = { after, limit: PAGE };
    const { entries, next } = (await vnfm.request({ method: 'GET', path: '/vnflow/v1/audit', params })).read(
      AuditEntries,
    );
    all.push(...entries);
    if (entries.length < PAGE) return all;
    after = next;
  }
}

function rowOf({ seq, at, who, source, status, code, action, resource }: AuditEntry): string[] {
  const result = code === undefined ? `${status}` : `${status} ${code}`;
  return [`${seq}`, localTime(at), who, source, result, action, resource].map((cell) => foreignText(cell));
}

function print(lines: readonly string[]): void {
  process.stdout.write(`${lines.join('\n')}\n`);
}
