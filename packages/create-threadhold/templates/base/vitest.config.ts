import { threadhold } from "threadhold/testing/vite";
import { defineConfig } from "vitest/config";

export default defineConfig({ plugins: [threadhold()] });
