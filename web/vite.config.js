// The page is built into the crate that serves it, under fixed names: the same sources give the same files.
import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vite';

export default defineConfig({
  plugins: [svelte()],
  // The development server asks a running `zermelo explore`.
  server: { proxy: { '/api': 'http://127.0.0.1:7878' } },
  build: {
    outDir: process.env.PAGE_OUT ?? '../crates/explorer/page',
    emptyOutDir: true,
    // The colours are light-dark(), which these know.
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    modulePreload: false,
    // Nothing is put into the page itself: its policy forbids that.
    assetsInlineLimit: 0,
    rollupOptions: {
      output: {
        entryFileNames: 'app.js',
        chunkFileNames: '[name].js',
        assetFileNames: 'app[extname]',
      },
    },
  },
});
