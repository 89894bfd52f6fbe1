import { inspect } from 'node:util';

const shown = '[redacted]';

/**
 * Secret material in the memory of the server. Whatever prints, joins or serialises it shows `[redacted]`; the value
 * comes out of `reveal` alone, so that every place that takes it is found by that word.
 */
export class Secret {
  readonly #bytes: Buffer;

  constructor(value: string | Uint8Array) {
    this.#bytes = typeof value === 'string' ? Buffer.from(value, 'utf8') : Buffer.from(value);
  }

  /** The value as UTF-8 text. */
  reveal(): string {
    return this.#bytes.toString('utf8');
  }

  /** A copy of the value's bytes. */
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
