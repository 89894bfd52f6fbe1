import { inspect } from 'node:util';

const shown = '[redacted]';

/**
 * Secret material in the memory of the server. Printing, joining or serializing it gives `[redacted]`. Only `reveal`
 * methods return the value, so that every use can be found by that name.
 */
export class Secret {
  readonly #bytes: Buffer;

  constructor(value: string | Uint8Array) {
    this.#bytes = typeof value === 'string' ? Buffer.from(value, 'utf8') : Buffer.from(value);
  }

  /** Returns the value as UTF-8 text. */
  reveal(): string {
    return this.#bytes.toString('utf8');
  }

  /** Returns a copy of the value's bytes. */
  revealBytes(): Buffer {
    return Buffer.from(this.#bytes);
  }

  get byteLength(): number {
    return this.#bytes.byteLength;
  }

  toString(): string {
    return shown;
  }

  toJSON(): string {
    return shown;
  }

  [Symbol.toPrimitive](): string {
    return shown;
  }

  [inspect.custom](): string {
    return shown;
  }
}
