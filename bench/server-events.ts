export type ServerEvent = { event: string; id: string; data: unknown };
export type EventRequest = { url: string; token: string; signal?: AbortSignal };

/**
 * Yields the events of a `text/event-stream` response, as the HTML standard defines it; `data` is parsed as JSON.
 * Throws on an error response.
 */
export async function* serverEvents(request: EventRequest): AsyncGenerator<ServerEvent> {
  const response = await fetch(request.url, {
    headers: { accept: 'text/event-stream', authorization: `Bearer ${request.token}` },
    ...(request.signal === undefined ? {} : { signal: request.signal }),
  });
  if (!response.ok || response.body === null) {
    throw new Error(`The event stream was refused with ${response.status}: ${(await response.text()).slice(0, 500)}`);
  }
  let rest = '';
  for await (const text of response.body.pipeThrough(new TextDecoderStream())) {
    // A block ends with an empty line; a carriage return at the end of a chunk waits for the next chunk.
    const blocks = (rest + text).replaceAll(/\r\n|\r(?!$)/g, '\n').split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const event = parseBlock(block);
      if (event !== null) yield event;
    }
  }
}

/** One event, null for a block without data, which is a comment or a retry hint. */
function parseBlock(block: string): ServerEvent | null {
  const lines = block.split('\n').map((line) => /^([^:]+)(?:: ?(.*))?$/.exec(line) ?? []);
  const values = (field: string) => lines.filter(([, name]) => name === field).map(([, , value]) => value ?? '');
  const data = values('data');
  if (data.length === 0) return null;
  return {
    event: values('event').at(-1) ?? 'message',
    id: values('id').at(-1) ?? '',
    data: JSON.parse(data.join('\n')),
  };
}
