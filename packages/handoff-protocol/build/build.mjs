// Builds the package: the component for React, and the custom element with Preact inside.
import { copyFileSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "vite";

const root = fileURLToPath(new URL("..", import.meta.url));
const source = (name) => fileURLToPath(new URL(`../src/${name}`, import.meta.url));

/** The banner replaces the directive of the sources. */
const onwarn = (warning, report) => {
  if (warning.code !== "MODULE_LEVEL_DIRECTIVE") report(warning);
};

const common = { configFile: false, root, logLevel: "warn" };

/** The styles are a file of their own in the package, so that a server can import the component. */
const withoutStyles = {
  name: "without-styles",
  enforce: "pre",
  resolveId: (id) => (id.endsWith(".css") ? "\0no-styles" : undefined),
  load: (id) => (id === "\0no-styles" ? "" : undefined),
};

await build({
  ...common,
  plugins: [withoutStyles],
  build: {
    emptyOutDir: false,
    minify: false,
    target: "es2022",
    lib: { entry: { index: source("index.ts"), parts: source("parts.ts") }, formats: ["es"] },
    rollupOptions: {
      onwarn,
      external: ["react", "react/jsx-runtime"],
      // Components with state run in the browser, where a framework tells them apart.
      output: { banner: '"use client";', chunkFileNames: "[name].js" },
    },
  },
});

await build({
  ...common,
  define: { "process.env.NODE_ENV": '"production"' },
  resolve: {
    alias: [
      { find: "react/jsx-runtime", replacement: "preact/jsx-runtime" },
      { find: "react-dom/client", replacement: "preact/compat/client" },
      { find: "react", replacement: "preact/compat" },
    ],
  },
  build: {
    emptyOutDir: false,
    target: "es2022",
    lib: { entry: { element: source("element.tsx") }, formats: ["es"] },
    rollupOptions: { onwarn, output: { minify: true } },
  },
});

// Node's own resolution of modules needs endings, and finds no styles.
const types = fileURLToPath(new URL("../dist/types/", import.meta.url));
for (const name of readdirSync(types)) {
  const text = readFileSync(types + name, "utf8").replace(/^import ".*\.css";\n/m, "");
  writeFileSync(types + name, text.replace(/(from|import\()\s*"(\.\/\w+)"/g, '$1 "$2.js"'));
}

// A package has the licences beside it.
for (const name of ["LICENSE-APACHE", "LICENSE-MIT"]) {
  copyFileSync(fileURLToPath(new URL(`../../../${name}`, import.meta.url)), `${root}${name}`);
}
copyFileSync(source("handoff-protocol.css"), fileURLToPath(new URL("../dist/styles.css", import.meta.url)));
