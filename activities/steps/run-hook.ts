import { z } from 'zod';
import { VnflowError } from '../../domain/problems.ts';
import { flavour } from '../../domain/vnfd.ts';
import { packageOfInstance } from '../../planning/package-of-instance.ts';
import { secretName } from '../../store/secrets.ts';
import { writeAsAttempt } from '../attempt/step-attempt.ts';
import { readInstance } from '../facts/operation-facts.ts';
import { readCodeDocuments } from '../package-code/code-documents.ts';
import { readFlavourDocuments, runCode } from '../package-code/run-code.ts';
import type { StepContextOf } from '../step-context.ts';

const TIME_LIMIT_SECONDS = 600;

const Answer = z.object({
  exitCode: z.int(),
  output: z.looseObject({ user_script_err_handling_data: z.unknown().optional() }).nullable().catch(null),
});

/**
 * Runs the script of a hook (tacker-lcm §7.1). It keeps what the script answers as `user_script_err_handling_data` for
 * the next script of the operation, also when it fails: a script finds out from it what an earlier attempt has done.
 */
export async function runHook(step: StepContextOf<'runHook'>): Promise<undefined> {
  const { deps, input } = step;
  const { hook } = input;
  const { flavourId, operation: _, request, instance, grantRequest, grant } = await readCodeDocuments(step);
  const { vnfd } = await packageOfInstance(deps, await readInstance(step));
  const file = flavour(vnfd, flavourId).hooks.find(({ name }) => name === hook)?.script;
  if (file === undefined) throw new VnflowError('INTERNAL', { detail: `The VNFD has no script for ${hook}.` });
  const key = secretName.hookData(input.vnfLcmOpOccId);
  const result = await runCode(
    step,
    {
      what: 'hook',
      file,
      input: {
        operation: hook,
        request,
        vnf_instance: instance,
        grant_request: grantRequest,
        grant_response: grant,
        user_script_err_handling_data: (await deps.secrets.get(key)) ?? {},
      },
    },
    { flavours: await readFlavourDocuments(step), timeLimitSeconds: TIME_LIMIT_SECONDS },
  );
  const { exitCode, output } = Answer.parse(result.answer);
  const kept = output?.user_script_err_handling_data;
  if (kept !== undefined) await writeAsAttempt(deps, ({ secrets }) => secrets.put(key, kept, input.vnfLcmOpOccId));
  if (exitCode === 0) return;
  throw new VnflowError('PACKAGE_CODE_FAILED', {
    detail: `${file} of the VNF package failed for ${hook}: it ended with exit code ${exitCode}.`,
    ...(result.said === '' ? {} : { seen: result.said }),
  });
}
