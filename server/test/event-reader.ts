import http from 'node:http';

export type ServerEvent = { id?: string; event: string; data: Record<string, unknown> };
export type EventReader = {
  /** Returns every event read so far, once one of that name has arrived or the stream has closed. */
  until(event: string): Promise<ServerEvent[]>;
  /** Returns every event read so far, once there is one more than in the last result or the stream has closed. */
  more(): Promise<ServerEvent[]>;
  /** Everything until the server closes the stream. */
  rest(): Promise<ServerEvent[]>;
  close(): void;
};

/** Opens a stream of server-sent events (HTML Living Standard, 9.2). Rejects unless the server answers 200. */
export function readEvents(url: string, headers: Record<string, string>): Promise<EventReader> {
  return new Promise((resolve, reject) => {
    const request = http.get(url, { headers: { accept: 'text/event-stream', ...headers }, agent: false }, (answer) => {
      if (answer.statusCode !== 200) {
        answer.resume();
        reject(new Error(`the stream answered ${answer.statusCode}`));
        return;
      }
      resolve(readerOf(answer, () => request.destroy()));
    });
    request.on('error', reject);
  });
}

function readerOf(answer: http.IncomingMessage, close: () => void): EventReader {
  const events: ServerEvent[] = [];
  let text = '';
  let deliveredCount = 0;
  let isClosed = false;
  let wake = () => {};
  answer.setEncoding('utf8');
  answer.on('data', (chunk: string) => {
    const blocks = (text + chunk).split('\n\n');
    text = blocks.pop() ?? '';
    events.push(...blocks.map(eventOf));
    wake();
  });
  const end = () => {
    isClosed = true;
    wake();
  };
  answer.on('close', end);
  answer.on('error', end);
  const waitUntil = async (isThere: () => boolean) => {
    while (!isThere() && !isClosed)
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    deliveredCount = events.length;
    return [...events];
  };
  return {
    until: (name) => waitUntil(() => events.some(({ event }) => event === name)),
    more: () => waitUntil(() => events.length > deliveredCount),
    rest: () => waitUntil(() => false),
    close,
  };
}

function eventOf(block: string): ServerEvent {
  const fields = new Map(block.split('\n').map((line) => line.split(/: (.*)/s, 2) as [string, string]));
  const id = fields.get('id');
  return {
    ...(id !== undefined && { id }),
    event: fields.get('event') ?? 'message',
    data: JSON.parse(fields.get('data') ?? 'null') as Record<string, unknown>,
  };
}
