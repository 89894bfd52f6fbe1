/** Combines address, ref and folder into one text that the install page parses again. */
export function installAddress({ url, ref, path }: { url: string; ref: string; path: string }): string {
  const folder = path === '.' ? '' : `//${path.split('/').map(encodeURIComponent).join('/')}`;
  return `${url}${folder}${ref === 'HEAD' ? '' : `?ref=${encodeURIComponent(ref)}`}`;
}
