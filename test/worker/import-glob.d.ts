// The type of `import.meta.glob`, with which tests inside the runtime read files as text, because they have no file
// system.

interface ImportMeta {
  glob(pattern: string, options: { query: "?raw"; import: "default"; eager: true }): Record<string, string>;
}
