export { createJsonSchemas, type JsonSchemas, type SchemaProblem, type ValueResult } from './json-schemas.ts';
