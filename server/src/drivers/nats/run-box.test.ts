import { describe, expect, it } from 'vitest';
import { newId } from '#server/kernel/ids';
import { type BoxPosition, boxBytes, createRunKey, createTicket, openBox, sealBox } from './run-box.ts';

describe('a box of a Run key', () => {
  const key = createRunKey();
  const jobId = newId('plan');
  const ticket = createTicket();
  const piece: BoxPosition = { kind: 'piece', jobId, ticket, offset: 10 };
  const plain = Buffer.from('a line of a log\n');
  const sealed = sealBox(key, piece, plain);

  it('opens at its position only', () => {
    expect(openBox(key, piece, sealed).equals(plain)).toBe(true);
    expect(sealed.length).toBe(plain.length + boxBytes);
    const others: BoxPosition[] = [
      { ...piece, offset: 11 },
      { ...piece, offset: 1 },
      { ...piece, ticket: createTicket() },
      { ...piece, jobId: newId('plan') },
      { ...piece, jobId: `${jobId}.1` },
      { kind: 'permit', jobId, ticket },
    ];
    for (const position of others) expect(() => openBox(key, position, sealed)).toThrow('belongs to another Run');
  });

  it('does not open with another key, changed, truncated, extended or empty', () => {
    expect(() => openBox(createRunKey(), piece, sealed)).toThrow('belongs to another Run');
    const changed = sealed.map((byte, at) => (at === 20 ? byte ^ 1 : byte));
    for (const bytes of [changed, sealed.subarray(0, -1), Buffer.concat([sealed, Buffer.alloc(1)]), Buffer.alloc(0)])
      expect(() => openBox(key, piece, bytes)).toThrow('belongs to another Run');
  });

  it('differs each time', () => {
    expect(sealBox(key, piece, plain).equals(sealed)).toBe(false);
    expect(createTicket()).not.toBe(createTicket());
  });

  it('is not sealed for a malformed position', () => {
    expect(() => sealBox(key, { ...piece, jobId: '*' }, plain)).toThrow('does not have the form');
    expect(() => sealBox(key, { ...piece, ticket: 'a b' }, plain)).toThrow('does not have the form');
  });
});
