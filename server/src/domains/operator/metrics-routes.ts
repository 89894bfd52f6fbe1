import type { Mount } from '#server/kernel/http/index';
import { metricsApi } from '#shared/operator/api';
import type { Metrics } from './metrics.ts';

export const metricsRoutes = (mount: Mount, metrics: Pick<Metrics, 'contentType' | 'text'>): void =>
  mount(metricsApi, {
    getMetrics: async () => {
      const text = await metrics.text();
      return {
        stream: {
          contentType: metrics.contentType,
          start: (out) => {
            out.write(text);
            out.end();
          },
        },
      };
    },
  });
