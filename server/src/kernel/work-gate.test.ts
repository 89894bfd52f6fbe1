import { describe, expect, it } from 'vitest';
import { createWorkGate } from './work-gate.ts';

function condition(allows: boolean) {
  const listeners: (() => void)[] = [];
  return {
    mayAct: () => allows,
    onChange: (listener: () => void) => void listeners.push(listener),
    set(next: boolean) {
      allows = next;
      for (const listener of listeners) listener();
    },
  };
}

describe('a gate', () => {
  it('is open while every condition allows work, and continues work each time it opens', () => {
    const [fence, pause] = [condition(true), condition(false)];
    const gate = createWorkGate([fence, pause]);
    let count = 0;
    gate.onOpen(() => (count += 1));
    expect([gate.mayAct(), count]).toEqual([false, 0]);
    pause.set(true);
    expect([gate.mayAct(), count]).toEqual([true, 1]);
    fence.set(true);
    expect(count).toBe(1);
    fence.set(false);
    pause.set(true);
    expect([gate.mayAct(), count]).toEqual([false, 1]);
    fence.set(true);
    expect([gate.mayAct(), count]).toEqual([true, 2]);
  });
});
