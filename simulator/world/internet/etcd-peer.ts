import { X509Certificate } from 'node:crypto';
import type { EtcdMember } from '../cluster/clusters.ts';
import { hostNode } from '../cluster/endpoints.ts';
import { clusterOnNode, convertToDecimal, memberRuns } from '../cluster/etcd.ts';
import { publicKeyHash } from '../cluster/pki.ts';
import { isUp } from '../nodes/node.ts';
import type { SimNode } from '../world.ts';

/** The certificates of a client of etcd's peer port. */
export interface PeerCaller {
  /** PEM of the only trusted authority. Undefined when the client trusts every server. */
  readonly authority?: string;
  /** PEM of the client's own certificate. */
  readonly certificate?: string;
  /** True when the client speaks HTTP/1.1. Undefined when it prefers HTTP/2. */
  readonly http1?: boolean;
}

type PeerAnswer =
  | { readonly kind: 'answer'; readonly status: number; readonly body: string }
  | { readonly kind: 'failed'; readonly code: 18 | 56 | 60; readonly reason: string };

const AUTHORITY = '/etc/kubernetes/pki/etcd/ca.crt';

/**
 * Answers GET /members on port 2380, on which etcd listens for its peers. It answers from its own copy, with or without
 * a majority, and in all versions: etcdctl 3.5 and later list members through the majority only. Undefined when no
 * etcd runs there, or for another URL.
 */
export function etcdPeerAnswer(from: SimNode, url: URL, caller: PeerCaller): PeerAnswer | undefined {
  if (url.protocol !== 'https:' || url.port !== '2380' || url.hostname === '127.0.0.1') return undefined;
  const node = hostNode(from, url.hostname);
  if (!node || node === 'no-host' || !isUp(node)) return undefined;
  const found = clusterOnNode(node.world, node);
  if (!found || !memberRuns(node.world, found.cluster, found.member)) return undefined;
  const authority = node.root.readText(AUTHORITY);
  if (caller.authority !== undefined && publicKeyHash(caller.authority) !== publicKeyHash(authority)) {
    return { kind: 'failed', code: 60, reason: 'SSL certificate problem: unable to get local issuer certificate' };
  }
  if (caller.certificate === undefined || !isIssuedBy(caller.certificate, authority)) {
    const reason = 'OpenSSL SSL_read: error:0A000412:SSL routines::sslv3 alert bad certificate, errno 0';
    return { kind: 'failed', code: 56, reason };
  }
  if (!caller.http1) {
    const reason = 'HTTP/2 stream 1 was not closed cleanly before end of the underlying stream';
    return { kind: 'failed', code: 18, reason };
  }
  if (url.pathname !== '/members') return { kind: 'answer', status: 404, body: '404 page not found\n' };
  return { kind: 'answer', status: 200, body: `[${found.cluster.etcd.members.map(memberJson).join(',')}]\n` };
}

function isIssuedBy(certificate: string, authority: string): boolean {
  return new X509Certificate(certificate).verify(new X509Certificate(authority).publicKey);
}

/** A member as Go writes it: empty texts are left out, and the id is a number above 2^53. */
function memberJson({ id, address, learner, started, name }: EtcdMember): string {
  const parts = [`"id":${convertToDecimal(id)}`, `"peerURLs":["https://${address}:2380"]`];
  if (learner) parts.push('"isLearner":true');
  if (started) parts.push(`"name":"${name}"`, `"clientURLs":["https://${address}:2379"]`);
  return `{${parts.join(',')}}`;
}
