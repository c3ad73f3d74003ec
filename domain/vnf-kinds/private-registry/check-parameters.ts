import path from 'node:path';
import { proxyProblem } from '../../node-proxy.ts';
import { parseMember } from '../../parse-member.ts';
import { VnflowError } from '../../problems.ts';
import type { PackageContents } from '../vnf-kind.ts';
import { REGISTRY_PARAMETERS, RegistryParameters } from './parameters.ts';
import { savedImageProblem } from './saved-image.ts';

const MEMBER = `additionalParams.${REGISTRY_PARAMETERS.key}`;
const CONNECTION_POINTS = /^OS::Neutron::(Port|FloatingIP|FloatingIPAssociation)$/;

/**
 * Reads `private_registry_installation_param` and checks that everything it names is in the package, before any stack
 * is made.
 * @throws VnflowError BAD_REQUEST naming the member and what may stand there
 */
export function checkRegistryParameters(given: unknown, contents: PackageContents): RegistryParameters {
  const parameters = parseMember(RegistryParameters, given, MEMBER.split('.'));
  const problem = parameters.proxy && proxyProblem(parameters.proxy);
  if (problem) throw createMemberProblem(`proxy.${problem.member}`, problem.sentence);
  checkAccess(parameters);
  checkConnectionPoint(parameters.ssh_cp_name, contents);
  checkImage(parameters.image_path, contents);
  checkScript(parameters.script_path, contents);
  return parameters;
}

function checkAccess({ tls, users, host_names }: RegistryParameters): void {
  if (tls) return;
  if (users)
    throw createMemberProblem(
      'users',
      'needs "tls": true, because a login over plain HTTP shows its password to the network',
    );
  if (host_names) throw createMemberProblem('host_names', 'needs "tls": true, because only a certificate has names');
}

function checkConnectionPoint(name: string, { vdus, resources }: PackageContents): void {
  const known = vdus.flatMap((vdu) =>
    [...resources(vdu)].flatMap(([resource, type]) => (CONNECTION_POINTS.test(type) ? [resource] : [])),
  );
  if (known.includes(name)) return;
  throw createMemberProblem('ssh_cp_name', `${name} is not in the VNF package; it has ${known.join(', ') || 'none'}`);
}

function checkImage(given: string | undefined, { files, largeFiles }: PackageContents): void {
  if (!given || largeFiles.has(path.posix.normalize(given))) return; // docker says whether it is an archive
  const image = files.get(path.posix.normalize(given));
  if (image === undefined) throw createMemberProblem('image_path', `the VNF package has no file ${given}`);
  if (!(image instanceof Uint8Array)) return; // a reader of files that gives text only
  const problem = savedImageProblem(image);
  if (problem !== undefined) throw createMemberProblem('image_path', `${given} ${problem}`);
}

function checkScript(given: string | undefined, { files }: PackageContents): void {
  if (given === undefined || files.has(path.posix.normalize(given))) return;
  throw createMemberProblem('script_path', `the VNF package has no file ${given}`);
}

function createMemberProblem(member: string, sentence: string): VnflowError {
  return new VnflowError('BAD_REQUEST', { detail: `${MEMBER}.${member}: ${sentence}.` });
}
