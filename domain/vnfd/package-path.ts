/**
 * Resolves a path that a file of a package gives: `Definitions/a.yaml` and `../Files/x` → `Files/x`. What leads out of
 * the package stays as written: no entry has such a name.
 */
export function resolveInPackage(fromFile: string, relative: string): string {
  const parts = fromFile.split('/').slice(0, -1);
  for (const part of relative.split('/')) {
    if (part === '..' && parts.length > 0) parts.pop();
    else if (part !== '.' && part !== '') parts.push(part);
  }
  return parts.join('/');
}

/** Does an artifact or an import lie outside of the package? */
export function isUri(file: string): boolean {
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(file);
}
