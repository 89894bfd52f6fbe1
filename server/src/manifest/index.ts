export { type Compiled, compileManifest, hasModule, type ManifestPolicy, manifestKeyOf } from './compile.ts';
export { judgeManifest, type ManifestFinding } from './judge.ts';
export { parseManifest } from './parse.ts';
export { publishedSchema } from './published.ts';
export type { ManifestDocument } from './versions.ts';
