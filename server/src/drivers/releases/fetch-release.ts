import type { ReleaseChannel } from './release-channel.ts';
import { maxRecordBytes, ReleaseError, type ReleaseRecord, readRecord, recordName } from './release-record.ts';

const fetchMs = 20_000;

/** Fetches the record of the latest release and checks its signature. Throws `ReleaseError`. */
export async function fetchRelease(channel: ReleaseChannel, signal?: AbortSignal): Promise<ReleaseRecord> {
  const limit = AbortSignal.timeout(fetchMs);
  const text = await fetchText(new URL(recordName, channel.url), signal ? AbortSignal.any([limit, signal]) : limit);
  return readRecord(text, channel.publicKey);
}

async function fetchText(url: URL, signal: AbortSignal): Promise<string> {
  const headers = { accept: 'application/json', 'cache-control': 'no-cache' };
  const answer = await fetch(url, { headers, signal }).catch(() => {
    throw unreachable(url);
  });
  if (!answer.ok)
    throw new ReleaseError(`${url.origin} answers ${answer.status} for the latest release. Try again later.`);
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of answer.body ?? []) {
      size += chunk.length;
      if (size > maxRecordBytes) throw new ReleaseError('The release record is larger than a record can be.');
      chunks.push(chunk);
    }
  } catch (error) {
    throw error instanceof ReleaseError ? error : unreachable(url);
  }
  return Buffer.concat(chunks).toString('utf8');
}

const unreachable = (url: URL) =>
  new ReleaseError(`${url.origin} cannot be reached. Check the network connection and try again.`);
