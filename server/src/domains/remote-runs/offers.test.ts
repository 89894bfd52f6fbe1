import { afterEach, describe, expect, test, vi } from 'vitest';
import { heldClock } from '../../../test/harness.ts';
import { createLog } from '../../kernel/log.ts';
import { createOffers, type Offers } from './offers.ts';

const run = (id: string, attempts = 0) => ({ id, runnerPool: 'pool_1', type: 'plan', attempts }) as never;
const planOffer = (runId: string, attempt = 0) => ['pool_1', { runId, kind: 'plan', attempt }];

let offers: Offers | undefined;
afterEach(() => offers?.stop());

function open({ mayAct = true, retryMs = 5 } = {}) {
  const waiting: { runs: ReturnType<typeof run>[] } = { runs: [] };
  const offer = vi.fn(async () => {});
  const listeners = new Set<(event: never) => void>();
  const listen = (listener: (event: never) => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  };
  let onOpen = () => {};
  const gate = { mayAct };
  const clock = heldClock();
  offers = createOffers({
    clock,
    log: createLog('silent'),
    outbox: { listen } as never,
    workGate: {
      mayAct: () => gate.mayAct,
      onOpen: (callback: () => void) => {
        onOpen = callback;
      },
    } as never,
    link: { offer },
    listClaimable: () => waiting.runs,
    retryMs,
  });
  const notify = (kind: string) => {
    for (const listener of listeners) listener({ kind } as never);
  };
  const openGate = () => {
    gate.mayAct = true;
    onOpen();
  };
  return { clock, waiting, offer, offers, notify, listeners, openGate };
}
const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('offers', () => {
  test('notify a pool once of each attempt of a Run that can start', async () => {
    const { waiting, offer, notify } = open();
    waiting.runs = [run('plan_1'), run('plan_2')];
    notify('run');
    notify('run');
    await turn();
    notify('source');
    notify('run');
    await turn();
    expect(offer.mock.calls).toEqual([planOffer('plan_1'), planOffer('plan_2')]);
    waiting.runs = [run('plan_1', 1)];
    notify('run');
    await turn();
    expect(offer.mock.calls.slice(2)).toEqual([planOffer('plan_1', 1)]);
  });

  test('are made again after a pause when a machine turned one down', async () => {
    const { waiting, offer, offers, notify } = open();
    waiting.runs = [run('plan_1')];
    notify('run');
    await turn();
    offers.offerLater('plan_1');
    await expect.poll(() => offer.mock.calls.length).toBe(2);
  });

  test('that a machine turned down are made again at once when a machine has changed, and not before', async () => {
    const { waiting, offer, offers, notify } = open({ retryMs: 60_000 });
    waiting.runs = [run('plan_1')];
    notify('run');
    await turn();
    offers.offerLater('plan_1');
    notify('run');
    await turn();
    expect(offer).toHaveBeenCalledTimes(1);
    notify('runner');
    await turn();
    expect(offer).toHaveBeenCalledTimes(2);
  });

  test('are made again before NATS deletes them, when a machine is live again', async () => {
    const { clock, waiting, offer, notify } = open();
    waiting.runs = [run('plan_1')];
    notify('run');
    await turn();
    notify('runner');
    await turn();
    expect(offer).toHaveBeenCalledTimes(1);
    clock.advance(12 * 3_600_000);
    notify('runner');
    await turn();
    expect(offer).toHaveBeenCalledTimes(2);
  });

  test('are not made for a Run that was never offered', async () => {
    const { waiting, offer, offers } = open();
    waiting.runs = [run('plan_1')];
    offers.offerLater('plan_1');
    await turn();
    expect(offer).not.toHaveBeenCalled();
  });

  test('are made again when NATS did not take one, and after each connect', async () => {
    const { waiting, offer, offers, notify } = open();
    waiting.runs = [run('plan_1')];
    offer.mockRejectedValueOnce(new Error('away'));
    notify('run');
    await expect.poll(() => offer.mock.calls.length).toBe(2);
    offers.offerAgain();
    await turn();
    expect(offer).toHaveBeenCalledTimes(3);
  });

  test('are made by the server that may act, and by none after its stop', async () => {
    const { waiting, offer, offers, notify, listeners, openGate } = open({ mayAct: false });
    waiting.runs = [run('plan_1')];
    notify('run');
    await turn();
    expect(offer).not.toHaveBeenCalled();
    openGate();
    await turn();
    expect(offer).toHaveBeenCalledTimes(1);
    offers.stop();
    offers.offerAgain();
    await turn();
    expect(offer).toHaveBeenCalledTimes(1);
    expect(listeners.size).toBe(0);
  });
});
