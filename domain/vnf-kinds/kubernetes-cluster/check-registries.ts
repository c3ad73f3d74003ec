import path from 'node:path';
import { certificateProblem } from '../../certificate-problem.ts';
import { parseMember } from '../../parse-member.ts';
import { VnflowError } from '../../problems.ts';
import type { PackageFiles } from '../vnf-kind.ts';
import {
  connectionsProblem,
  REGISTRY_CONNECTIONS,
  type RegistryConnection,
  RegistryConnections,
} from './registry-connections.ts';

interface CertificateSources {
  readonly files: PackageFiles;
  /** The time at which certificates must be valid. */
  readonly now: Date;
}

/**
 * Checks the private registries of a request against each other and the package.
 * @param at the path to the list, for the message
 * @throws VnflowError BAD_REQUEST naming the member and what may stand there
 */
export function checkConnections(
  connections: readonly RegistryConnection[],
  { files, now }: CertificateSources,
  at: string,
): void {
  const problem = connectionsProblem(connections);
  if (problem) throw createMemberProblem(`${at}.${problem.index}.${problem.member}`, problem.sentence);
  for (const [index, { certificate_path: given, certificate }] of connections.entries()) {
    const member = (name: keyof RegistryConnection) => `${at}.${index}.${name}`;
    const content = given === undefined ? certificate : files.get(path.posix.normalize(given))?.toString();
    if (given !== undefined && content === undefined)
      throw createMemberProblem(member('certificate_path'), `the VNF package has no file ${given}`);
    const sentence = content === undefined ? undefined : certificateProblem(content, now);
    if (sentence === undefined) continue;
    throw given === undefined
      ? createMemberProblem(member('certificate'), sentence)
      : createMemberProblem(member('certificate_path'), `${given} ${sentence}`);
  }
}

/**
 * Reads the private registries of `vnfConfigurableProperties`. `null` and an empty list withdraw all of them.
 * @throws VnflowError BAD_REQUEST naming the member
 */
export function changedConnections(given: unknown, sources: CertificateSources): readonly RegistryConnection[] {
  const at = `vnfConfigurableProperties.${REGISTRY_CONNECTIONS}`;
  const connections = parseMember(RegistryConnections, given ?? [], at.split('.'));
  checkConnections(connections, sources, at);
  return connections;
}

function createMemberProblem(member: string, sentence: string): VnflowError {
  return new VnflowError('BAD_REQUEST', { detail: `${member}: ${sentence}.` });
}
