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
