export { formCompatibilityRoutes } from './compatibility-routes.ts';
export { createNativeObjects, type NativeObjects } from './native-objects.ts';
export { spaceNotFound } from './refusals.ts';
export { formHostRoutes, formResourceRecordsRoutes } from './routes.ts';
export { createFormHost, type FormHost } from './service.ts';
export { createFormResourcesStore } from './store.ts';
