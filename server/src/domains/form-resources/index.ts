export { formCompatibilityRoutes } from './compatibility-routes.ts';
export { createNativeCopies, type NativeLedger } from './native-copies.ts';
export { listNativeFaults, type NativeFault } from './native-faults.ts';
export { createNativeObjects, type NativeObjects } from './native-objects.ts';
export { spaceNotFound } from './refusals.ts';
export { formHostRoutes, formResourceRecordsRoutes } from './routes.ts';
export { createFormHost, type FormHost } from './service.ts';
export { createFormResourcesStore, type FormResourcesStore } from './store.ts';
