import { describe, expect, it } from 'vitest';
import { responseBytes } from './http-load.ts';

describe('a response on a kept connection', () => {
  it('has the length of its headers and body', () => {
    const response = 'HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\nContent-Length: 5\r\n\r\nhello';
    expect(responseBytes(Buffer.from(`${response}HTTP/1.1`))).toBe(response.length);
  });

  it('is incomplete before the end of its headers', () => {
    expect(responseBytes(Buffer.from('HTTP/1.1 200 OK\r\ncontent-length: 5\r\n'))).toBeUndefined();
  });
});
