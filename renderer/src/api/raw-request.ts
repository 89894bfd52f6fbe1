import { ApiError, lost } from './client.ts';

/**
 * Requests a route whose body or answer is a file, with the session of this origin. Throws `ApiError` on a refusal and
 * `OfflineError` when the server cannot be reached.
 */
export async function rawRequest(path: string, init: RequestInit): Promise<Response> {
  const answer = await fetch(path, { credentials: 'same-origin', ...init }).catch(lost);
  if (answer.ok) return answer;
  const body = (await answer.json()) as { error: { code: string; message: string } };
  throw new ApiError(answer.status, body.error);
}
