/** One text that the install page takes apart again into address, ref and folder. */
export function installAddress({ url, ref, path }: { url: string; ref: string; path: string }): string {
  const folder = path === '.' ? '' : `//${path.split('/').map(encodeURIComponent).join('/')}`;
  return `${url}${folder}${ref === 'HEAD' ? '' : `?ref=${encodeURIComponent(ref)}`}`;
}
