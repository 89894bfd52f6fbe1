export { judgeManifest, type ManifestFinding } from './judge.ts';
export { publishedSchema } from './published.ts';
