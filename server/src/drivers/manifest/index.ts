export { type Compiled, compileManifest, hasModule, type ManifestPolicy, manifestKeyOf } from './compile.ts';
export { judgeManifest, type ManifestFinding } from './judge.ts';
export { parseManifest } from './parse.ts';
export { createProblems, type Place, type Tell } from './problems.ts';
export { tellPublicJson, tellPublicText } from './public-text.ts';
export { publishedSchema } from './published.ts';
export { tellRepeated } from './unique.ts';
export type { ManifestDocument } from './versions.ts';
