import path from 'node:path';
import { defineConfig } from 'electron-vite';

const source = (name: string) => path.join(import.meta.dirname, 'electron/src', name);

/**
 * The server is built once, for every host: the main bundle finds it in the product's folder, with the workers beside
 * it.
 */
const serverImportPlugin = {
  name: 'server-door',
  enforce: 'pre' as const,
  resolveId: (id: string) => (id === '#server/index' ? { id: '../../server/index.js', external: true as const } : null),
};

/** Main and preload only; the pages are served by the server, in the desktop as in a browser. */
export default defineConfig({
  main: {
    plugins: [serverImportPlugin],
    build: {
      // A package has only the modules that the server needs.
      externalizeDeps: false,
      sourcemap: true,
      rollupOptions: {
        input: { main: source('main.ts') },
        output: { format: 'es', entryFileNames: '[name].js' },
      },
    },
  },
  preload: {
    build: {
      // A sandboxed preload can require only `electron`, and only as CommonJS, so they share no module.
      externalizeDeps: false,
      rollupOptions: {
        input: {
          preload: source('preload.ts'),
          'notice-preload': source('servers/notice-preload.ts'),
          'manage-preload': source('servers/manage-preload.ts'),
        },
        output: { format: 'cjs', entryFileNames: '[name].cjs' },
      },
    },
  },
});
