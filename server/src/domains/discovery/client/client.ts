import { operations } from './operations.ts';
import { callOperation, createSend, type Input, type Operation } from './request.ts';
import { readRunEvents } from './stream.ts';
import type { CallOptions, ClientOptions, EventsOptions } from './surface.ts';

export { ApiError, NoAnswerError } from './request.ts';

/** Typed calls of every operation, pages of its lists, and the live events of a Run. Its types are generated from the endpoint tables. */
export function createClient(options: ClientOptions): Record<string, unknown> {
  const send = createSend(options);
  const call = (operation: Operation, input?: Input, more?: CallOptions) =>
    callOperation(send, operation, { input, options: more });

  async function* pages(name: string, input: Input = {}, more?: CallOptions): AsyncGenerator<unknown> {
    const operation = operations[name] as Operation;
    let cursor = input.query?.cursor;
    do {
      const query = { ...input.query, ...(cursor !== undefined && { cursor }) };
      const { body } = await call(operation, { ...input, query }, more);
      yield body;
      cursor = (body as Record<string, string | null>)[operation.cursor ?? 'nextCursor'] ?? undefined;
    } while (cursor !== undefined);
  }

  async function* items(name: string, input?: Input, more?: CallOptions): AsyncGenerator<unknown> {
    const rows = operations[name]?.rows ?? '';
    for await (const page of pages(name, input, more)) yield* (page as Record<string, unknown[]>)[rows] ?? [];
  }

  const calls = Object.entries(operations).map(([name, operation]) => [
    name,
    (input?: Input, more?: CallOptions) => call(operation, input, more),
  ]);
  const runEvents = (runId: string, eventsOptions?: EventsOptions) => readRunEvents(send, runId, eventsOptions);
  return { ...Object.fromEntries(calls), pages, items, runEvents };
}
