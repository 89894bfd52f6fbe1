import http from 'node:http';
import { createParser, type EventSourceMessage } from 'eventsource-parser';

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
  const push = ({ id, event = 'message', data }: EventSourceMessage) =>
    events.push({ ...(id !== undefined && { id }), event, data: JSON.parse(data) as ServerEvent['data'] });
  const parser = createParser({
    // A block without data is not an event, but it moves the position, which tests must see.
    onId: (id) => push({ id, data: 'null' }),
    onEvent(message) {
      if (message.id !== undefined) events.pop();
      push(message);
    },
  });
  let deliveredCount = 0;
  let isClosed = false;
  let wake = () => {};
  answer.setEncoding('utf8');
  answer.on('data', (chunk: string) => {
    parser.feed(chunk);
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
