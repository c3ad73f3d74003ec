import express, { type Express, type Router } from 'express';
import type { createRequestAudit } from './audit/audit-requests.ts';
import { auditResources } from './audit/audit-resources.ts';
import { createAuthenticate } from './auth/authenticate.ts';
import type { ApiContext } from './dependencies.ts';
import { healthRoutes } from './health/health-routes.ts';
import { createHostCheck, refuseTwoHosts } from './http/check-host.ts';
import {
  type Dialect,
  packageDialect,
  solDialect,
  solV1Dialect,
  solVersionsDialect,
  vimDialect,
  vnflowDialect,
} from './http/dialect.ts';
import { type Endpoints, withoutBody } from './http/endpoint.ts';
import { measureRequests } from './http/measure-requests.ts';
import { errorHandler, resourceRouter } from './http/resources.ts';
import { traceRequests } from './http/trace-requests.ts';
import { vnfInstanceResources as v1InstanceResources } from './v1/vnf-instances.ts';
import { vnfLcmOpOccResources as v1OpOccResources } from './v1/vnf-lcm-op-occs.ts';
import { vnfInstanceResources } from './v2/vnf-instances.ts';
import { vnfLcmOpOccResources } from './v2/vnf-lcm-op-occs.ts';
import { vimResources } from './vims/vims.ts';
import { apiVersions } from './vnflcm/api-versions.ts';
import { vnflowResources } from './vnflow/vnflow-resources.ts';
import type { PackageUploads } from './vnfpkgm/package-uploads.ts';
import { vnfPackageResources } from './vnfpkgm/vnf-packages.ts';

export interface ApiParts {
  readonly uploads: PackageUploads;
  readonly audit: ReturnType<typeof createRequestAudit>;
  /** True when the API listens on loopback: then requests for other hosts are refused. */
  readonly localOnly?: boolean;
}

/**
 * The HTTP API: vnflcm v1 and v2, vnfpkgm v1 and VIMs as Tacker serves them, and vnflow's own resources.
 * @throws Error when there is no way to authenticate and `insecureNoAuth` is not set
 */
export function createApi(context: ApiContext, { uploads, audit, localOnly = false }: ApiParts): Express {
  const authenticate = createAuthenticate(context);
  const router = (dialect: Dialect, resources: Record<string, Endpoints>, notOffered: readonly RegExp[] = []): Router =>
    resourceRouter(resources, { dialect, context, authenticate, notOffered });

  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.enable('case sensitive routing');
  app.use((request, _response, next) => {
    refuseTwoHosts(request);
    next();
  });
  if (localOnly) app.use(refuseOtherHosts(context.endpoint));
  app.use(withOneLeadingSlash);
  app.use(audit.handler);
  app.use(measureRequests);
  app.use(traceRequests);
  app.use(healthRoutes(context));
  app.use('/vnflcm/v2/api_versions', router(solVersionsDialect, { '/': apiVersions('/vnflcm/v2') }));
  app.use('/vnflcm/api_versions', router(solVersionsDialect, { '/': apiVersions('/vnflcm') }));
  const v1 = { ...v1InstanceResources(context), ...v1OpOccResources(context) };
  const v2 = { ...vnfInstanceResources(context), ...vnfLcmOpOccResources(context) };
  app.use(
    '/vnflcm/v1',
    router(solV1Dialect, { '/api_versions': apiVersions('/vnflcm/v1'), ...v1 }, [OTHER_TASKS, SUBSCRIPTIONS]),
  );
  app.use('/vnflcm/v2', router(solDialect, v2, [OTHER_TASKS, SUBSCRIPTIONS]));
  app.use('/vnfpkgm/v1', router(packageDialect, vnfPackageResources(context, uploads), [SUBSCRIPTIONS]));
  app.use('/v1.0', withoutJsonSuffix, router(vimDialect, vimResources(context)));
  app.use('/vnflow/v1', router(vnflowDialect, { ...vnflowResources(context), ...auditResources(context) }));
  app.use(router(vnflowDialect, { '/': versionList(context.endpoint) }, [OTHER_APIS]));
  app.use(errorHandler(context));
  return app;
}

/** A task that a VNF instance does not support is no resource: SOL003 5.4.5 to 5.4.11 want 404. */
const OTHER_TASKS = /^\/vnf_instances\/[^/]+\/(change_ext_conn|change_vnfpkg|change_flavour|scale_to_level|operate)$/;
const OTHER_APIS = /^\/(vnffm|vnfpm)\//;
const SUBSCRIPTIONS = /^\/(subscriptions)(?:\/[^/]+)?$/;

/**
 * An endpoint that is configured with a slash at its end makes clients request `//vnflcm/…`, and so do ETSI's
 * conformance suites. Tacker's HTTP server (Python's) makes one slash of them, too.
 */
const withOneLeadingSlash: express.RequestHandler = (request, _response, next) => {
  const url = request.url.replace(/^\/{2,}/, '/');
  request.url = url;
  request.originalUrl = url;
  next();
};

function refuseOtherHosts(endpoint: string): express.RequestHandler {
  const check = createHostCheck(endpoint);
  return (request, _response, next) => {
    check(request);
    next();
  };
}

/** Clients of v1.0 write `/vims.json` and `/vims/{id}.json`. */
const withoutJsonSuffix: express.RequestHandler = (request, _response, next) => {
  request.url = request.url.replace(/\.json(?=$|\?)/, '');
  next();
};

/** Answers with the API versions under a prefix. */
function versionList(endpoint: string): Endpoints {
  const version = (id: string, path: string) => ({
    id,
    status: 'CURRENT',
    links: [{ rel: 'self', href: `${endpoint}${path}` }],
  });
  return {
    GET: withoutBody(async () => ({
      status: 200,
      json: {
        versions: [
          version('v2.0', '/vnflcm/v2'),
          version('v1.0', '/vnflcm/v1'),
          version('v1.0', '/vnfpkgm/v1'),
          version('v1.0', '/v1.0'),
        ],
      },
    })),
  };
}
