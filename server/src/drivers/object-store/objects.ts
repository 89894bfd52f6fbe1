import type { Readable } from 'node:stream';
import { readBytes, readText, type Send, type StoreAnswer } from './send.ts';
import { StoreError } from './store-error.ts';
import { elementsOf, textOf } from './xml.ts';

export type StoredObject = { key: string; sizeBytes: number };
/** Condition of a write: the object does not exist, or it is the one with this entity tag. */
export type WriteCondition = { ifAbsent: true } | { ifMatch: string };

type Cancel = { signal?: AbortSignal | undefined };
/** Pages of a list after which it is refused: a bucket that always names another page would never end. */
const mostPages = 1_000;

/** Returns undefined for an object that does not exist. */
export async function absentAsUndefined<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof StoreError && error.reason === 'not_found') return undefined;
    throw error;
  }
}

/** Entity tag of an answer. Throws `StoreError` for an answer without one. */
export function tagOf({ headers, body }: StoreAnswer): string {
  body.resume();
  if (headers.etag) return headers.etag;
  throw new StoreError('invalid_answer');
}

function sizeOf({ headers }: StoreAnswer): number {
  const size = Number(headers['content-length']);
  if (headers['content-length'] !== undefined && Number.isSafeInteger(size) && size >= 0) return size;
  throw new StoreError('invalid_answer');
}

const headersOf = (condition: WriteCondition | undefined): Record<string, string> => {
  if (!condition) return {};
  return 'ifAbsent' in condition ? { 'if-none-match': '*' } : { 'if-match': condition.ifMatch };
};

/** Reads, writes, lists and deletes whole objects. Every method throws `StoreError`. */
export const createObjects = (send: Send) => ({
  /** Writes a small object and returns its entity tag. Throws `changed` when the condition is not met. */
  async putBytes(key: string, body: Uint8Array, options: Cancel & { when?: WriteCondition } = {}): Promise<string> {
    const { when, signal } = options;
    return tagOf(await send({ method: 'PUT', key, body, headers: headersOf(when), signal }));
  },

  /** Reads a small object. Throws for one that is larger. */
  getBytes: (key: string, maxBytes: number, { signal }: Cancel = {}) =>
    absentAsUndefined(
      send({ method: 'GET', key, signal }).then(async (answer) => ({
        bytes: await readBytes(answer, maxBytes),
        tag: answer.headers.etag,
      })),
    ),

  /** Opens an object as a stream, which fails when it ends before its announced size. */
  openRead: (key: string, { signal }: Cancel = {}): Promise<{ body: Readable; sizeBytes: number } | undefined> =>
    absentAsUndefined(
      send({ method: 'GET', key, signal }).then((answer) => ({ body: answer.body, sizeBytes: sizeOf(answer) })),
    ),

  /** Returns the size of an object in bytes. */
  findSize: (key: string, { signal }: Cancel = {}): Promise<number | undefined> =>
    absentAsUndefined(
      send({ method: 'HEAD', key, signal }).then((answer) => {
        answer.body.resume();
        return sizeOf(answer);
      }),
    ),

  /** Deletes an object; one that does not exist is no error. */
  async delete(key: string, { signal }: Cancel = {}): Promise<void> {
    const answer = await absentAsUndefined(send({ method: 'DELETE', key, signal }));
    answer?.body.resume();
  },

  /** Lists the objects whose keys start with a prefix, in the order of the service. */
  async *list(prefix: string, { signal }: Cancel = {}): AsyncGenerator<StoredObject> {
    let token: string | undefined;
    for (let page = 0; page < mostPages; page += 1) {
      const query = { 'list-type': '2', prefix, ...(token !== undefined && { 'continuation-token': token }) };
      const xml = await readText(await send({ method: 'GET', query, signal }));
      if (!/<ListBucketResult[\s>]/.test(xml)) throw new StoreError('invalid_answer');
      for (const element of elementsOf(xml, 'Contents')) yield listedOf(element);
      if (textOf(xml, 'IsTruncated') !== 'true') return;
      token = textOf(xml, 'NextContinuationToken');
      if (!token) throw new StoreError('invalid_answer');
    }
    throw new StoreError('invalid_answer');
  },
});

function listedOf(element: string): StoredObject {
  const key = textOf(element, 'Key');
  const sizeBytes = Number(textOf(element, 'Size'));
  if (!key || !Number.isSafeInteger(sizeBytes)) throw new StoreError('invalid_answer');
  return { key, sizeBytes };
}
