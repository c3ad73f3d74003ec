import { z } from 'zod';

/** A member as `etcdctl member list` prints it. Ids are uint64 and stay text: as numbers they would be rounded. */
export interface EtcdMember {
  /** The id of the member, hexadecimal. */
  readonly id: string;
  readonly started: boolean;
  /** Empty as long as it has not started. */
  readonly name: string;
  readonly peerUrls: readonly string[];
  readonly learner: boolean;
}

const MEMBER = /^([0-9a-f]+), (started|unstarted), ([^,]*), ([^,]*), ([^,]*), (true|false)$/;

/** @throws SyntaxError at a line that is no member (`Error: …` for example) */
export function parseMemberList(text: string): EtcdMember[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .map((line) => {
      const [, id, state, name = '', peers = '', , learner] = MEMBER.exec(line) ?? [];
      if (id === undefined) throw new SyntaxError(`is no line of etcdctl member list: ${line.slice(0, 200)}`);
      return {
        id,
        started: state === 'started',
        name,
        peerUrls: peers.split(';').filter(Boolean),
        learner: learner === 'true',
      };
    });
}

/** `https://10.10.0.11:2380` → `10.10.0.11` */
export function addressOfPeer(url: string): string {
  return url.replace(/^https?:\/\//, '').replace(/:\d+$/, '');
}

/** The member that an interrupted join of this address left behind: it was added and never started. */
export function leftoverOf(members: readonly EtcdMember[], address: string): EtcdMember | undefined {
  return members.find(({ started, peerUrls }) => !started && peerUrls.includes(`https://${address}:2380`));
}

const PeerMembers = z.array(
  z.object({
    id: z.string().regex(/^\d+$/),
    name: z.string().default(''),
    peerURLs: z.array(z.string()),
    isLearner: z.boolean().default(false),
  }),
);

/**
 * Reads the members as etcd lists them on its peer port (`GET /members`): its own copy, also without a majority.
 * @throws SyntaxError, ZodError
 */
export function parsePeerMembers(text: string): EtcdMember[] {
  const exact = text.replace(/"id":(\d+)/g, '"id":"$1"'); // as a number the id would be rounded
  return PeerMembers.parse(JSON.parse(exact)).map(({ id, name, peerURLs, isLearner }) => ({
    id: BigInt(id).toString(16),
    started: name !== '', // a member publishes its name when it has started
    name,
    peerUrls: peerURLs,
    learner: isLearner,
  }));
}

/**
 * The member without which etcd has no majority although it has never started: the only member got a second voter, and
 * the join of that one was cut off. With any other number of members the started ones are a majority without it.
 * @param own address of the node that lists the members
 * @param joining address of the node whose join was cut off
 */
export function stallingMember(
  members: readonly EtcdMember[],
  { own, joining }: { readonly own: string; readonly joining: string },
): EtcdMember | undefined {
  const leftover = leftoverOf(members, joining);
  const [other, ...more] = members.filter((member) => member !== leftover);
  if (!leftover || leftover.learner || !other || more.length > 0) return undefined;
  const isOwn = other.peerUrls.map(addressOfPeer).includes(own);
  return isOwn && other.started && !other.learner ? leftover : undefined;
}
