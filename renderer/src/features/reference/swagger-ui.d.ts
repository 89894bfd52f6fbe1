/** Types for the part of the library that is used here; it ships none. */
declare module 'swagger-ui-dist/swagger-ui-es-bundle.js' {
  type Options = {
    domNode: Element;
    url: string;
    docExpansion: 'none' | 'list' | 'full';
    defaultModelsExpandDepth: number;
    deepLinking: boolean;
    displayRequestDuration: boolean;
    filter: boolean;
    tryItOutEnabled: boolean;
    persistAuthorization: boolean;
    validatorUrl: null;
    tagsSorter: 'alpha';
    plugins: readonly (() => { fn: Record<string, unknown> })[];
  };
  const SwaggerUI: (options: Options) => unknown;
  // biome-ignore lint/style/noDefaultExport: that is how the library exports it
  export default SwaggerUI;
}
