/** One thing that a process needs. */
export interface HealthCheck {
  readonly name: 'store' | 'temporal' | 'workers' | 'keystone' | 'worker';
  /**
   * Looks at the thing once.
   * @throws Error with a sentence for people when it cannot be used. It contains no address and no secret, because
   * health needs no token.
   */
  look(): Promise<void>;
}

interface CheckResult {
  readonly name: HealthCheck['name'];
  readonly ok: boolean;
  /** Why it cannot be used. */
  readonly problem?: string;
}

export interface Readiness {
  readonly ready: boolean;
  readonly checks: readonly CheckResult[];
}

const CHECK_LIMIT_MS = 2_000;
/** Load balancers, kubelets and people ask at once: they share one look within this time. */
const KEPT_MS = 1_000;

/** Runs checks side by side, each for at most two seconds, and keeps the result for one second. */
export function createReadiness(checks: readonly HealthCheck[]): () => Promise<Readiness> {
  let kept: { readonly at: number; readonly result: Promise<Readiness> } | undefined;
  return () => {
    if (kept === undefined || Date.now() - kept.at > KEPT_MS) kept = { at: Date.now(), result: runChecks(checks) };
    return kept.result;
  };
}

async function runChecks(checks: readonly HealthCheck[]): Promise<Readiness> {
  const results = await Promise.all(checks.map(runCheck));
  return { ready: results.every(({ ok }) => ok), checks: results };
}

async function runCheck({ name, look }: HealthCheck): Promise<CheckResult> {
  const late = Promise.withResolvers<string>();
  const timer = setTimeout(() => late.resolve(`no answer within ${CHECK_LIMIT_MS / 1000} s`), CHECK_LIMIT_MS);
  const looked = look().then(
    () => undefined,
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  );
  const problem = await Promise.race([looked, late.promise]);
  clearTimeout(timer);
  return { name, ok: problem === undefined, ...(problem === undefined ? {} : { problem }) };
}
