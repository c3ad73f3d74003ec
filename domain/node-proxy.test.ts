import { describe, expect, it } from 'vitest';
import { nodeProxy, type ProxyParameters, proxyProblem } from './node-proxy.ts';

const cluster = {
  networks: ['192.168.0.0/16', '10.199.187.0/24'],
  hosts: ['10.10.0.57', '10.10.0.100', '10.10.0.57'],
};
const LOCAL = ['localhost', '127.0.0.1', '::1', '.svc', '.cluster.local'];
const URL = 'http://user1:password1@proxy.example.com:3128';

describe('the proxy of a node', () => {
  it('reaches without the proxy what the request says, the cluster, and every address of the network of the nodes', () => {
    const proxy = nodeProxy(
      { http_proxy: URL, no_proxy: ' 192.168.246.1/24, 10.0.0.1,', k8s_node_cidr: '10.10.0.58/30' },
      cluster,
    );
    expect(proxy).toEqual({
      http: URL,
      exceptions: [
        ...['192.168.246.0/24', '10.0.0.1'],
        ...LOCAL,
        ...['10.10.0.57', '10.10.0.100', '192.168.0.0/16', '10.199.187.0/24'],
        ...['10.10.0.56', '10.10.0.58', '10.10.0.59'],
      ],
    });
  });

  it('lists the addresses of a /20, and leaves a larger network a network', () => {
    const exceptions = (cidr: string) =>
      nodeProxy({ https_proxy: URL, k8s_node_cidr: cidr }, cluster)?.exceptions ?? [];
    expect(exceptions('10.20.0.0/20')).toHaveLength(LOCAL.length + 4 + 4096);
    expect(exceptions('10.20.1.0/19')).toEqual([
      ...LOCAL,
      ...new Set(cluster.hosts),
      '192.168.0.0/16',
      '10.199.187.0/24',
      '10.20.0.0/19',
    ]);
    // Linux allows 128 KiB for one variable
    const longest = nodeProxy(
      { http_proxy: URL, no_proxy: 'a'.repeat(16_384), k8s_node_cidr: '100.100.240.0/20' },
      cluster,
    );
    expect(longest?.exceptions.join(',').length).toBeLessThan(100_000);
  });

  it('is none when the request names none', () => {
    expect(nodeProxy(undefined, cluster)).toBeUndefined();
    expect(nodeProxy({ http_proxy: '', no_proxy: '10.0.0.1', k8s_node_cidr: '10.10.0.0/24' }, cluster)).toBeUndefined();
  });
});

describe('the check of a request', () => {
  it.each<ProxyParameters>([
    {},
    { http_proxy: '', https_proxy: '', no_proxy: '', k8s_node_cidr: '' },
    { http_proxy: 'http://10.0.0.1:3128' },
    { http_proxy: 'HTTP://proxy:1/', https_proxy: 'https://u:p%40ss%2Fword%25@proxy.example.com:65535' },
    { http_proxy: 'http://token@proxy_1.example.com:8080' },
    { https_proxy: 'http://user:a:b@proxy:3128' },
    { no_proxy: '192.168.246.0/24,10.0.0.1' },
    { no_proxy: '*, .example.com,*.example.org, mirror:8080, fd00::/8, ::1, 192.168.3.0/16, registry.example.com.' },
    { k8s_node_cidr: '10.10.0.7/24' },
  ])('accepts %j', (given) => {
    expect(proxyProblem(given)).toBeUndefined();
  });

  it.each([
    ['a host without scheme', 'proxy.example.com:3128', /begins with http:\/\/ or https:\/\//],
    ['another scheme', 'socks5://proxy.example.com:1080', /begins with http/],
    ['ftp', 'ftp://proxy:3128', /begins with http/],
    ['a space in front', ' http://proxy:3128', /begins with http/],
    ['a space', 'http://user:pass word@proxy:3128', /not allowed; percent-encode/],
    ['a newline', 'http://proxy:3128\n', /not allowed/],
    ['a carriage return', 'http://proxy:3128\r', /not allowed/],
    ['a NUL', 'http://proxy:3128\0', /not allowed/],
    ['a double quote', 'http://proxy:3128"', /not allowed/],
    ['a quote', "http://proxy:3128'", /not allowed/],
    ['a backslash', 'http://user\\:x@proxy:3128', /not allowed/],
    ['a dollar sign', 'http://$HOME@proxy:3128', /not allowed/],
    ['a backtick', 'http://`id`@proxy:3128', /not allowed/],
    ['a semicolon', 'http://proxy:3128;reboot', /not allowed/],
    ['a hash', 'http://user:pa#ss@proxy:3128', /not allowed/],
    ['a question mark', 'http://proxy:3128?x', /not allowed/],
    ['a letter that is not ASCII', 'http://pröxy:3128', /not allowed/],
    ['brackets', 'http://[::1]:3128', /not allowed/],
    ['a lone percent sign', 'http://user:100%@proxy:3128', /percent sign/],
    ['an encoded newline', 'http://user:a%0Ab@proxy:3128', /percent sign/],
    ['an encoded NUL', 'http://user:a%00b@proxy:3128', /percent sign/],
    [
      'the placeholder of the guides',
      'http://user1:password1@host1:port1',
      /host1:port1 is the placeholder of the guides/,
    ],
    ['the other placeholder', 'https://user2:password2@host2:port2', /host2:port2 is the placeholder/],
    ['no host', 'http://:3128', /must name a host/],
    ['only a scheme', 'http://', /must name a host/],
    ['no port', 'http://proxy.example.com', /must name a port/],
    ['an empty port', 'http://proxy:', /port from 1 to 65535/],
    ['port 0', 'http://proxy:0', /port from 1 to 65535/],
    ['port 65536', 'http://proxy:65536', /port from 1 to 65535/],
    ['a word as port', 'http://proxy:squid', /port from 1 to 65535/],
    ['a path', 'http://proxy:3128/proxy.pac', /must have the form/],
    ['two at signs', 'http://user:p@ss@proxy:3128', /must have the form/],
    ['a slash in the password', 'http://user:pa/ss@proxy:3128', /must have the form/],
    ['a password without user', 'http://:secret@proxy:3128', /no user name/],
    ['an address that is none', 'http://10.0.0.256:3128', /must name a host/],
    ['an option as host', 'http://-x:3128', /must name a host/],
    ['two dots', 'http://proxy..example.com:3128', /must name a host/],
    ['a long URL', `http://user:${'x'.repeat(2048)}@proxy:3128`, /longer than 2048/],
  ])('refuses %s as http_proxy and as https_proxy', (_name, url, words) => {
    for (const member of ['http_proxy', 'https_proxy'] as const) {
      const problem = proxyProblem({ [member]: url });
      expect(problem).toEqual({ member, sentence: expect.stringMatching(words) });
      // the placeholder is no secret
      if (!url.includes(':port')) expect(problem?.sentence).not.toMatch(/secret|pass word|pa.ss|p@ss|100%@/);
    }
  });

  it.each([
    ['a space between two entries', '10.0.0.1 10.0.0.2', /entry 1 /],
    ['a quote', '10.0.0.1,"', /entry 2 /],
    ['a command', '10.0.0.1,$(reboot)', /entry 2 /],
    ['a newline within', '10.0.0.1,a\nb', /entry 2 /],
    ['a network that is none', '10.0.0.0/33', /entry 1 /],
    ['an address that is none', '.example.com,10.0.0.300', /entry 2 /],
    ['a URL', 'http://mirror', /entry 1 /],
    ['a port that is none', 'mirror:x', /entry 1 /],
    ['a star inside', 'a*b', /entry 1 /],
    ['a long list', `${'a,'.repeat(9000)}`, /longer than 16384/],
  ])('refuses %s in no_proxy', (_name, list, words) => {
    expect(proxyProblem({ no_proxy: list })).toEqual({ member: 'no_proxy', sentence: expect.stringMatching(words) });
  });

  it('refuses a network where no node can be', () => {
    for (const cidr of [
      '0.0.0.0/0',
      '127.0.0.0/8',
      '169.254.0.0/16',
      '10.10.0.0',
      '10.10.0.0/31',
      '10.10.0.1/32',
      '10.10.0.0/24,10.11.0.0/24',
    ]) {
      expect(proxyProblem({ k8s_node_cidr: cidr })).toMatchObject({ member: 'k8s_node_cidr' });
    }
  });
});
