import path from 'node:path';
import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** `npm run dev:renderer` talks to a server whose address stands in GROUNDCTL_DEV_SERVER; Host and Origin are the server's own. */
const target = process.env.GROUNDCTL_DEV_SERVER ?? 'http://127.0.0.1:4600';

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), tailwindcss()],
  build: {
    outDir: path.resolve(import.meta.dirname, '../dist/renderer'),
    emptyOutDir: true,
    target: 'chrome120',
    assetsInlineLimit: 0,
    // What most pages use is one file: each request costs more than the bytes that a page does not need.
    rolldownOptions: { output: { codeSplitting: { groups: [{ name: 'shared', minShareCount: 5 }] } } },
  },
  server: {
    proxy: Object.fromEntries(
      ['/api', '/openapi.json'].map((prefix) => [prefix, { target, changeOrigin: true, headers: { origin: target } }]),
    ),
  },
});
