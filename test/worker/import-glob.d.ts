// The bundler's way of reading files as text, for tests inside the runtime, which have no file system.

interface ImportMeta {
  glob(pattern: string, options: { query: "?raw"; import: "default"; eager: true }): Record<string, string>;
}
