// How the web UI is bundled: one script and one style sheet, nothing inline, so that a strict CSP holds.
import { defineConfig } from "vite";

export default defineConfig({
  esbuild: { jsx: "automatic", jsxImportSource: "preact" },
  build: { sourcemap: false, assetsInlineLimit: 0, modulePreload: { polyfill: false } },
});
