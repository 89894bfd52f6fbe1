import { describe, expect, it, vi } from 'vitest';
import { createSlots } from './slots.ts';

const never = new AbortController().signal;

describe('a slot', () => {
  it('that is left is free for another Run, and is left once', () => {
    const onFree = vi.fn();
    const slots = createSlots(1, onFree);
    const slot = slots.take();
    expect(slots.isFree()).toBe(false);
    slot.leave();
    slot.leave();
    expect(slots.isFree()).toBe(true);
    expect(onFree).toHaveBeenCalledTimes(1);
  });

  it('goes to the Run that waits to return, before it is free for queued ones', async () => {
    const onFree = vi.fn();
    const slots = createSlots(1, onFree);
    const waiting = slots.take();
    waiting.leave();
    const other = slots.take();
    const returned = waiting.enter(never);
    onFree.mockClear();
    other.leave();
    await returned;
    expect(slots.isFree()).toBe(false);
    expect(onFree).not.toHaveBeenCalled();
    waiting.leave();
    expect(slots.isFree()).toBe(true);
  });

  it('is not given to a Run whose wait was ended', async () => {
    const slots = createSlots(1, () => {});
    const waiting = slots.take();
    waiting.leave();
    const other = slots.take();
    const stop = new AbortController();
    const returned = waiting.enter(stop.signal);
    stop.abort(new Error('stopped'));
    await expect(returned).rejects.toThrow('stopped');
    other.leave();
    expect(slots.isFree()).toBe(true);
  });

  it('is taken by a resumed Run although none is free', () => {
    const slots = createSlots(1, () => {});
    const [one, two] = [slots.take(), slots.take()];
    one.leave();
    expect(slots.isFree()).toBe(false);
    two.leave();
    expect(slots.isFree()).toBe(true);
  });
});
