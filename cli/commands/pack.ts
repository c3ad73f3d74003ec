import type { Command } from 'commander';

export function addPackCommand(program: Command): void {
  program
    .command('pack <dir>')
    .description('make a VNF package (CSAR) from a source tree: writes the hashes, and gives identical bytes each time')
    .requiredOption('-o, --output <file>', 'the zip file to write')
    .action(async (dir: string, { output }: { output: string }) => {
      const { packCsar } = await import('../../packages/pack.ts');
      await packCsar(dir, output);
      process.stdout.write(`${output}\n`);
    });
}
