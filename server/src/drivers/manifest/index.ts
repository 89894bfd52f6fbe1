export { type Compiled, compileManifest, hasModule, type ManifestPolicy, manifestKeyOf } from './compile.ts';
export { findBindingFault, isScopeAllowed } from './compile-policy.ts';
export { judgeManifest, type ManifestFinding } from './judge.ts';
export { parseManifest } from './parse.ts';
export { createProblems, type JsonPath, type Report } from './problems.ts';
export { reportPublicJson, reportPublicText } from './public-text.ts';
export { publishedSchema } from './published.ts';
export { reportRepeated } from './unique.ts';
