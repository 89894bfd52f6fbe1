import { setTimeout as pause } from 'node:timers/promises';
import { hasChromium, startBrowser } from '../e2e/fixtures/browser.ts';
import type { Run } from './api.ts';
import { type AbsoluteResult, absolute } from './median.ts';
import { withProduct } from './product.ts';
import { install, readingMs } from './product-runs.ts';

const goalMs = 100;

/** Runs in the page: keeps the time of the first frame that shows a link to each Run. */
const recordFrames = `
  globalThis.shownAt = {};
  const record = () => {
    for (const { pathname } of document.querySelectorAll('a[href*="/runs/"]')) {
      const id = pathname.slice(pathname.lastIndexOf('/') + 1);
      if (id in globalThis.shownAt) continue;
      globalThis.shownAt[id] = Number.NaN;
      // The task after the frame's callbacks runs when the frame is painted.
      requestAnimationFrame(() => setTimeout(() => { globalThis.shownAt[id] = Date.now(); }));
    }
  };
  record();
  new MutationObserver(record).observe(document.body, { childList: true, subtree: true, attributes: true });
`;

/** Time from the transaction that queues a Run to the frame in which a browser shows it in the list of Runs. */
export async function eventToPixel(samples: number, entry: string): Promise<AbsoluteResult[]> {
  if (!hasChromium) throw new Error('There is no chromium. Run .ci/prepare first.');
  const browser = await startBrowser();
  try {
    return await withProduct({ entry, files: 0 }, async (product) => {
      const { api, server } = product;
      const { capsuleId } = await install(product, 'bench');
      const { page, close } = await browser.visit(server);
      await page.goto(`${server.url}/runs`);
      await page.locator('a[href*="/runs/"]').first().waitFor();
      await page.evaluate(recordFrames);
      const measured: number[] = [];
      for (let index = 0; index < samples; index += 1) {
        await pause(readingMs);
        const { run } = await api.post<{ run: Run & { createdAt: string } }>(`/capsules/${capsuleId}/plan`);
        const shown = await page.waitForFunction((id) => {
          const { shownAt } = globalThis as unknown as { shownAt: { [id: string]: number } };
          return shownAt[id];
        }, run.id);
        measured.push(Number(await shown.jsonValue()) - Date.parse(run.createdAt));
        await api.waitForRun(run.id);
      }
      await close();
      return [absolute('event to pixel', measured, { unit: 'ms', goal: goalMs })];
    });
  } finally {
    await browser.close();
  }
}
