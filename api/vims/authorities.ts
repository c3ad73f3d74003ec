import { certificateProblem } from '../../domain/certificate-problem.ts';
import { Authorities } from '../../domain/vim-connection.ts';

/** CA certificates of a VIM in a request. They are read at once: a wrong one would fail each call of each operation. */
export const GivenAuthorities = Authorities.superRefine((pem, context) => {
  const problem = pem === undefined ? undefined : certificateProblem(pem, new Date());
  if (problem !== undefined) context.addIssue({ code: 'custom', message: problem });
});
