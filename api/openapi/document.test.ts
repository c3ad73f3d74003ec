import { expect, it } from 'vitest';
import { startFileApi } from '../../test/testing/api/file-api.ts';
import { createRequestAudit } from '../audit/audit-requests.ts';
import { createApi } from '../create-api.ts';
import { apiContext } from '../dependencies.ts';
import { createPackageUploads } from '../vnfpkgm/package-uploads.ts';

const test = await startFileApi();
const { json: document } = await test.call('GET', '/vnflow/v1/openapi.json');

/** What Express keeps of a route or of a mounted router. */
interface Layer {
  readonly rawPath?: unknown;
  readonly route?: { readonly path: string };
  readonly handle: { readonly stack?: readonly Layer[] };
}

/** Paths of all routes of an Express application, as OpenAPI writes them. */
function pathsOf(layers: readonly Layer[], prefix = ''): string[] {
  return layers.flatMap(({ rawPath, route, handle }) => {
    if (route) return [`${prefix}${route.path}`.replaceAll(/[:*](\w+)/g, '{$1}')];
    return handle.stack ? pathsOf(handle.stack, `${prefix}${rawPath === '/' ? '' : String(rawPath)}`) : [];
  });
}

it('has every route of the application, and nothing else', () => {
  const context = apiContext(test.deps);
  const { router } = createApi(context, {
    uploads: createPackageUploads(context),
    audit: createRequestAudit(context),
  }) as unknown as { router: { stack: Layer[] } };
  const routes = pathsOf(router.stack).map((path) => (path === '/' ? path : path.replace(/\/$/, '')));
  expect(Object.keys(document.paths).sort()).toEqual(routes.sort());
});

it('says of every operation what it takes and what it answers', () => {
  for (const [path, item] of Object.entries<Record<string, { responses: Record<string, { content?: object }> }>>(
    document.paths,
  )) {
    for (const [method, { responses }] of Object.entries(item)) {
      const success = Object.keys(responses).filter((status) => status.startsWith('2'));
      expect([path, method, success.length > 0]).toEqual([path, method, true]);
      expect(responses['default']?.content).toBeDefined();
    }
  }
  const instantiate = document.paths['/vnflcm/v2/vnf_instances/{id}/instantiate'].post;
  expect(instantiate.requestBody.content['application/json'].schema.required).toContain('flavourId');
  expect(instantiate.parameters.map(({ name }: { name: string }) => name).sort()).toEqual(['Version', 'id']);
  const show = document.paths['/vnflcm/v2/vnf_instances/{id}'].get.responses;
  expect(show[200].content['application/json'].schema).toEqual({ $ref: '#/components/schemas/VnfInstance' });
});

it('has no broken reference', () => {
  const names = new Set(Object.keys(document.components.schemas));
  const used = [...JSON.stringify(document).matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(([, name]) => name);
  expect(used.filter((name) => !names.has(name ?? ''))).toEqual([]);
});
