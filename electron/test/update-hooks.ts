import { registerHooks } from 'node:module';

const electron = new URL('../../e2e/fixtures/electron-shim/updating.ts', import.meta.url).href;
// The built server, which starts faster than its sources.
const server = new URL('../../dist/server/index.js', import.meta.url).href;

const replaced: Record<string, string> = { electron, '#server/index': server };

registerHooks({
  resolve: (name, context, next) => {
    const url = replaced[name];
    return url === undefined ? next(name, context) : { url, shortCircuit: true };
  },
});
