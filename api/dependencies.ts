import type { Logger } from 'pino';
import type { VnflowError } from '../domain/problems.ts';
import type { VimCredentials } from '../domain/vim-connection.ts';
import type { MetricsSource } from '../metrics/write-metrics.ts';
import { createHostRules, type HostRules } from '../network/host-rules.ts';
import type { AuditTrail } from '../store/audit-trail.ts';
import type { Database } from '../store/open-store.ts';
import type { Secrets } from '../store/secrets.ts';
import type { LcmEngine } from './engine.ts';
import { checkStore } from './health/check-store.ts';
import type { HealthCheck } from './health/checks.ts';
import { type BodyPace, DEFAULT_BODY_PACE } from './http/watch-body.ts';

/** The user that a token was issued to. */
export interface TokenOwner {
  readonly userName: string;
  /** Undefined when the token is not scoped to a project. */
  readonly projectId?: string;
  readonly roles: readonly string[];
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
}

/** What the API takes from a CSAR that was read. */
export interface OnboardableCsar {
  readonly vnfd: {
    readonly vnfdId: string;
    readonly provider: string;
    readonly productName: string;
    readonly softwareVersion: string;
    readonly vnfdVersion: string;
  };
  readonly checksum: { readonly algorithm: string; readonly hash: string };
  readonly softwareImages: readonly object[];
  readonly additionalArtifacts: readonly object[];
  /** All files. */
  readonly entries: readonly { readonly path: string }[];
  /** Files that vnflow reads again, by path. */
  readonly files: ReadonlyMap<string, Uint8Array>;
}

interface Limits {
  /** Bytes of a JSON body. */
  readonly jsonBytes: number;
  /** Bytes of an uploaded VNF package. */
  readonly packageBytes: number;
  /** Bytes of all packages of a project. */
  readonly projectBytes: number;
  /** Items of a page of VNF instances or operations; 0: no pages, as Tacker's default. */
  readonly pageSize: number;
  /** How slowly a body may come. */
  readonly bodyPace: BodyPace;
}

const DEFAULT_LIMITS: Limits = {
  jsonBytes: 1024 * 1024,
  packageBytes: 1024 ** 3,
  projectBytes: 10 * 1024 ** 3,
  pageSize: 0,
  bodyPace: DEFAULT_BODY_PACE,
};

/** The parts that the API uses. It gets them once, at its start. */
export interface ApiDependencies {
  readonly db: Database;
  readonly secrets: Secrets;
  readonly engine: LcmEngine;
  /** Reads and checks the archive in a file. @throws VnflowError CSAR_INVALID */
  readonly readCsar: (file: string) => Promise<OnboardableCsar>;
  /** Logs in to an OpenStack. @throws VnflowError VIM_CREDENTIALS, VIM_UNREACHABLE, … */
  readonly checkVim: (credentials: VimCredentials) => Promise<{ readonly regions: readonly string[] }>;
  /** Asks Keystone. @returns undefined when the token is not valid @throws VnflowError when Keystone gives no answer */
  readonly validateToken?: (token: string) => Promise<TokenOwner | undefined>;
  /** The URL where clients get tokens. Answers with status 401 contain it. */
  readonly authUrl?: string;
  /** For development on loopback only: every caller is a member of the project `noauth`. */
  readonly insecureNoAuth?: boolean;
  /** Base of absolute links, for example http://127.0.0.1:9890. */
  readonly endpoint: string;
  readonly log: Logger;
  readonly limits?: Partial<Limits>;
  /** Hosts that packages may be fetched from. Undefined: none on loopback, a link, a metadata service, or this machine. */
  readonly packageHosts?: HostRules;
  /** Hosts that VIMs may have. Undefined: as for packages. */
  readonly vimHosts?: HostRules;
  /** Factor by which a simulated cloud runs faster than real time. Undefined with a real cloud. */
  readonly speed?: number | undefined;
  /** Whether code of packages may run (`VNFLOW_ALLOW_PACKAGE_CODE`). Undefined: it may not. */
  readonly allowPackageCode?: boolean;
  /** Why nothing can be answered yet, for example because the store has never been reached. */
  readonly notReady?: () => VnflowError | undefined;
  /** Where writes and refused logins are noted. Undefined: in the log only. */
  readonly auditTrail?: AuditTrail;
  /** What operations need besides the store. */
  readonly checks?: readonly HealthCheck[];
  /** Metrics besides those of the process. Undefined: the API does not serve `/metrics`. */
  readonly metrics?: readonly MetricsSource[] | undefined;
}

/** `ApiDependencies` with all defaults filled in. */
export type ApiContext = Omit<ApiDependencies, 'limits' | 'packageHosts' | 'vimHosts' | 'checks'> & {
  readonly limits: Limits;
  /** The store's check comes first. */
  readonly checks: readonly HealthCheck[];
  readonly packageHosts: HostRules;
  readonly vimHosts: HostRules;
};

export function apiContext(deps: ApiDependencies): ApiContext {
  return {
    ...deps,
    endpoint: deps.endpoint.replace(/\/+$/, ''),
    limits: { ...DEFAULT_LIMITS, ...deps.limits },
    packageHosts: deps.packageHosts ?? createHostRules(),
    vimHosts: deps.vimHosts ?? createHostRules(),
    checks: [checkStore(deps.db, deps.notReady), ...(deps.checks ?? [])],
  };
}
