/** A release with a defect: every task of an instantiate fails. */
export async function instantiateVnf(): Promise<void> {
  throw new Error('a defect of this release');
}
