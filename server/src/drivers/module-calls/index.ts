export { ModuleCallError, type ModuleCallErrorCode } from './module-call-error.ts';
export { type CallFile, locateCalls, type NewSources, rewriteCalls } from './rewrite-calls.ts';
