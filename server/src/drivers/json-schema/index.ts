export { createJsonSchemas, type JsonSchemas } from './json-schemas.ts';
