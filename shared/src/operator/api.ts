import { defineApi } from '../kernel/endpoint.ts';

export const metricsApi = defineApi({
  getMetrics: {
    method: 'GET',
    base: '',
    path: '/metrics',
    summary: 'Figures of this server for Prometheus (operator)',
    class: 'Op',
    streams: ['text/plain'],
    replies: {},
  },
});
