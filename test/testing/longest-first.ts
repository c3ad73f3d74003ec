import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * The files that take more than a minute, the longest first, as measured on 2026-11-22. One that began last would run
 * alone at the end while the other processor has nothing to do. A clean clone has no times of an earlier run, by which
 * vitest would order the files: it would begin with those that have the most text.
 */
const LONGEST = [
  'test/durability.test.ts',
  'test/crash.test.ts',
  'test/outages.test.ts',
  'test/registry-durability.test.ts',
  'test/counts.test.ts',
  'test/restore.test.ts',
  'test/monolithic-script.test.ts',
  'test/stopped-workers.test.ts',
  'test/bad-days-cloud.test.ts',
  'test/v1-cluster.test.ts',
  'test/controls.test.ts',
  'simulator/test/restore.test.ts',
  'test/guide.test.ts',
  'test/pod-affinity.test.ts',
  'test/heal-control-plane.test.ts',
  'test/vim-registration.test.ts',
  'test/stuck-operation.test.ts',
];

/** From this number of files on, all tests run. */
const MANY = 150;

/** Begins with the longest files, then runs the other files of the whole system, then those of the rooms. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const places = new Map(LONGEST.map((file, index) => [file, index]));
    const nameOf = ({ moduleId, project }: TestSpecification) => moduleId.slice(project.config.root.length + 1);
    const present = new Set(files.map(nameOf));
    const gone = LONGEST.filter((file) => !present.has(file));
    if (files.length >= MANY && gone.length > 0)
      throw new Error(`test/testing/longest-first.ts names files that are gone: ${gone.join(', ')}`);
    const placeOf = (file: TestSpecification) =>
      places.get(nameOf(file)) ?? (file.project.config.isolate ? LONGEST.length : LONGEST.length + 1);
    return (await super.sort(files)).sort((one, other) => placeOf(one) - placeOf(other));
  }
}
