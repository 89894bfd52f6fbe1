export { createOperatorConfigs } from './config-edits.ts';
export { createMetrics, type Metrics } from './metrics.ts';
export { metricsRoutes } from './metrics-routes.ts';
export { operatorRoutes } from './routes.ts';
