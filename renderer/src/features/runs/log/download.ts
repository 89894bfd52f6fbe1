import { ApiError, OfflineError } from '../../../api/client.ts';

/** Saves the whole log as a text file. Throws the refusal of the server or the network error. */
export async function downloadLog(runId: string): Promise<void> {
  const answer = await fetch(`/api/v1/runs/${encodeURIComponent(runId)}/logs`, {
    credentials: 'same-origin',
    headers: { accept: 'text/plain' },
  }).catch(() => {
    throw new OfflineError();
  });
  if (!answer.ok) {
    const { error } = (await answer.json()) as { error: { code: string; message: string } };
    throw new ApiError(answer.status, error);
  }
  const address = URL.createObjectURL(await answer.blob());
  const link = document.createElement('a');
  link.href = address;
  link.download = `${runId}.log`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
