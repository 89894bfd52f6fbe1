import { EventSourceParserStream } from 'eventsource-parser/stream';

export type ServerEvent = { event: string; id: string; data: unknown };
type EventRequest = { url: string; token: string; signal?: AbortSignal };

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
  const messages = response.body.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream());
  for await (const { event = 'message', id = '', data } of messages) yield { event, id, data: JSON.parse(data) };
}
