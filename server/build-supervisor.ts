/** Options of esbuild for the bundle of the supervisor: one file of CommonJS that knows its own URL. */
export const commonJs = {
  format: 'cjs',
  splitting: false,
  outExtension: { '.js': '.cjs' },
  define: { 'import.meta.url': '__fileUrl' },
  banner: { js: "const __fileUrl = require('node:url').pathToFileURL(__filename).href;" },
} as const;
