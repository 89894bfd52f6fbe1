import { publicApi } from '#shared/api';
import type { Import } from '#shared/imports/contract';
import { fullPath } from '#shared/kernel/endpoint';
import { rawRequest } from './raw-request.ts';

/** Uploads a state file as it is. The same bytes again find the same import. */
export async function uploadState(workspaceId: string, file: File): Promise<Import> {
  const path = fullPath(publicApi.uploadImport).replace(':workspaceId', encodeURIComponent(workspaceId));
  const headers = { 'content-type': 'application/octet-stream' };
  const answer = await rawRequest(path, { method: 'POST', body: file, headers });
  return ((await answer.json()) as { import: Import }).import;
}
