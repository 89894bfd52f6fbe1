import { type FileHandle, open } from 'node:fs/promises';
import { absentAsUndefined, tagOf } from './objects.ts';
import { readText, type Send } from './send.ts';
import { refusalOf, StoreError } from './store-error.ts';
import { elementsOf, escapeXml, textOf } from './xml.ts';

export type FileUpload = {
  key: string;
  file: string;
  /** Upload of an earlier attempt. Its parts are not sent again. */
  uploadId?: string | undefined;
  /** Is called with the id of a new upload before its first part is sent. */
  onUpload: (uploadId: string) => void;
  signal?: AbortSignal | undefined;
};

type Part = { number: number; tag: string; sizeBytes: number };
type Upload = { key: string; uploadId: string; signal: AbortSignal | undefined };

/** S3 allows 10,000 parts of at least 5 MiB, except the last. */
const mostParts = 10_000;
const leastPartBytes = 8_388_608;

/** Size of the parts of a file: the same in every attempt, so that the parts of an earlier one fit. */
const partSizeOf = (fileBytes: number, least: number): number => Math.max(least, Math.ceil(fileBytes / mostParts));

/** Sends files in parts. An upload continues after a crash with the parts that the service already has. */
export function createMultipart(send: Send, { partBytes = leastPartBytes }: { partBytes?: number | undefined } = {}) {
  async function start({ key, signal }: Omit<Upload, 'uploadId'>): Promise<string> {
    const xml = await readText(await send({ method: 'POST', key, query: { uploads: '' }, signal }));
    const uploadId = textOf(xml, 'UploadId');
    if (!uploadId) throw new StoreError('invalid_answer');
    return uploadId;
  }

  /** Lists the stored parts; undefined when the upload ended. */
  async function listParts(upload: Upload): Promise<Part[] | undefined> {
    const parts: Part[] = [];
    let marker = '0';
    for (let page = 0; page < mostParts; page += 1) {
      const xml = await absentAsUndefined(listPage(upload, marker));
      if (xml === undefined) return undefined;
      parts.push(...elementsOf(xml, 'Part').map(partOf));
      if (textOf(xml, 'IsTruncated') !== 'true') return parts;
      const next = textOf(xml, 'NextPartNumberMarker');
      if (!next || Number(next) <= Number(marker)) break;
      marker = next;
    }
    throw new StoreError('invalid_answer');
  }
  const listPage = async ({ key, uploadId, signal }: Upload, marker: string) =>
    readText(await send({ method: 'GET', key, query: { uploadId, 'part-number-marker': marker }, signal }));

  async function sendPart({ key, uploadId, signal }: Upload, number: number, body: Uint8Array): Promise<Part> {
    const query = { partNumber: String(number), uploadId };
    return { number, tag: tagOf(await send({ method: 'PUT', key, query, body, signal })), sizeBytes: body.byteLength };
  }

  /** The service joins the parts. It may report a failure after it has answered with success. */
  async function complete({ key, uploadId, signal }: Upload, parts: readonly Part[]): Promise<void> {
    const list = parts.map(
      ({ number, tag }) => `<Part><PartNumber>${number}</PartNumber><ETag>${escapeXml(tag)}</ETag></Part>`,
    );
    const body = Buffer.from(`<CompleteMultipartUpload>${list.join('')}</CompleteMultipartUpload>`);
    const xml = await readText(await send({ method: 'POST', key, query: { uploadId }, body, signal }));
    if (xml.includes('<Error>')) throw refusalOf(500, textOf(xml, 'Code'));
    if (!xml.includes('CompleteMultipartUploadResult')) throw new StoreError('invalid_answer');
  }

  return {
    /** Sends a file. Throws `StoreError`; the same call with the id of the upload continues it. */
    async putFile({ key, file, uploadId, onUpload, signal }: FileUpload): Promise<void> {
      const handle = await open(file, 'r');
      try {
        const { size } = await handle.stat();
        const partSize = partSizeOf(size, partBytes);
        const known = uploadId === undefined ? undefined : await listParts({ key, uploadId, signal });
        const upload = { key, uploadId: known && uploadId ? uploadId : await start({ key, signal }), signal };
        if (!known) onUpload(upload.uploadId);
        const stored = new Map((known ?? []).map((part) => [part.number, part]));
        const parts: Part[] = [];
        const count = Math.max(1, Math.ceil(size / partSize));
        for (let number = 1; number <= count; number += 1) {
          const from = (number - 1) * partSize;
          const length = Math.min(partSize, size - from);
          const earlier = stored.get(number);
          parts.push(
            earlier?.sizeBytes === length
              ? earlier
              : await sendPart(upload, number, await readPart(handle, from, length)),
          );
        }
        await complete(upload, parts);
      } finally {
        await handle.close();
      }
    },

    /** Deletes the parts of an upload that will not be completed. */
    async abortUpload(key: string, uploadId: string, { signal }: { signal?: AbortSignal } = {}): Promise<void> {
      const answer = await absentAsUndefined(send({ method: 'DELETE', key, query: { uploadId }, signal }));
      answer?.body.resume();
    },
  };
}

async function readPart(handle: FileHandle, from: number, length: number): Promise<Uint8Array> {
  const bytes = Buffer.alloc(length);
  let read = 0;
  while (read < length) {
    const { bytesRead } = await handle.read(bytes, read, length - read, from + read);
    if (bytesRead === 0) throw new Error('The file became shorter while it was sent.');
    read += bytesRead;
  }
  return bytes;
}

function partOf(element: string): Part {
  const number = Number(textOf(element, 'PartNumber'));
  const sizeBytes = Number(textOf(element, 'Size'));
  const tag = textOf(element, 'ETag');
  if (!Number.isSafeInteger(number) || !Number.isSafeInteger(sizeBytes) || !tag) throw new StoreError('invalid_answer');
  return { number, sizeBytes, tag };
}
