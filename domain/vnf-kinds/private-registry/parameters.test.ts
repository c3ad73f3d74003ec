import { describe, expect, it } from 'vitest';
import { VnflowError } from '../../problems.ts';
import type { PackageContents } from '../vnf-kind.ts';
import { checkRegistryParameters } from './check-parameters.ts';
import { RegistryParameters } from './parameters.ts';

const GIVEN = { ssh_cp_name: 'CP1', ssh_username: 'ubuntu', ssh_password: 'ubuntu' };
/** A tar archive, as docker save writes it. */
function tarOf(files: Readonly<Record<string, string>>): Buffer {
  const members = Object.entries(files).map(([name, content]) => {
    const header = Buffer.alloc(512);
    header.write(name, 0);
    header.write(`${content.length.toString(8).padStart(11, '0')}\0`, 124);
    header.write('ustar', 257);
    return Buffer.concat([header, Buffer.from(content), Buffer.alloc((512 - (content.length % 512)) % 512)]);
  });
  return Buffer.concat([...members, Buffer.alloc(1024)]);
}
const savedAs = (...tags: string[]) =>
  tarOf({
    'blob.json': 'x'.repeat(700),
    'manifest.json': JSON.stringify([{ Config: 'c', RepoTags: tags, Layers: [] }]),
  });

const contents: PackageContents = {
  vnfInstanceId: 'i1',
  vdus: ['PrivateRegistryVDU'],
  aspects: {},
  now: new Date(),
  resources: () =>
    new Map([
      ['PrivateRegistryVDU', 'OS::Nova::Server'],
      ['CP1', 'OS::Neutron::Port'],
    ]),
  largeFiles: new Set(['Files/images/large.tar']),
  files: new Map([
    ['Files/images/registry.tar', savedAs('docker.io/library/registry:2.8.3')],
    ['Files/images/of_an_id.tar', savedAs()],
    ['Files/images/busybox.tar', savedAs('registry.example.org/busybox:1')],
    ['Files/images/other.tar', tarOf({ 'readme.txt': 'no image' })],
    ['Files/images/cut.tar', savedAs('registry:2').subarray(0, 1600)],
    ['Files/images/broken.tar', tarOf({ 'manifest.json': '{"RepoTags":' })],
    ['Files/images/registry.tar.gz', Buffer.from('not a tar archive'.repeat(40))],
  ]),
};

/** The sentence with which parameters are refused, without the path to the member. */
function refusal(given: object): string {
  try {
    checkRegistryParameters({ ...GIVEN, ...given }, contents);
    return 'accepted';
  } catch (error) {
    if (!(error instanceof VnflowError)) throw error;
    expect(error.code).toBe('BAD_REQUEST');
    return error.message.replace(/^.*private_registry_installation_param\./s, '');
  }
}

describe('private_registry_installation_param', () => {
  it('is complete with the three members that the guide requires: port 5000, the image is pulled', () => {
    expect(checkRegistryParameters(GIVEN, contents)).toEqual({ ...GIVEN, port_no: 5000 });
    expect(refusal({ image_path: '' })).toBe('accepted');
    expect(refusal({ image_path: 'Files/images/of_an_id.tar' })).toBe('accepted');
    expect(refusal({ image_path: './Files/images/large.tar' }), 'a file in the archive only').toBe('accepted');
  });

  it('has the port as text or as a number', () => {
    expect(RegistryParameters.parse({ ...GIVEN, port_no: '5001' }).port_no).toBe(5001);
    expect(RegistryParameters.parse({ ...GIVEN, port_no: 65535 }).port_no).toBe(65_535);
  });

  it.each([
    ['ssh_cp_name', undefined, 'ssh_cp_name: is missing.'],
    ['ssh_username', undefined, 'ssh_username: is missing.'],
    ['ssh_password', undefined, 'ssh_password: is missing.'],
    ['ssh_cp_name', 'CP2', 'ssh_cp_name: CP2 is not in the VNF package; it has CP1.'],
    ['ssh_username', '-oProxyCommand=x', 'ssh_username: must be a Linux user name.'],
    ['port_no', 0, 'port_no: must be a TCP port from 1 to 65535, as a number or as text.'],
    ['port_no', '65536', 'port_no: must be a TCP port from 1 to 65535, as a number or as text.'],
    ['port_no', '5000; reboot', 'port_no: must be a TCP port from 1 to 65535, as a number or as text.'],
    ['port_no', '', 'port_no: must be a TCP port from 1 to 65535, as a number or as text.'],
    ['port_no', 22, 'port_no: must not be 22, on which sshd of the server listens.'],
    ['image_path', 'Files/none.tar', 'image_path: the VNF package has no file Files/none.tar.'],
    [
      'image_path',
      'Files/images/registry.tar.gz',
      'image_path: Files/images/registry.tar.gz is no tar archive; make it with docker save, and do not compress it.',
    ],
    [
      'users',
      [{ name: 'alice', password: 'secret1' }],
      'users: needs "tls": true, because a login over plain HTTP shows its password to the network.',
    ],
    ['host_names', ['r.example'], 'host_names: needs "tls": true, because only a certificate has names.'],
    ['tls', 'yes', 'tls: expected boolean, received string.'],
    [
      'image_path',
      'Files/images/busybox.tar',
      'image_path: Files/images/busybox.tar has the image registry.example.org/busybox:1, and none named registry.',
    ],
    ...['other', 'cut', 'broken'].map((name): [string, string, string] => [
      'image_path',
      `Files/images/${name}.tar`,
      `image_path: Files/images/${name}.tar has no manifest.json of docker save; make it with docker save.`,
    ]),
    ['script_path', 'Scripts/mine.sh', 'script_path: the VNF package has no file Scripts/mine.sh.'],
  ])('is refused with %s = %s', (member, value, sentence) => {
    expect(refusal({ [member]: value })).toBe(sentence);
  });

  it('is refused with a proxy that no program can use, without showing its password', () => {
    const sentence = refusal({ proxy: { http_proxy: 'http://user1:password1@host1:port1' } });
    expect(sentence).toContain('proxy.http_proxy: host1:port1 is the placeholder of the guides');
    expect(sentence).not.toContain('password1');
  });

  it.each([
    [{ users: [] }, 'users: Too small'],
    [{ users: [{ name: 'a:b', password: 'x' }] }, 'users.0.name: must be 1 to 64 letters'],
    [{ users: [{ name: 'alice' }] }, 'users.0.password: is missing.'],
    [{ users: [{ name: 'alice', password: 'ä' }] }, 'users.0.password: must be 1 to 72 printable ASCII characters.'],
    [{ users: [{ name: 'alice', password: 'x'.repeat(73) }] }, 'users.0.password: must be 1 to 72'],
    [{ users: [1, 2].map(() => ({ name: 'alice', password: 'x' })) }, 'users: has a name twice.'],
    [{ host_names: ['r.example', '-no'] }, 'host_names.1: must be a host name.'],
  ])('is refused with TLS and %j', (more, sentence) => {
    expect(refusal({ tls: true, ...more })).toContain(sentence);
  });

  it('has users with TLS, and names for its certificate', () => {
    const users = [{ name: 'alice', password: 'secret "1"' }];
    expect(refusal({ tls: true, users, host_names: ['registry.example.org'] })).toBe('accepted');
  });

  it('may be read again as it is kept', () => {
    const kept = checkRegistryParameters(
      { ...GIVEN, port_no: '5001', image_path: './Files/images/registry.tar' },
      contents,
    );
    expect(RegistryParameters.parse(JSON.parse(JSON.stringify(kept)))).toEqual(kept);
  });
});
