// Bundles the web UI into one script and one style sheet. Nothing is inline, so a strict content security policy (CSP)
// works.
import { defineConfig } from "vite";

export default defineConfig({
  esbuild: { jsx: "automatic", jsxImportSource: "preact" },
  build: { sourcemap: false, assetsInlineLimit: 0, modulePreload: { polyfill: false } },
});
