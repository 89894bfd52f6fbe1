import { exportsApi } from '#shared/exports/api';
import { type ExportCapsule, ExportLine } from '#shared/exports/contract';
import { fullPath } from '#shared/kernel/endpoint';
import { failed, wrongUse } from '../exit-codes.ts';
import { requestBytes } from '../request-bytes.ts';
import type { Server } from './server.ts';

type ExportRequest = { capsuleId: string; body: ExportCapsule; signal: AbortSignal };

/** Requests the export of a Capsule as the operator, and reads its lines as they arrive. Throws `ApiError` for a refusal. */
export async function* requestExport(
  { location: { credential } }: Pick<Server, 'location'>,
  { capsuleId, body, signal }: ExportRequest,
): AsyncGenerator<ExportLine> {
  if (credential.kind !== 'operator') throw wrongUse('Only the operator may do this. Use --data-dir DIR.');
  const path = fullPath(exportsApi.exportCapsule).replace(':capsuleId', encodeURIComponent(capsuleId));
  const { token } = credential;
  const { chunks } = await requestBytes(credential.origin() + path, { method: 'POST', token, body, signal });
  yield* readLines(chunks, signal);
}

async function* readLines(body: AsyncIterable<Uint8Array>, signal: AbortSignal): AsyncGenerator<ExportLine> {
  const decoder = new TextDecoder();
  let pieces: string[] = [];
  for await (const chunk of body) {
    signal.throwIfAborted();
    const [first = '', ...rest] = decoder.decode(chunk, { stream: true }).split('\n');
    pieces.push(first);
    for (const piece of rest) {
      yield parseLine(pieces.join(''));
      pieces = [piece];
    }
  }
}

function parseLine(text: string): ExportLine {
  const parsed = ExportLine.safeParse(JSON.parse(text));
  if (parsed.success) return parsed.data;
  throw failed('export_incomplete', 'The server sent an export that cannot be read. Use the groundctl of its version.');
}
